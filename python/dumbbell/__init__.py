"""Dumbbell, a laboratory for congestion control.

Describe a network once, and measure it:

    import dumbbell

    result = dumbbell.Scenario.from_file("scenarios/first.toml").run(replications=5)
    print(result.table())

Algorithms are classes made from the catalogue (`dumbbell.Red(min_th="5 pkt")`);
`dumbbell.catalogue` has their pages, `dumbbell.figures` draws results. Nothing heavy is imported
before it is used.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Scenario": "scenario",
    "drive": "aqm_response.drive",
    "Result": "result",
    "Sweep": "result",
    "target_rates": "models.assured_rates",
    "Flow": "result",
    "Queue": "result",
    "Table": "data.arrow",
    "Interval": "present.stats",
    "DumbbellError": "errors",
    "ScenarioError": "errors",
    "CheckFailed": "errors",
    "EnvironmentLacks": "errors",
    "InvalidRun": "errors",
    "Aqm": "plugins",
    "CongestionControl": "plugins",
    "parameter": "plugins",
    "Seconds": "plugins",
    "Packets": "plugins",
    "Bytes": "plugins",
    "BitsPerSecond": "plugins",
    "PASS": "plugins",
    "MARK": "plugins",
    "SIGNAL": "plugins",
    "drop": "plugins",
    "mark": "plugins",
    "signal": "plugins",
    "evict": "plugins",
}
_MODULES = {
    "algorithms": "algorithms",
    "api": "api",
    "catalogue": "catalogue",
    "crc": "models.ethernet_fcs",
    "diff": "explain.diff",
    "door": "api",
    "fairness": "models.fairness",
    "figures": "figures",
    "reproduce": "reproduce",
    "scripts": "validate.scripts",
    "signalling": "aqm_response",
    "stats": "present.stats",
    "strategies": "validate.strategies",
    "synchrony": "models.synchrony",
    "targets": "models.assured_rates",
    "voice": "models.emodel",
    "why": "explain.why",
}
"""Public names of modules, with the modules that have them."""

__all__ = [*_HOME, *_MODULES, "__version__"]  # noqa: F822 (found when asked for)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{_MODULES[name]}", __name__)
    if name == "__version__":
        return importlib.import_module("._native", __name__).__version__
    if name[:1].isupper():
        return getattr(importlib.import_module(".algorithms", __name__), name)
    raise AttributeError(f"module `dumbbell` has no `{name}`")


def __dir__() -> list[str]:
    return [*__all__, *importlib.import_module(".algorithms", __name__).__dir__()]
