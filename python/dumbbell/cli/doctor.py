"""`doctor`."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from typing import Any

from .options import Json, emit, show

_FOR = {
    "cyclopts": "the command line",
    "rich": "tables",
    "matplotlib": "figures",
    "polars": "figures from recorded series",
    "jinja2": "reports",
}
_TOOLS = {"cargo": "building the extension", "cc": "building the extension", "dot": "drawing `show --dot`"}


def doctor(*, json: Json = False) -> int:
    """Say what this machine has, what it lacks, and what for. Ends with 4 if something needed is missing."""
    report = examine()
    if json:
        emit(report)
    else:
        show(f"dumbbell {report['version']}, Python {report['python']}, {report['platform']}, {report['cores']} cores")
        for check in report["checks"]:
            found = check["found"] or "missing"
            show(f"  {'ok     ' if check['found'] else 'MISSING'} {check['name']:<12} {found:<12} for {check['for']}")
    return 0 if report["ok"] else 4


def examine() -> dict[str, Any]:
    """What is there: the package's own parts, its libraries, and tools."""
    checks = [_library(name, purpose) for name, purpose in _FOR.items()]
    checks += [_tool(name, purpose) for name, purpose in _TOOLS.items()]
    from .. import __version__

    return {
        "ok": all(check["found"] for check in checks if check["needed"]),
        "version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "checks": checks,
    }


def _library(name: str, purpose: str) -> dict[str, Any]:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = None
    return {"name": name, "found": version, "for": purpose, "needed": True}


def _tool(name: str, purpose: str) -> dict[str, Any]:
    return {"name": name, "found": shutil.which(name), "for": purpose, "needed": False}
