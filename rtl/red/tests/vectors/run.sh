#!/bin/sh
# run.sh CLOCKS SEED [NAME=VALUE]...: draws vectors for a core with these parameters and replays them in Icarus Verilog.
# LATENCY says after how many clocks decisions are due (6). NETLIST names a netlist to replay them in instead.
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
clocks=$1 seed=$2
shift 2
python3 "$here/draw.py" "$out/v" "$clocks" "$seed" "$@"
parameters=
for word in "$@"; do parameters="$parameters -Pvectors_tb.$word"; done
cd "$here/../.."
# shellcheck disable=SC2086
iverilog -g2012 $parameters "-Pvectors_tb.Clocks=$clocks" "-Pvectors_tb.Decisions=$(wc -l <"$out/v.out")" \
  "-Pvectors_tb.Latency=${LATENCY:-6}" -s vectors_tb -o "$out/v.vvp" \
  ${NETLIST:+-DNETLIST} ${NETLIST:-$(sed 's://.*::' core.f)} tests/vectors/vectors_tb.sv
vvp -n "$out/v.vvp" "+stem=$out/v" | tee "$out/log"
grep -q '^PASS' "$out/log"
