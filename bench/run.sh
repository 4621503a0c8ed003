#!/bin/sh
# The benchmarks of the parts, with criterion; results are kept in target/criterion, and the next run says what moved.
#
#     sh bench/run.sh                     all: aqm, cc, ack, agenda, wire
#     sh bench/run.sh aqm [WORDS...]      one; words go to criterion: --quick, a part of a benchmark's name
#     sh bench/run.sh check               none: only whether they still compile
set -eu
cd "$(dirname "$0")/.."
# The versions of the main workspace, so that what both use is built once.
[ bench/Cargo.lock -nt Cargo.lock ] || cp Cargo.lock bench/Cargo.lock
export CARGO_TARGET_DIR="$PWD/target"
case ${1:-all} in
all) set -- --benches ;;
check)
    cd bench
    exec cargo check --quiet --release --benches
    ;;
aqm | cc | ack | agenda | wire)
    one=$1
    shift
    set -- --bench "$one" -- "$@"
    ;;
*)
    echo "There is no benchmark \`$1\`; there are: aqm, cc, ack, agenda, wire" >&2
    exit 2
    ;;
esac
cd bench
exec cargo bench --quiet "$@"
