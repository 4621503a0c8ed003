"""System calls and shell commands of packetdrill scripts: those of the subset, and what of them
matters here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .statements import Statement

IGNORED = ("socket", "bind", "listen", "accept", "fcntl")
WRITES = ("write", "send", "sendto")
OPTIONS = ("SO_REUSEADDR", "TCP_NODELAY", "SO_SNDBUF", "SO_RCVBUF")
"""Socket options that change nothing here."""
_CALL = re.compile(r"(\w+)\s*\((.*)\)\s*=\s*(-?\d+)(?:\s+\w+.*)?$", re.S)
_SYSCTL = re.compile(r"sysctl\s+(?:-q\s+|-w\s+)*net\.ipv4\.(\w+)\s*=\s*\"?(\w+)\"?$")
CONTROLS = {"reno": "sack", "cubic": "cubic", "bbr": "bbr", "vegas": "vegas", "dctcp": "dctcp"}
"""Congestion controls of a kernel under their names here: its `reno` repairs losses by SACK."""


@dataclass(slots=True)
class Settings:
    """What calls and commands said about TCP."""

    cc: str | None = None
    tcp: dict[str, str] = field(default_factory=dict)


def read(statement: Statement, settings: Settings) -> tuple[str, int]:
    """The name of a call, and the bytes that it writes. `ScenarioError` with its place."""
    found = _CALL.match(statement.text)
    if found is None:
        raise statement.place.wrong(
            "this is not a system call with its result", "write it as in write(4, ..., 1000) = 1000"
        )
    name, inside, result = found[1], found[2], int(found[3])
    words = [word.strip() for word in inside.split(",")]
    if name in WRITES:
        number = words[2] if len(words) > 2 else ""
        if not number.isdigit() or int(number) != result:
            raise statement.place.wrong(
                "the subset has writes that return what they are given",
                "write it as in write(4, ..., 1000) = 1000",
            )
        return "write", result
    if name == "setsockopt":
        if len(words) > 3 and words[2] == "TCP_CONGESTION":
            settings.cc = _control(statement, words[3].strip('"[]'))
        elif len(words) < 3 or words[2] not in OPTIONS:
            raise statement.place.wrong(
                "this socket option is outside the subset",
                f"known are TCP_CONGESTION, {', '.join(OPTIONS)}",
            )
        return "ignored", 0
    if name in ("connect", "close"):
        return name, 0
    if name in IGNORED:
        return "ignored", 0
    raise statement.place.wrong(
        f"`{name}` is outside the subset",
        f"known are {', '.join((*IGNORED[:5], *WRITES, 'setsockopt', 'connect', 'close'))}",
    )


def shell(statement: Statement, settings: Settings) -> None:
    """A command in backquotes: `sysctl` of a few keys."""
    for command in re.split(r"[\n;]|&&", statement.text.strip("`")):
        said = command.strip()
        if not said:
            continue
        found = _SYSCTL.match(said)
        key, value = (found[1], found[2]) if found else ("", "")
        if key == "tcp_congestion_control":
            settings.cc = _control(statement, value)
        elif key in ("tcp_sack", "tcp_timestamps") and value in ("0", "1"):
            name = {"tcp_sack": "sack", "tcp_timestamps": "timestamps"}[key]
            settings.tcp[name] = "true" if value == "1" else "false"
        elif key == "tcp_ecn" and value in ("0", "1"):
            settings.tcp["ecn"] = "off" if value == "0" else "rfc3168"
        else:
            raise statement.place.wrong(
                f"`{said}` is outside the subset",
                "known are tcp_congestion_control, tcp_sack, tcp_timestamps and tcp_ecn of "
                "net.ipv4, with sysctl",
            )


def _control(statement: Statement, name: str) -> str:
    if name not in CONTROLS:
        raise statement.place.wrong(
            f"`{name}` is not a control of the subset", f"known are {', '.join(CONTROLS)}"
        )
    return CONTROLS[name]
