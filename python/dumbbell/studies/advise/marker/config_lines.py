"""The configuration: lines of a scenario, and what Linux's `tc` can say of them."""

from __future__ import annotations

from ....language import overrides
from .network import conditioner
from .question import Question

WHY_NO_BUFFER = (
    "Linux has no data buffer for a marker: no qdisc or action holds a packet until a token "
    "arrives, and sends it as OUT if the buffer is full. The qdisc tbf holds packets, but drops "
    "those that do not fit, so that customers cannot use spare bandwidth."
)
_MOST_BURST = 2**32 - 1
_AF11, _AF12 = 0x28, 0x30
"""The DS field of AF11 and AF12 (RFC 2597), ECN bits 0."""


def scenario(question: Question, size: int, burst_bytes: int) -> str:
    """The marker at the edge router of a dumbbell, and the reservation of the flow that it marks
    for."""
    table = conditioner(size, burst_bytes, question.packet_bytes)
    words = ", ".join(f"{key} = {overrides.toml(value)}" for key, value in table.items())
    return (
        f"[dumbbell.bottleneck]\nconditioner = {{ {words} }}\n\n"
        f'[[flow]]\nname = "customer"\nreserved = "{question.rate_bps / 1e6:.12g} Mbps"\n'
        f'rtt = "{question.rtt_s * 1e3:.12g} ms"\n'
    )


def tc(question: Question, burst_bytes: int, dev: str) -> list[str]:
    """The token bucket alone on a device of the edge that only this customer's packets leave by:
    everything becomes AF12, and what conforms AF11 (tc-police(8), tc-pedit(8), tc-csum(8)). No line
    where the bucket is beyond tc's 32 bits of bytes."""
    if burst_bytes > _MOST_BURST:
        return []
    rate = f"{question.rate_bps:.0f}bit"
    mark = "action pedit ex munge ip dsfield set {:#04x} retain 0xfc pipe action csum ip4h"
    police = f"action police rate {rate} burst {burst_bytes} conform-exceed ok/pipe"
    return [
        f"tc qdisc replace dev {dev} clsact",
        f"tc filter add dev {dev} egress protocol ip prio 1 matchall {mark.format(_AF12)} pipe "
        f"{police} {mark.format(_AF11)}",
    ]


def tc_notes(question: Question) -> list[str]:
    """Notes on these lines."""
    return [
        WHY_NO_BUFFER
        + " The lines configure the token bucket alone, with the deepest bucket that the "
        "contract allows.",
        "With segmentation offload (TSO, GSO, GRO), the policer sees packets of up to 64 kB, "
        f"which never conform to a bucket of a few times {question.packet_bytes} bytes. Turn the "
        "offloads off, or use a burst of 64 kB.",
        "tc also counts the Ethernet header, 14 bytes per packet. IPv6 needs its own line "
        "(`protocol ipv6`, `ip6 traffic_class`).",
    ]
