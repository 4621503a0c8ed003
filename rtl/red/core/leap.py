"""Writes red_leap.sv: 32 steps of the dense polynomial as a network of parities for four-input
LUTs.

python leap.py [SECONDS [SEED]] > red_leap.sv

Each bit after 32 steps is the parity of 7 to 16 bits before. A row is brought down to two terms
(the gate that is left also chooses what is written into the register) by replacing, again and
again, one of the sets of two to four terms that rows share most, ties broken by chance; the
smallest network of many tries is written. Exact, whatever chance says: what is replaced is equal.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections import Counter

BITS, STEPS, TAPS, TERMS = 21, 32, (20, 17, 14, 12, 9, 7, 4, 1), 2
Terms = frozenset[int]


def rows() -> list[Terms]:
    """For each bit after the steps, the bits before whose parity it is."""
    state = [1 << bit for bit in range(BITS)]
    for _ in range(STEPS):
        new = 0
        for tap in TAPS:
            new ^= state[tap]
        state = [new, *state[:-1]]
    return [frozenset(bit for bit in range(BITS) if row >> bit & 1) for row in state]


def network(rng: random.Random) -> tuple[list[Terms], list[Terms]]:
    """Shared parities, numbered from BITS on, and each row as at most two terms."""
    outputs, shared = rows(), []
    while any(len(row) > TERMS for row in outputs):
        gain: Counter[tuple[int, ...]] = Counter()
        for row in outputs:
            for size in (2, 3, 4):
                for terms in itertools.combinations(sorted(row), size):
                    gain[terms] += max(0, min(size - 1, len(row) - TERMS))
        enough = max(gain.values()) - rng.choice((0, 0, 1, 2))
        chosen = frozenset(rng.choice([terms for terms, value in gain.items() if value >= enough]))
        name = BITS + len(shared)
        shared.append(chosen)
        outputs = [
            (row - chosen) | {name} if chosen <= row and len(row) > TERMS else row
            for row in outputs
        ]
    return _used(shared, outputs)


def _used(shared: list[Terms], outputs: list[Terms]) -> tuple[list[Terms], list[Terms]]:
    """Without parities whose last use a later choice took."""
    for name in reversed(range(BITS, BITS + len(shared))):
        if not any(name in row for row in (*shared, *outputs)):
            del shared[name - BITS]
            shared, outputs = (
                [frozenset(term - (term > name) for term in row) for row in rows]
                for rows in (shared, outputs)
            )
    return shared, outputs


def main() -> None:
    """Searches and prints."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    end, best = time.monotonic() + seconds, network(rng)
    while time.monotonic() < end:
        best = min(best, network(rng), key=lambda found: len(found[0]))
    shared, outputs = best

    def parity(terms: Terms) -> str:
        return " ^ ".join(f"s[{t}]" if t < BITS else f"t{t - BITS}" for t in sorted(terms))

    every = [f"t{number}" for number in range(len(shared))]
    names = ",\n        ".join(
        ", ".join(row) for row in (every[at : at + 12] for at in range(0, len(every), 12))
    )
    print(f"""// The draw's leap in sound mode (SPEC.md, "Draw"): {STEPS} steps of the register \
at once, combinational.
//
// Written by leap.py, which says how; {len(shared)} parities of at most four terms, shared by \
the {BITS} of the result.
`default_nettype none
module red_leap (
  input  wire logic [{BITS - 1}:0] draw_i,
  output logic [{BITS - 1}:0]      draw_o
);
  logic [{BITS - 1}:0] s;

  assign s = draw_i;

  logic {names};""")
    for number, terms in enumerate(shared):
        print(f"  assign t{number} = {parity(terms)};")
    for bit, terms in enumerate(outputs):
        print(f"  assign draw_o[{bit}] = {parity(terms)};")
    print("endmodule\n`default_nettype wire")


if __name__ == "__main__":
    main()
