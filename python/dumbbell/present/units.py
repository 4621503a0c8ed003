"""Reading and showing quantities with their units, for people: the simulator has its own exact
ones."""

from __future__ import annotations

import math
import re

from ..errors import ScenarioError

_SECONDS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024.0, "MiB": 1024.0**2}
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


def seconds(text: str) -> float:
    """A time of a plan (`"10 ms"`) in seconds."""
    match = re.fullmatch(rf"\s*({_NUMBER})\s*(\S+)\s*", text)
    if match is None or match[2] not in _SECONDS:
        raise ValueError(f"`{text}` is not a time")
    return float(match[1]) * _SECONDS[match[2]]


def instant(option: str, text: str | None) -> float | None:
    """A time that a user gave with its unit, in seconds; None if there is none. `ScenarioError`
    names the option."""
    if text is None:
        return None
    try:
        value = seconds(text)
    except ValueError:
        pass
    else:
        if not 0 <= value < math.inf:
            raise ScenarioError(
                f"{option} {text}: a time is {'not negative' if value < 0 else 'finite'}"
            )
        return value
    try:
        float(text)
    except ValueError:
        raise ScenarioError(
            f"{option} {text}: this is not a time; write it with its unit, as in {option} 12.4s"
        ) from None
    raise ScenarioError(
        f"{option} {text}: a time needs its unit: write {option} {text}s, or ms, us, ns, ps"
    )


def amount(value: object) -> tuple[float, str]:
    """A number, or a quantity, as its number and its unit: `"24 pkt"` is (24.0, "pkt")."""
    if isinstance(value, int | float):
        return float(value), ""
    match = re.fullmatch(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9]*)\s*", str(value))
    if match is None:
        raise ValueError(f"`{value}` is not a number with a unit")
    return float(match[1]), match[2]


def time_text(value: float) -> str:
    """Seconds in the unit that reads best: `24 ms`."""
    for scale, unit in TIMES:
        if abs(value) >= scale:
            return f"{significant(value / scale)} {unit}"
    return f"{significant(value / 1e-9)} ns" if value else "0 s"


def rate_about(text: str) -> str:
    """A rate of a plan (`"5992800 bps"`) as it reads best, to four digits: `5.993 Mbps`."""
    value = plain_rate(text)
    if value is None:
        raise ValueError(f"`{text}` is not a rate")
    scale, name = prefix(value)
    return f"{significant(value / scale)} {name}bps"


def prefix(value: float) -> tuple[float, str]:
    """The scale and the SI prefix in which `value` reads best: 17.2e6 gives (1e6, "M")."""
    return next(((scale, name) for scale, name in _PREFIXES if abs(value) >= scale), (1.0, ""))


def significant(value: float, digits: int = 4) -> str:
    """`value` with `digits` significant digits, without an exponent and without trailing zeros."""
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text:
        text = f"{float(text):.{digits + 12}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain_rate(text: object) -> float | None:
    """A rate of a plan (`"10 Mbps"`) in bit/s; None if it is none."""
    match = re.fullmatch(rf"\s*({_NUMBER})\s*([kMGT]?)bps\s*", str(text))
    return (
        None
        if match is None
        else float(match[1]) * {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[match[2]]
    )


def plain_bytes(text: object) -> float | None:
    """A size of a plan (`"1.46 kB"`) in bytes; None if it is none."""
    match = re.fullmatch(rf"\s*({_NUMBER})\s*(\w+)\s*", str(text))
    return float(match[1]) * BYTES[match[2]] if match and match[2] in BYTES else None


def plain_packets(text: object) -> float:
    """A number of packets of a plan (`"10 pkt"`)."""
    match = re.fullmatch(rf"\s*({_NUMBER})\s*(?:pkts?|packets?)\s*", str(text))
    if match is None:
        raise ValueError(f"`{text}` is not a number of packets")
    return float(match[1])
