"""The kernel's own queues beside ours: equal in every packet where both are deterministic."""

from __future__ import annotations

import os

import dumbbell
import kernel_queues as cases
import pytest
from dumbbell.linux import kernels
from parts import kernel_cake
from parts.arrivals import columns


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    """Skips where none was built, unless DUMBBELL_REQUIRE has `linux`."""
    if kernels.current() is None:
        required = "linux" in os.environ.get("DUMBBELL_REQUIRE", "")
        (pytest.fail if required else pytest.skip)("no kernel: dumbbell linux build")


@pytest.mark.parametrize(
    ("case", "pattern"),
    [(case, pattern) for case in cases.EXACT for pattern in case.patterns],
    ids=lambda value: value if isinstance(value, str) else value.kind,
)
def test_every_packet_fares_alike(case: cases.Case, pattern: str) -> None:
    found = cases.compared(case, pattern)
    ours, _ = found.count("drop")
    assert found.first is None, (found.first, found.ours[found.first], found.kernel[found.first])
    assert (0 < ours < len(found.ours)) is case.drops, "the pattern fills the queue"


@pytest.mark.parametrize("case", cases.RANDOM, ids=lambda case: case.kind)
def test_chance_drops_as_many(case: cases.Case) -> None:
    (pattern,) = case.patterns
    ours = cases.drops(case, pattern, "sim", range(1, 31))
    kernel = cases.drops(case, pattern, "linux", range(1, 3))
    assert cases.distance(ours, kernel) < 3.5, (ours, kernel)


@pytest.mark.parametrize("what", cases.TIMED)
def test_netem_is_as_exact_as_the_kernels_timers(what: str) -> None:
    """Timers are late by less than 0.75 us, and a nanosecond is rounded here and there."""
    least, most = cases.lateness_ns(what)
    assert -256 <= least <= most < 1000


def test_a_class_of_htb_shapes_as_a_token_bucket() -> None:
    """Its bucket is a packet deeper; timers are late by less than 0.75 us."""
    (case,) = (case for case in cases.PARTED if case.kind == "htb")
    found = cases.compared(case, "overload")
    ours, kernel = found.count("drop")
    assert ours == pytest.approx(kernel, abs=5)
    pairs = zip(found.ours, found.kernel, strict=True)
    late = [b - a for (_, a), (_, b) in pairs if a is not None and b is not None]
    assert len(late) > 2000
    assert all(0 <= ps < 1_000_000 for ps in late)


@pytest.mark.parametrize("pattern", ["overload", "overload, ECN"])
def test_cake_signals_at_once_and_then_at_cobalts_gaps(pattern: str) -> None:
    found = cases.compared(cases.COBALT, pattern)
    ours, kernel = cases.signal_gaps(found.ours), cases.signal_gaps(found.kernel)
    first = next(i for i, (verdict, _) in enumerate(found.kernel) if verdict != "pass")
    # It left when it was signaled; of one that was dropped, the next did.
    instants = [left for _, left in found.kernel[first:] if left is not None]
    waited_ms = instants[0] / 1e9 - 0.9973 * first
    assert 5 < waited_ms < 8, "no interval passes before the first signal"
    far = [i for i, (a, b) in enumerate(zip(ours, kernel, strict=False)) if abs(a - b) > 1]
    assert len(far) < 4 < 280 < min(len(ours), len(kernel))


@pytest.mark.parametrize("kind", ["sfq", "fq_codel"])
@pytest.mark.parametrize("alone", [True, False])
def test_the_kernel_passes_an_empty_queue_by(kind: str, alone: bool) -> None:
    """Packet 1 finds an empty queue and a busy device. The kernel does not charge its flow for it,
    unless another packet waits already."""
    others = [] if alone else [(1000, 28, "not_ect", 8)]
    rows = [(0, 1500, "not_ect", 9), *others]
    rows += [(2000 + 1000 * i, 1500, "not_ect", flow) for i, flow in enumerate((0, 0, 0, 1))]
    extra = {"perturb": "0 s"} if kind == "sfq" else {}
    left = [
        dumbbell.drive(
            kind,
            {"limit": "100 pkt", "quantum": "1514 B"} | extra,
            arrivals=columns(rows),
            rate="10 Mbps",
            mtu="1500 B",
            on=on,
        ).column("left_ps")
        for on in ("sim", "linux")
    ]
    assert (left[0] == left[1]) is not alone


def test_a_packet_keeps_its_time_order_and_mark() -> None:
    """Four packets at once, of which the queue of two holds two beside the one that is sent."""
    arrivals = {"time_ps": [0, 0, 0, 0], "bytes": [1000, 28, 1500, 500], "ecn": "ce", "flow": 7}
    table = dumbbell.drive(
        "drop_tail",
        {"limit": "2 pkt"},
        arrivals=arrivals,
        rate="8 Mbps",
        delay="1 ms",
        on="linux",
    )
    assert table.column("verdict") == ["pass", "pass", "pass", "drop"]
    assert table.column("left_ps") == [1_000_000_000, 1_028_000_000, 2_528_000_000, None]
    assert table.column("arrived_ps")[0] == 2_000_000_000


@pytest.mark.parametrize(
    ("queue", "changed", "said"),
    [
        ("drop_tail", {"bytes": 27}, "arrival 0: the kernel gets no packet of 27 B"),
        ("drop_tail", {"bytes": 1501}, "arrival 0: the kernel gets no packet of 1501 B"),
        ("drop_tail", {"flow": 65536}, "arrival 0: 65536 is not a flow number here"),
        ("blue", {}, "known are drop_tail"),
    ],
)
def test_what_the_kernel_cannot_is_refused(queue: str, changed: dict[str, int], said: str) -> None:
    arrivals = {"time_ps": [0], "bytes": 1000} | changed
    with pytest.raises(dumbbell.ScenarioError, match=said):
        dumbbell.drive(queue, arrivals=arrivals, rate="8 Mbps", on="linux")


def test_words_of_tc_that_have_no_message_are_refused() -> None:
    arrivals = {"time_ps": [0], "bytes": 1000}
    with pytest.raises(dumbbell.ScenarioError, match="no message to the kernel is known for `hhf`"):
        dumbbell.drive("drop_tail", arrivals=arrivals, rate="8 Mbps", on="linux", tc=["hhf"])
    with pytest.raises(dumbbell.ScenarioError, match="`tc` is the kernel's queue"):
        dumbbell.drive("drop_tail", arrivals=arrivals, rate="8 Mbps", tc=["hhf"])


@pytest.mark.parametrize("what", kernel_cake.SHAPED)
def test_cakes_shaper_is_as_exact_as_the_kernels_timers(what: str) -> None:
    """Overhead, cells and codewords included: timers are late by less than 0.75 us."""
    least, most = kernel_cake.shaper_lateness_ns(what)
    assert -256 <= least <= most < 1000


@pytest.mark.parametrize("names", kernel_cake.TINS[:3], ids=", ".join)
def test_cakes_tins_share_as_the_kernels(names: tuple[str, ...]) -> None:
    assert kernel_cake.tin_counts(names, "sim") == kernel_cake.tin_counts(names, "linux")


def test_cakes_tins_borrow_otherwise_than_the_kernels() -> None:
    """What is left goes to the tins in proportion to their thresholds here, and to video there."""
    ours, kernel = (kernel_cake.tin_counts(("voice", "video"), on) for on in ("sim", "linux"))
    assert ours["voice"] == pytest.approx(500, abs=4)
    assert kernel["voice"] == pytest.approx(375, abs=4)
