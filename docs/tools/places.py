"""Runs the same scenarios in five places, and writes the tables of docs/explanation/agreement.md.

    python docs/tools/places.py                            # what is not kept, and the page
    python docs/tools/places.py --place linux ns2          # these places only
    python docs/tools/places.py --scenario sack-red        # these scenarios only
    python docs/tools/places.py --page                     # runs nothing; writes the page

The places are the simulator, a Linux kernel in virtual time, the machine's own kernel in real time,
RED as SystemVerilog in the simulator's network, and ns-2. What each run measured is kept in
places/PLACE.jsonl, a line for each run, with the hash of its input and with what made it. The
simulator's runs and those of the RTL take seconds and are made again each time. Of the others only
those are made whose input or whose place is another one. Causes of differences are written by hand
in places.toml, with the experiments behind them, which are made each time, too.
"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib

from places_page import CAUSES, write
from places_runs import run, tried
from places_scenarios import ALL, PLACES


def main(words: list[str] | None = None) -> int:
    """Runs, and writes the page."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    names = [scenario.name for scenario in ALL]
    asked.add_argument("--place", nargs="+", choices=list(PLACES), default=list(PLACES))
    asked.add_argument("--scenario", nargs="+", choices=names, default=names, metavar="NAME")
    asked.add_argument("--seeds", type=int, help="runs of each scenario (by the place)")
    asked.add_argument("--again", action="store_true", help="make the runs that are kept, too")
    asked.add_argument("--page", action="store_true", help="run nothing, and write the page")
    given = asked.parse_args(words)
    if not given.page:
        tried(tomllib.loads(CAUSES.read_text(encoding="utf-8")))
        run(
            [each for each in ALL if each.name in given.scenario],
            given.place,
            given.seeds,
            given.again,
        )
    write()
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
