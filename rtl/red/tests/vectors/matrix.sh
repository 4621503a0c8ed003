#!/bin/sh
# matrix.sh CLOCKS: run.sh with every combination of parameters, and some W and NQ, each with a seed of its own; stops at a failure.
set -e
here=$(cd "$(dirname "$0")" && pwd)
clocks=${1:-4000} seed=0
for paper in 0 1; do for constant in 0 1; do for gap in 0 1; do for idle in 0 1; do
for classes in 1 4; do for adapt in 0 1; do for spaced in 0 1; do
  seed=$((seed + 1))
  case $((seed % 4)) in 0) more="W=4 NQ=1" ;; 1) more="W=9 NQ=8" ;; 2) more="W=2 NQ=3" ;; *) more="W=10 NQ=8" ;; esac
  words="PAPER=$paper CONSTANT=$constant GAP=$gap IDLE=$idle CLASSES=$classes ADAPT=$adapt SPACED=$spaced $more"
  # shellcheck disable=SC2086
  LATENCY=$((6 + 2 * idle)) "$here/run.sh" "$clocks" "$seed" $words >"${TMPDIR:-/tmp}/matrix.$$" 2>&1 ||
    { echo "$words, seed $seed:"; cat "${TMPDIR:-/tmp}/matrix.$$"; exit 1; }
done; done; done; done; done; done; done
rm -f "${TMPDIR:-/tmp}/matrix.$$"
echo "PASS $seed combinations of $clocks clocks"
