#!/bin/sh
# Feeds the targets of fuzz/targets with random bytes, guided by what they reach: libFuzzer on the stable compiler.
#
#     sh fuzz/run.sh [SECONDS [TARGET]]      without a target all of them, as many side by side as there are cores
#
# Targets for readers that are Python are in fuzz/loaders.py: random changes of seeds, without libFuzzer.
#
# Inputs start from fuzz/corpus. Those that reach new code are kept in build/fuzz for the next time.
# An input that breaks a target is written to fuzz/regressions/TARGET, where every build's tests run
# it. Fix the defect, and commit both.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-30}
only=${2:-}
root=$PWD

# Readers that are Python: fuzz/loaders.py.
python=.venv/bin/python
in_python=$($python fuzz/loaders.py --list)
if [ -n "$only" ] && printf '%s\n' "$in_python" | grep -qx "$only"; then
    exec $python fuzz/loaders.py "$seconds" "$only"
fi

if ! command -v c++ >/dev/null 2>&1; then
    echo "The fuzz targets need a C++ compiler for libFuzzer. On Debian or Ubuntu: sudo apt-get install g++" >&2
    exit 4
fi
targets=$(sed -n 's/.*name: "\([a-z0-9_]*\)".*/\1/p' fuzz/targets/mod.rs)
if [ -n "$only" ] && ! printf '%s\n' "$targets" | grep -qx "$only"; then
    echo "There is no target \`$only\`; there are: $(echo $targets $in_python)" >&2
    exit 2
fi

# The versions of the main workspace, so that what is not instrumented is shared with ordinary builds.
[ fuzz/Cargo.lock -nt Cargo.lock ] || cp Cargo.lock fuzz/Cargo.lock
(cd fuzz && RUSTC_WRAPPER="$root/fuzz/rustc.sh" cargo build --release --quiet --target-dir ../target)

# One target; its log is shown if it breaks.
one() {
    mkdir -p "build/fuzz/$1" "fuzz/regressions/$1"
    if DUMBBELL_FUZZ=$1 target/release/fuzz "build/fuzz/$1" "fuzz/corpus/$1" -max_len=4096 -timeout=10 \
        -rss_limit_mb=2048 -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="fuzz/regressions/$1/" >"build/fuzz/$1.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$1.log")
        echo "fuzz $1: $runs inputs, none broke it"
    else
        tail -n 40 "build/fuzz/$1.log" >&2
        echo "fuzz $1: BROKEN by the newest file of fuzz/regressions/$1 (log: build/fuzz/$1.log)" >&2
        return 1
    fi
}

# Side by side in rounds of as many as there are cores.
failed=0
[ -n "$only" ] || for target in $in_python; do $python fuzz/loaders.py "$seconds" "$target" || failed=1; done
wait_all() {
    for pid in $pids; do wait "$pid" || failed=1; done
    pids=""
    running=0
}
pids=""
running=0
cores=$(nproc 2>/dev/null || echo 2)
for target in ${only:-$targets}; do
    one "$target" &
    pids="$pids $!"
    running=$((running + 1))
    [ "$running" -lt "$cores" ] || wait_all
done
wait_all
exit "$failed"
