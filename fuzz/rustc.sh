#!/bin/sh
# Stands before rustc while the fuzz targets are built: the crates that read input get libFuzzer's counters at their
# branches and comparisons, the others are left as they are and so shared with ordinary builds. Passes of LLVM are
# stable options; cargo-fuzz without its sanitizers (which need a nightly compiler) gives the same.
rustc=$1
shift
name=""
previous=""
for word in "$@"; do
    [ "$previous" != --crate-name ] || name=$word
    previous=$word
done
# The simulator is not what reads: it is compiled in a third of the time with fewer passes.
case $name in
dumbbell_sim | dumbbell_tcp | dumbbell_algos | dumbbell_net | dumbbell_emu) set -- "$@" -Copt-level=1 ;;
esac
case $name in
dumbbell_* | fuzz | toml | toml_parser)
    exec "$rustc" "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Ccodegen-units=1
    ;;
*) exec "$rustc" "$@" ;;
esac
