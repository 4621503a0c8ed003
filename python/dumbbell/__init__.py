"""Dumbbell, a laboratory for congestion control.

Describe a network once, and measure it:

    import dumbbell

    result = dumbbell.Scenario.from_file("scenarios/first.toml").run(replications=5)
    print(result.table())

Algorithms are classes made from the catalogue (`dumbbell.Red(min_th="5 pkt")`); `dumbbell.catalogue` has
their pages, `dumbbell.figures` draws results. Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Scenario": "scenario",
    "drive": "driving",
    "Result": "result",
    "Sweep": "result",
    "target_rates": "targets",
    "Flow": "result",
    "Queue": "result",
    "Table": "arrow",
    "Interval": "stats",
    "DumbbellError": "errors",
    "ScenarioError": "errors",
    "CheckFailed": "errors",
    "EnvironmentLacks": "errors",
    "InvalidRun": "errors",
    "Aqm": "own",
    "CongestionControl": "own",
    "parameter": "own",
    "Seconds": "own",
    "Packets": "own",
    "Bytes": "own",
    "BitsPerSecond": "own",
    "PASS": "own",
    "MARK": "own",
    "SIGNAL": "own",
    "drop": "own",
    "mark": "own",
    "signal": "own",
    "evict": "own",
}
_MODULES = (
    *("algorithms", "catalogue", "crc", "diff", "door", "figures", "own", "reproduce", "schemes", "scripts"),
    *("strategies", "voice", "why"),
)

__all__ = [*_HOME, *_MODULES, "__version__"]  # noqa: F822 (found when asked for)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name == "__version__":
        return importlib.import_module("._native", __name__).__version__
    if name[:1].isupper():
        return getattr(importlib.import_module(".algorithms", __name__), name)
    raise AttributeError(f"module `dumbbell` has no `{name}`")


def __dir__() -> list[str]:
    return [*__all__, *importlib.import_module(".algorithms", __name__).__dir__()]
