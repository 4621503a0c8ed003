"""TCP packets as packetdrill writes them: flags, sequence range, acknowledgment, window,
options."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .statements import Statement

FIX = "write a packet as in `> P. 1:1001(1000) ack 1` or `< . 1:1(0) ack 1001 win 257`"
_ECN = {"noecn": "not-ect", "ect0": "ect0", "ect1": "ect1", "ce": "ce"}
_PACKET = re.compile(
    r"[<>]\s+(?:\[(?P<ecn>\w+)\]\s+)?(?P<flags>[SFPREWA.]+|-)"
    r"\s+(?P<from>\d+):(?P<to>\d+)\((?P<bytes>\d+)\)"
    r"(?:\s+ack\s+(?P<ack>\d+))?(?:\s+win\s+(?P<win>\d+))?(?:\s*<(?P<options>[^>]*)>)?\s*$"
)


@dataclass(frozen=True, slots=True)
class Options:
    """TCP options that were written. `any` stands for `<...>`."""

    any: bool = False
    mss: int | None = None
    wscale: int | None = None
    sack_ok: bool = False
    timestamps: bool = False
    sack: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet of a script."""

    flags: str
    start: int
    end: int
    ack: int | None
    win: int | None
    ecn: str | None
    options: Options = field(default_factory=Options)

    @property
    def bytes(self) -> int:
        """Payload."""
        return self.end - self.start


def read(statement: Statement) -> Packet:
    """The packet of a statement. `ScenarioError` with its place."""
    found = _PACKET.match(statement.text)
    if found is None:
        raise statement.place.wrong("this is not a TCP packet of the subset", FIX)
    start, end, count = (int(found[name]) for name in ("from", "to", "bytes"))
    if end - start != count:
        raise statement.at(found.start("from")).wrong(
            f"{start}:{end} has {end - start} bytes, not {count}",
            f"write {start}:{end}({end - start})",
        )
    if "R" in found["flags"]:
        raise statement.at(found.start("flags")).wrong(
            "resets are outside the subset", "leave the reset out"
        )
    ecn = found["ecn"]
    if ecn is not None and ecn not in _ECN:
        raise statement.at(found.start("ecn")).wrong(
            f"`{ecn}` is not an ECN field", "write [noecn], [ect0], [ect1] or [ce]"
        )
    return Packet(
        flags=found["flags"],
        start=start,
        end=end,
        ack=int(found["ack"]) if found["ack"] else None,
        win=int(found["win"]) if found["win"] else None,
        ecn=None if ecn is None else _ECN[ecn],
        options=_options(statement, found),
    )


def _options(statement: Statement, found: re.Match[str]) -> Options:
    text = found["options"]
    if text is None:
        return Options()
    if text.strip() == "...":
        return Options(any=True)
    known: dict[str, object] = {}
    blocks: list[tuple[int, int]] = []
    offset = found.start("options")
    for part in text.split(","):
        said = part.strip()
        words = said.split()
        if re.fullmatch(r"mss \d+", said):
            known["mss"] = int(words[1])
        elif re.fullmatch(r"wscale \d+", said):
            known["wscale"] = int(words[1])
        elif said == "sackOK":
            known["sack_ok"] = True
        elif re.fullmatch(r"TS val \d+ ecr \d+", said):
            known["timestamps"] = True
        elif re.fullmatch(r"sack( \d+:\d+)+", said):
            blocks += [(int(a), int(b)) for a, b in (word.split(":") for word in words[1:])]
        elif said not in ("nop", "eol"):
            raise statement.at(offset + len(part) - len(part.lstrip())).wrong(
                f"`{said}` is not an option of the subset",
                "known are mss, wscale, sackOK, TS val N ecr N, sack, nop, eol",
            )
        offset += len(part) + 1
    return Options(sack=tuple(blocks), **known)  # type: ignore[arg-type]
