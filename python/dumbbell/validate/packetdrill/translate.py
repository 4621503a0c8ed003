"""A packetdrill script as a script of Dumbbell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from . import asserts, calls, packets
from .packets import Options, Packet
from .statements import Place, Statement, read

TOLERANCE_S = 0.004
"""How much earlier or later a packet may leave, as packetdrill's default."""


@dataclass(frozen=True, slots=True)
class Translated:
    """The text, and the place in the packetdrill script of each of its lines."""

    text: str
    places: Sequence[Place]


@dataclass(slots=True)
class _Script:
    """What is known so far."""

    settings: calls.Settings = field(default_factory=calls.Settings)
    lines: list[tuple[Place, str]] = field(default_factory=list)
    peer: Options | None = None
    own: Options | None = None
    active: bool = False
    start: float = 0.0
    open: bool = False
    wscale: int = 0
    ecn: bool = False
    mss: int = 536
    sent: int = 1

    def add(self, statement: Statement, text: str, tolerance: float | None = None) -> None:
        middle = (statement.early + statement.late) / 2 - self.start
        time = f"{middle:.9g}"
        if tolerance is not None:
            half = max(tolerance, (statement.late - statement.early) / 2)
            time += f"~{half * 1e6:.6g}us"
        self.lines.append((statement.place, f"{time} {text}"))


def translate(text: str, file: str) -> Translated:
    """The translation. `ScenarioError` with line and column for what is outside the subset."""
    statements = read(text, file)
    script = _Script()
    for statement in statements:
        _one(script, statement)
    if not script.open:
        place = statements[-1].place if statements else Place(file, 1, 1)
        raise place.wrong("no connection is opened", "write a handshake first")
    last = statements[-1]
    script.lines.append((last.place, "> any"))
    places = [last.place, *(place for place, _ in script.lines)]
    lines = [_setup(script), *(line for _, line in script.lines)]
    return Translated("\n".join(lines) + "\n", places)


def _setup(script: _Script) -> str:
    words = ["sender"]
    peer = script.peer or Options()
    sack = peer.sack_ok and script.settings.tcp.get("sack") != "false"
    stamps = peer.timestamps and script.settings.tcp.get("timestamps") != "false"
    control = script.settings.cc or "sack"
    words.append(f"cc={'newreno' if control == 'sack' and not sack else control}")
    words += [f"mss={script.mss}B", f"sack={str(sack).lower()}"]
    words.append(f"timestamps={str(stamps).lower()}")
    if "ecn" in script.settings.tcp:
        words.append(f"ecn={script.settings.tcp['ecn']}")
    words.append("handshake=true")
    return " ".join(words)


def _one(script: _Script, statement: Statement) -> None:
    if statement.kind == "call":
        name, size = calls.read(statement, script.settings)
        if name == "write":
            script.add(statement, f"write {size} B")
        elif name == "close" and script.open:
            script.add(statement, "close")
        elif name == "connect":
            script.active, script.start = True, statement.early
    elif statement.kind == "shell":
        calls.shell(statement, script.settings)
    elif statement.kind == "python":
        for claim in asserts.claims(statement):
            script.add(statement, f"? {claim}")
    else:
        packet = packets.read(statement)
        if not script.open:
            _handshake(script, statement, packet)
        elif statement.kind == "in":
            _arrives(script, statement, packet)
        else:
            _leaves(script, statement, packet)


def _handshake(script: _Script, statement: Statement, packet: Packet) -> None:
    """A packet before the connection is open. A passive open becomes an active one with the same
    options and the same round trip: the SYN leaves when the SYN-ACK did, and the SYN-ACK arrives
    when the acknowledgment did."""
    options = packet.options
    if statement.kind == "in" and "S" in packet.flags:
        script.peer = options
        script.mss = options.mss or 536
        script.wscale = options.wscale or 0
        if script.active:
            script.add(statement, _syn_ack(options, script.mss, packet.win, "E" in packet.flags))
    elif statement.kind == "out" and "S" in packet.flags:
        script.own = options
        if not script.active:
            script.start, script.ecn = statement.early, "E" in packet.flags
        script.add(statement, "> SYN", TOLERANCE_S)
    elif script.active and statement.kind == "out" and packet.bytes == 0 and script.peer:
        script.add(statement, "> ack 1", TOLERANCE_S)
        script.open = True
    elif not script.active and statement.kind == "in" and script.own and packet.ack == 1:
        script.open = True
        window = None if packet.win is None else packet.win << script.wscale
        peer = script.peer or Options()
        script.add(statement, _syn_ack(peer, script.mss, window, script.ecn))
        script.add(statement, "> ack 1", TOLERANCE_S)
    else:
        raise statement.place.wrong(
            "this packet does not belong to a handshake",
            "write `< S`, `> S.`, `< .` of a passive open, or connect, `> S`, `< S.`, `> .`",
        )


def _syn_ack(options: Options, mss: int, window: int | None, ecn: bool) -> str:
    said = ["ECE"] if ecn else []
    said += [f"mss {mss}", f"sackok {str(options.sack_ok).lower()}"]
    said.append(f"tsok {str(options.timestamps).lower()}")
    if options.wscale is not None:
        said.append(f"wscale {options.wscale}")
    if window is not None:
        said.append(f"win {window}")
    return f"< SYN-ACK {' '.join(said)}"


def _arrives(script: _Script, statement: Statement, packet: Packet) -> None:
    if packet.bytes or set(packet.flags) & set("SF"):
        raise statement.place.wrong(
            "data arrive, but the subset tests senders", "leave data of the other end out"
        )
    if packet.ack is None:
        raise statement.place.wrong("there is no acknowledgment", "write ack 1001")
    words = [f"ack {packet.ack}"]
    if "E" in packet.flags:
        words.append("ECE")
    if packet.options.sack:
        words.append("sack " + " ".join(f"{a}:{b}" for a, b in packet.options.sack))
    if packet.win is not None:
        words.append(f"win {packet.win << script.wscale}")
    script.add(statement, "< " + " ".join(words))


def _leaves(script: _Script, statement: Statement, packet: Packet) -> None:
    fin = "F" in packet.flags
    if not packet.bytes and not fin:
        raise statement.place.wrong(
            "the end that is tested receives no data and acknowledges nothing",
            "leave pure acknowledgments out",
        )
    items = list(_segments(script, packet)) or ["FIN"]
    if fin and packet.bytes:
        items[-1] += " FIN"
    if "W" in packet.flags:
        items[0] += " CWR"
    if packet.ecn is not None:
        items = [f"{item} {packet.ecn}" for item in items]
    script.add(statement, "> " + ", ".join(items), TOLERANCE_S)
    script.sent = max(script.sent, packet.end)


def _segments(script: _Script, packet: Packet) -> Iterator[str]:
    """The full segments that a packet stands for, as a kernel hands several to its device at
    once."""
    stamps = (script.peer or Options()).timestamps
    size = script.mss - (12 if stamps and script.settings.tcp.get("timestamps") != "false" else 0)
    for start in range(packet.start, packet.end, size):
        end = min(start + size, packet.end)
        yield f"{start}:{end}" + (" again" if start < script.sent else "")
