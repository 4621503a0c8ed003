"""`doctor`."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from typing import Any

from ..errors import EnvironmentLacks
from .options import Json, On, emit, show

_FOR = {
    "cyclopts": "the command line",
    "msgspec": "papers and other files",
    "rich": "tables",
    "matplotlib": "figures",
    "polars": "figures from recorded series",
    "jinja2": "pages",
}
_TOOLS = {
    "cargo": "building the extension",
    "cc": "building the extension",
    "dot": "drawing `show --dot`",
}


def doctor(*, on: On = "sim", json: Json = False) -> int:
    """Check what this machine supports: what is missing, what needs it, and how to install it.

    The exit code is 4 if something necessary is missing; with --on kernel also if this machine
    cannot run real kernels, with --on linux if no user-mode kernel has been built.

    Example: `dumbbell doctor --on kernel`
    """
    report = examine()
    if json:
        emit(report)
    else:
        show(
            f"dumbbell {report['version']}, Python {report['python']}, {report['platform']}, "
            f"{report['cores']} cores"
        )
        show(
            "",
            _software(report["checks"]),
            *_testbed(report["testbed"]),
            "",
            *_linux(report["linux"]),
        )
    part = {"kernel": "testbed", "linux": "linux"}.get(on)
    return 0 if report["ok"] and (part is None or report[part]["ok"]) else 4


def examine() -> dict[str, Any]:
    """What is there: the package's own parts, its libraries, tools, and what the testbed needs."""
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
        "testbed": testbed(),
        "linux": user_mode_linux(),
    }


def user_mode_linux() -> dict[str, Any]:
    """What `--on linux` needs: `{"ok", "program", "release", "source", "lacking"}`; `lacking` are
    programs that a build would need."""
    from ..linux import build, kernels

    kernel = kernels.current()
    if kernel is None:
        return {"ok": False, "lacking": build.lacking()}
    return {"ok": True, "program": str(kernel.program), **kernel.about, "lacking": {}}


def _linux(found: dict[str, Any]) -> list[str]:
    head = "Linux in virtual time (--on linux):"
    if found["ok"]:
        return [f"{head} Linux {found['release']}, {found['program']}"]
    lines = [f"{head} not built", "  build the kernel, once: dumbbell linux build"]
    if found["lacking"]:
        lines.append(f"  it needs: apt-get install {' '.join(sorted(found['lacking'].values()))}")
    return lines


def testbed() -> dict[str, Any]:
    """What `--on kernel` needs: `{"ok", "checks": [...], "can": {...}}`; `why` says it where the
    build has none."""
    from ..testbed import rootless

    try:
        found = rootless.doctor()
    except EnvironmentLacks as lack:
        return {"ok": False, "checks": [], "can": {}, "why": lack.rendered}
    can = found["can"]
    ok = _yes(can["kernel"]) if "kernel" in can else any(map(_yes, can.values()))
    return {"ok": ok, "expect": _expect(can) if ok else None, **found}


def _expect(can: dict[str, Any]) -> dict[str, Any]:
    """How live runs of this user will be made, where scenarios leave it open."""
    realtime = _yes(can.get("realtime"))
    return {
        "user_namespace": os.geteuid() != 0,
        "datapath": "tun" if _yes(can.get("tun")) else "af_packet",
        "realtime": realtime,
        "class": "exact" if realtime else "loose",
    }


def _software(checks: list[dict[str, Any]]) -> Any:
    """The libraries and tools; a tool that is missing is optional."""
    from ..present.grids import Grid

    rows = [
        [
            "ok" if check["found"] else "MISSING" if check["needed"] else "optional",
            check["name"],
            check["found"] or "-",
            check["for"],
        ]
        for check in checks
    ]
    return Grid("Software", ["", "part", "found", "needed for"], rows, text_columns=4)


def _testbed(found: dict[str, Any]) -> list[Any]:
    """What a newcomer reads: what works, then each check, then what to do about those that
    failed."""
    from ..present.grids import Grid

    head = "Real kernels (--on kernel, shell):"
    if "why" in found:
        return [f"{head} not here", *(f"  {line}" for line in found["why"].splitlines())]
    rows = [
        [_state(check), str(check["check"]), _found(check["found"]), str(check["needed_for"])]
        for check in found["checks"]
    ]
    fixes = [f"  {c['check']}: {c['fix']}" for c in found["checks"] if not c["ok"] and c.get("fix")]
    works = [
        f"  {'yes' if _yes(value) else 'NO '}  {_what(key)}{_why(value)}"
        for key, value in found["can"].items()
    ]
    return [
        head,
        *works,
        *_expected(found.get("expect")),
        Grid("Checks", ["", "check", "found", "needed for"], rows, text_columns=4),
        *(["What to do:", *fixes] if fixes else []),
    ]


def _expected(expect: dict[str, Any] | None) -> list[str]:
    if expect is None:
        return []
    where = "in a user namespace" if expect["user_namespace"] else "in this process"
    how = "real-time" if expect["realtime"] else "normal"
    why = "" if expect["realtime"] else ": other programs can keep the router waiting"
    return [
        f"  Expect runs {where}, datapath {expect['datapath']}, {how} priority, class "
        f"{expect['class']}{why}."
    ]


_CONDITIONS = frozenset(
    {
        "cores",
        "load",
        "steal",
        "clock_source",
        "realtime_throttling",
        "memory_lock",
        "kernel_version",
        "preemption",
        "cpu_governor",
        "tick",
        "virtual_machine",
        "isolated_cores",
    }
)
"""Checks of how something is; the others are of whether it is there."""


def _state(check: dict[str, Any]) -> str:
    return "ok" if check["ok"] else "POOR" if check["check"] in _CONDITIONS else "MISSING"


def _yes(value: Any) -> bool:
    return bool(value["ok"] if isinstance(value, dict) and "ok" in value else value)


_CAN = {
    "kernel": "run scenarios between real hosts (run --on kernel)",
    "rootless": "the same without privileges, in a user namespace",
    "tun": "TUN devices: the faster datapath",
    "veth": "packet rings over veth: the datapath of the rootless",
    "programs": "run any program on an emulated network (shell)",
    "realtime": "real-time priority, so that other programs cannot keep the router waiting",
    "cubic": "CUBIC of the kernel",
    "bbr": "BBR of the kernel",
    "iperf3": "iperf3 as a traffic source (optional)",
    "tcpdump": "tcpdump, to capture inside a host (optional)",
}


def _what(key: str) -> str:
    return _CAN.get(key, key.replace("_", " "))


def _why(value: Any) -> str:
    """What a capability says besides yes and no."""
    if isinstance(value, dict):
        words = [str(inner) for key, inner in value.items() if key != "ok" and inner]
        return f": {'; '.join(words)}" if words else ""
    return "" if isinstance(value, bool) or value is None else f": {value}"


def _found(value: Any) -> str:
    return (
        "-"
        if value is None or value == ""
        else "yes"
        if value is True
        else "no"
        if value is False
        else str(value)
    )


def _library(name: str, purpose: str) -> dict[str, Any]:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = None
    return {"name": name, "found": version, "for": purpose, "needed": True}


def _tool(name: str, purpose: str) -> dict[str, Any]:
    return {"name": name, "found": shutil.which(name), "for": purpose, "needed": False}
