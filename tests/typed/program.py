"""A user's program, as a type checker sees it. Lines that end in `# error: CODE` must be refused
with that code, all others must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dumbbell
from dumbbell import figures
from dumbbell.present import stats

scenario = dumbbell.Scenario(
    duration="10 s",
    dumbbell={"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    queue=dumbbell.Red(min_th="5 pkt", max_th="15 pkt", limit="50 pkt", gentle=True, max_p=0.1),
    flow=[{"cc": dumbbell.Newreno(), "count": 3}],
)
other: dumbbell.Scenario = scenario.with_({"queue": dumbbell.DropTail(victim="front")})

result = scenario.run(replications=2, record_every="100 ms", progress=True)
if isinstance(result, dumbbell.Result):
    flow: dumbbell.Flow = result.flows["s1"]
    total: float = sum(float(f.goodput_bps) for f in result.flows)
    interval: dumbbell.Interval = result.interval(lambda run: run.queues[0].utilization)
    early: float = float(result.queues[0].drops["early"])
    print(flow.name.upper(), total, interval.mean, early, flow.cc or "udp")
    times: list[float] = result.series("flows").numbers("time_s")
    table: dumbbell.Table = result.summary("queues")
    print(len(times), table.columns, result.flows[0:2])
    result.plot("queue", result).savefig("queue.png")
    shown = result.plot("cwnd", "queue", start="5 s")
    result.plot("cwn")  # error: call-overload
    result.flows["s1"].goodput_mbps  # error: attr-defined
    result.series("drops")  # error: arg-type
    result.flows["s1"].name + 1  # error: operator
    result.flows["s1"].srtt_mean_s + 1  # error: operator

sweep: dumbbell.Sweep = scenario.sweep(
    {"queue.limit": ["24 pkt", "48 pkt"]}, replications=2, threads=1
)
for changes, point in sweep:
    print(changes["queue.limit"], point.valid, point.fingerprint)
changed, last = sweep[-1]
limits: list[bool] = [point.valid for point in sweep.points]
print(changed["queue.limit"], last.valid, limits, last.summary("flows").to_polars().height)
sweep["queue.limit"]  # error: index
difference: dumbbell.Interval = stats.paired([1.0, 2.0], [0.5, 1.0])
figures.save(
    figures.over_sweep(sweep, "queue.limit", lambda r: r.interval(lambda run: 1.0), "y"), "figure"
)

dumbbell.Red(min_th=5)  # error: arg-type
dumbbell.Red(minth="5 pkt")  # error: call-arg
dumbbell.Red(gentle="yes")  # error: arg-type
dumbbell.Red(spacing="random")  # error: arg-type
dumbbell.Rde()  # error: attr-defined
scenario.run(replications="2")  # error: arg-type
scenario.run().flows  # error: union-attr
scenario.sweep({"queue.limit": ["24 pkt"]}, replicas=2)  # error: call-arg
dumbbell.Scenario(
    duration="10 s", name="ten", check=False, queue="red", flow=[{"count": 2}], profile="linux"
)
dumbbell.Scenario(duraton="10 s")  # error: call-arg
dumbbell.Scenario(duration=10)  # error: arg-type
dumbbell.Scenario(profile="windows")  # error: arg-type

built: dict[str, Any] = {"kind": "red"}
flows: list[dict[str, Any]] = [{"count": n} for n in (1, 2)]
dumbbell.Scenario(dumbbell={"bottleneck": built}, queue=built, flow=flows, cpu={"ring": "4 pkt"})
dumbbell.Scenario(
    dumbbell={"bottleneck": {"rate": "1 Mbps", "queue": "red"}},  # error: dict-item
)
dumbbell.Scenario(dumbbell={"botleneck": {"rate": "1 Mbps"}})  # error: dict-item
dumbbell.Scenario(dumbbell={"bottleneck": {"rat": "1 Mbps"}})  # error: dict-item
dumbbell.Scenario(dumbbell={"bottleneck": {"rate": 10}})  # error: dict-item
dumbbell.Scenario(queue={"kind": "red", "min_th": "5 pkt", "gentle": True, "limit": "9 pkt"})
dumbbell.Scenario(queue={"limit": "9 pkt"}, queue_reverse={"kind": "fq_codel"})
dumbbell.Scenario(queue={"kind": "red", "min_thr": "5 pkt"})  # error: dict-item
dumbbell.Scenario(queue={"kind": "red", "min_th": 5})  # error: dict-item
dumbbell.Scenario(queue={"kind": "codel", "min_th": "5 pkt"})  # error: dict-item
dumbbell.Scenario(queue={"kind": "rde"})  # error: dict-item
dumbbell.Scenario(flow=[{"cc": {"kind": "cubic"}, "rtt": "9 ms"}, {"source": {"kind": "bulk"}}])
dumbbell.Scenario(flow=[{"cc": {"kind": "cubic", "c": "9"}}])  # error: dict-item
dumbbell.Scenario(flow=[{"conditioner": [{"kind": "tbf", "rate": "1 Mbps", "in": "ef"}]}])
dumbbell.Scenario(flow=[{"conditioner": [{"kind": "tbf", "rat": "1 Mbps"}]}])  # error: dict-item
dumbbell.Scenario(session=[{"size": {"kind": "uniform", "min": "1 kB", "max": "9 kB"}}])
dumbbell.Scenario(session=[{"size": {"kind": "uniform", "mean": "1 kB"}}])  # error: dict-item

if TYPE_CHECKING:
    from dumbbell.algorithms import FlowKeys

    far: FlowKeys = {"rtt": "80 ms"}
    dumbbell.Scenario(flow=[far])
    near: FlowKeys = {"rrt": "80 ms"}  # error: typeddict-unknown-key
