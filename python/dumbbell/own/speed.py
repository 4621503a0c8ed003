"""`python -m dumbbell.own.speed mine.py`: see [`dumbbell.bench.plugin_speed`]."""

import sys

from ..bench.plugin_speed import main

if __name__ == "__main__":
    sys.exit(main())
