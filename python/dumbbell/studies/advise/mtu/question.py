"""The path of an MTU question, as the command line spells it:
`--rate 10Gbps --rtt 40ms --loss 1e-5`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....catalogue import kinds
from ....language.arguments import refused
from ....present.units import time_text
from ..words import PROFILES, known, one_of, rate_text, read_bytes, read_rate, read_span, read_time
from . import host, sizes
from .host import Host

BUDGET_S = 60.0
KINDS = ("packet", "bit")
MOST_LOSS = 0.1
"""Beyond it TCP waits for timeouts, whatever its packets are."""
LEAST_RATE, MOST_RATE = 100e3, 400e9
MOST_WAIT_S = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The link's rate [bit/s], the round-trip time without queues [s]; the share of Ethernet's
    standard frames that is lost, and whether that is the same for all sizes (`packet`) or follows
    from a bit error rate (`bit`); the congestion control and its TCP, the profile of a scenario;
    the MTUs to try [bytes], and whether they were given; how long a neighbor's packet may wait for
    one frame [s]; what a packet costs the host; the datagram that may be fragmented [bytes of
    payload]."""

    rate_bps: float
    rtt_s: float
    loss_share: float
    loss_kind: str = "packet"
    cc: str = "cubic"
    profile: str = "linux"
    mtus: tuple[int, ...] = sizes.USUAL
    most_wait_s: float = MOST_WAIT_S
    host: Host
    datagram_bytes: int = 8192

    def text(self) -> str:
        """In a sentence."""
        lost = (
            "no random loss"
            if not self.loss_share
            else f"a loss of {100 * self.loss_share:.3g} % of {self.lost}"
        )
        return f"{rate_text(self.rate_bps)} at {time_text(self.rtt_s)} with {lost}, {self.cc}"

    @property
    def lost(self) -> str:
        """The base of the loss share."""
        return "packets" if self.loss_kind == "packet" else "frames of 1518 bytes, with bit errors"


def read(
    rate: str,
    rtt: str,
    loss: str,
    loss_kind: str = "packet",
    cc: str = "cubic",
    profile: str = "linux",
    mtus: Sequence[int] = (),
    most_wait: str | None = None,
    datagram: str | None = None,
    cpu: Host | None = None,
) -> Question:
    """The question in these words. `ScenarioError` underlines what is wrong, and says what to
    write."""
    wide = one_of(
        "--rate",
        rate,
        read_rate,
        "10Gbps",
        (LEAST_RATE, MOST_RATE),
        "write a rate from 100kbps to 400Gbps",
    )
    far = one_of("--rtt", rtt, read_time, "40ms", (10e-6, 10.0), "write a time from 10us to 10s")
    for size in mtus:
        if not sizes.LEAST <= size <= sizes.MOST:
            said = f"write a size from {sizes.LEAST} to {sizes.MOST} bytes"
            raise refused(
                f"--mtu {size}",
                size,
                "an IPv4 packet cannot be that long"
                if size > sizes.MOST
                else "calls and TCP would not fit",
                said,
            )
    return Question(
        rate_bps=wide,
        rtt_s=far,
        loss_share=_share(loss),
        loss_kind=known("--loss-kind", loss_kind, KINDS),
        cc=known("--cc", cc, kinds()["cc"]),
        profile=known("--profile", profile, PROFILES),
        mtus=tuple(sorted(set(mtus))) or sizes.USUAL,
        most_wait_s=MOST_WAIT_S
        if most_wait is None
        else read_span("--most-wait", most_wait, "1ms"),
        host=cpu or host.read(),
        datagram_bytes=8192 if datagram is None else _bytes(datagram),
    )


def _share(text: str) -> float:
    """A loss as a share: `1e-5`, `0.001%`."""
    line, fix = (
        f"--loss {text}",
        "write the lost share of 1500-byte packets, as in --loss 1e-5 or --loss 0.001%",
    )
    found = re.fullmatch(r"([0-9.]+(?:[eE][+-]?[0-9]+)?|[+-].*)\s*(%?)", text.strip())
    try:
        value = float(found[1]) / (100 if found[2] else 1) if found else None
    except ValueError:
        value = None
    if value is None:
        raise refused(line, text, "this is not a number", fix)
    if value < 0:
        raise refused(line, text, "a share cannot be less than 0", fix)
    if value > 1:
        raise refused(line, text, f"this would be {100 * value:.4g} % of the packets", fix)
    if value > MOST_LOSS:
        raise refused(line, text, "with more than a tenth lost, TCP only waits for timeouts", fix)
    return value


def _bytes(text: str) -> int:
    return read_bytes(
        "--datagram",
        text,
        "write bytes of payload, as in --datagram 8192B",
        (1, sizes.LONGEST_DATAGRAM),
        "there is no such UDP datagram",
        f"write a size from 1B to {sizes.LONGEST_DATAGRAM}B",
    )
