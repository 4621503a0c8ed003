"""A scenario in the simulator and on a Linux kernel in virtual time: the first data packet on which
model and kernel diverge.

A kernel's instants differ from the model's by its own delays, which are far shorter than a packet's
transmission: so the packets of each flow are compared one by one in their order, by what they carry
and what became of them, and by the instant only beyond a tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ScenarioError
from ...present.units import plain_bytes, plain_rate
from ..why import samples
from ..why.finding import Sample
from ..why.journeys import PS
from .recorded_run import Side, names_result, of_scenario

if TYPE_CHECKING:
    import polars

EVERY = "10 ms"
"""Period of the samples of both senders."""
PACKETS = 2
"""The tolerance, in transmissions of a full packet at the slowest link of the flow's path."""
_LEAST_PS = PS // 10_000

SENT, LATE, FATE, MARK = "sent", "late", "fate", "marked"
"""What differs: which data are sent, when, whether and where they are dropped, whether marked."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """The packet in one of the places, and the last sample of its sender; None where there is
    none."""

    packet: Row | None
    sample: Sample | None


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first data packet that differs: of which flow, the how-manieth of its sender's data
    packets (from 1), what differs, when, and what each place has."""

    flow: str
    number: int
    kind: str
    time_ps: int
    within_ps: int
    """The tolerance of instants."""
    sim: View
    linux: View


@dataclass(frozen=True, slots=True)
class BothPlaces:
    """Both runs, the number of data packets that were compared, and where they diverge; None if
    they do not."""

    sim: Side
    linux: Side
    packets: int
    divergence: Divergence | None

    @property
    def alike(self) -> bool:
        """True if no data packet differs."""
        return self.divergence is None

    def as_dict(self) -> dict[str, Any]:
        """Tables, lists and numbers for JSON."""
        sides = {
            name: {"seed": side.seed, "fingerprint": side.fingerprint}
            for name, side in (("sim", self.sim), ("linux", self.linux))
        }
        found = None if self.divergence is None else asdict(self.divergence)
        return {"alike": self.alike, **sides, "packets": self.packets, "divergence": found}


def compare(
    scenario: str | Path,
    *,
    overrides: Sequence[str] = (),
    seed: int | None = None,
    use: Sequence[str] = (),
) -> BothPlaces:
    """Runs a scenario file in both places under the profile `linux`, and compares the data packets
    of all flows. Errors as of `dumbbell.run`; `EnvironmentLacks` if no kernel was built."""
    path = Path(scenario)
    if names_result(path):
        raise ScenarioError(f"{scenario} is a result: --on sim,linux runs a scenario file")
    wanted = [*overrides, "profile=linux", f"record.every={EVERY}"]
    linux = of_scenario(path, wanted, seed, use, "linux")
    return of_sides(of_scenario(path, wanted, seed, use), linux)


def of_sides(sim: Side, linux: Side) -> BothPlaces:
    """Compares a simulated run and one on a kernel."""
    found: list[Divergence] = []
    packets = 0
    for flow in sim.plan["flows"]:
        if flow.get("session") is None:
            ours, theirs = _data(sim, flow["name"]), _data(linux, flow["name"])
            packets += min(len(ours), len(theirs))
            first = min(_differences(sim, flow, ours, theirs), key=lambda d: d[2], default=None)
            found += [] if first is None else [_divergence(sim, linux, flow, first, ours, theirs)]
    return BothPlaces(sim, linux, packets, min(found, key=lambda d: d.time_ps, default=None))


_COLUMNS = (
    "packet",
    "sent_ps",
    "seq",
    "payload_bytes",
    "retransmit",
    "delivered_ps",
    "dropped_ps",
    "dropped_at",
    "reason",
    "ce_on_arrival",
)


def _data(side: Side, flow: str) -> list[Row]:
    """What a flow's sender sent of data, in order."""
    import polars as pl

    own = (pl.col("flow") == flow) & (pl.col("from") == "sender") & (pl.col("payload_bytes") > 0)
    return side.packets.filter(own).sort("packet").select(_COLUMNS).to_dicts()


Difference = tuple[int, str, int]
"""The place in the list of data packets, what differs, and when."""


def _differences(
    sim: Side, flow: Row, ours: Sequence[Row], theirs: Sequence[Row]
) -> Iterator[Difference]:
    """What differs, until the data packets themselves do; a fate may differ later than a following
    packet's instant."""
    within = tolerance_ps(sim.plan, flow)
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if any(a[key] != b[key] for key in ("seq", "payload_bytes", "retransmit")):
            yield i, SENT, min(a["sent_ps"], b["sent_ps"])
            return
        if abs(a["sent_ps"] - b["sent_ps"]) > within:
            yield i, LATE, min(a["sent_ps"], b["sent_ps"])
            return
        if (a["dropped_at"], a["reason"]) != (b["dropped_at"], b["reason"]):
            yield i, FATE, min(x["dropped_ps"] for x in (a, b) if x["dropped_ps"] is not None)
        elif bool(a["ce_on_arrival"]) != bool(b["ce_on_arrival"]):
            yield i, MARK, max(x["delivered_ps"] or 0 for x in (a, b))
    longer = max(ours, theirs, key=len)
    both = min(len(ours), len(theirs))
    if len(longer) > both and longer[both]["sent_ps"] + within < sim.end_ps:
        yield both, SENT, longer[both]["sent_ps"]


def tolerance_ps(plan: Row, flow: Row) -> int:
    """The tolerance of instants for a flow: transmissions of a full packet at its slowest link."""
    rates = [plain_rate(plan["links"][i].get("rate")) for i in flow["forward"]]
    mtus = [plain_bytes(plan["links"][i].get("mtu")) or 1500 for i in flow["forward"]]
    known = [rate for rate in rates if rate]
    if not known:
        return PS // 1000
    return max(_LEAST_PS, round(PACKETS * 8 * min(mtus) / min(known) * PS))


def _divergence(
    sim: Side,
    linux: Side,
    flow: Row,
    first: Difference,
    ours: Sequence[Row],
    theirs: Sequence[Row],
) -> Divergence:
    i, kind, time_ps = first

    def view(side: Side, packets: Sequence[Row]) -> View:
        packet = packets[i] if i < len(packets) else None
        return View(packet, samples.before(_of_flow(side.flows, flow["name"]), time_ps))

    within = tolerance_ps(sim.plan, flow)
    sides = (view(sim, ours), view(linux, theirs))
    return Divergence(flow["name"], i + 1, kind, time_ps, within, *sides)


def _of_flow(flows: polars.DataFrame | None, name: str) -> polars.DataFrame | None:
    return None if flows is None else flows.filter(flows["flow"] == name)
