"""Figures: each function returns a matplotlib figure; `save` writes it as SVG, PDF and PNG.

Legible in black and white: every line has a dash pattern and a marker besides its color, and a
scheme looks the same in every figure. Intervals are drawn wherever there are replications.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "save": "style",
    "svg": "style",
    "look": "style.palette",
    "over_parameter": "compare",
    "over_sweep": "compare",
    "trace": "compare",
    "side_by_side": "compare",
    "cumulative": "compare",
    "Line": "compare",
    "recorded": "over_time",
    "of_result": "over_time",
    "cwnd": "windows",
    "queue": "queues",
    "goodput": "over_time",
    "drop_probability": "curve",
    "Red": "curve",
    "completions": "transfers",
    "error_map": "heatmap",
    "Source": "recorded_run",
    "View": "recorded_run",
    "draw": "kinds",
    "draw_on_demand": "kinds",
    "missing": "kinds",
    "KINDS": "kinds",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module `dumbbell.figures` has no `{name}`")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
