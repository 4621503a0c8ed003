"""Algorithms of a user's own: they decide as the catalogue's, are named everywhere, and see what is
there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import dumbbell
import pytest
from dumbbell import api
from dumbbell.errors import ScenarioError
from helpers.plugin_examples import PaperRed, PlainTail, Reno5681
from helpers.plugins import ARRIVE, HALF_FULL, NET, TOML, body, dumbbell_command, run

# As the catalogue's
# ----------------------------------------------------------------------------------------------


def test_drop_tail_in_python_has_the_catalogues_history() -> None:
    plain = run(queue=dumbbell.DropTail(limit="12 pkt"))
    mine = run(queue=PlainTail(limit="12 pkt"))
    assert plain["queues"][0]["drops"]["overflow"] > 20
    assert mine["fingerprint"] == plain["fingerprint"]
    assert mine["queues"][0] == {**plain["queues"][0], "kind": "plain_tail"}


def test_a_victim_at_the_front_comes_to_the_same_history() -> None:
    plain = run(queue=dumbbell.DropTail(limit="12 kB", victim="front"))
    assert plain["queues"][0]["drops"]["evicted"] + plain["queues"][0]["drops"]["overflow"] > 20
    assert (
        run(queue=PlainTail(limit="12 kB", victim="front"))["fingerprint"] == plain["fingerprint"]
    )


def test_a_window_in_python_has_the_catalogues_history() -> None:
    for profile in ("ns2", "rfc"):
        small = {"profile": profile, "duration": "20 s", "queue": {"limit": "10 pkt"}}
        plain = run(flow=[{"cc": "newreno", "count": 3}], **small)
        mine = run(flow=[{"cc": Reno5681(), "count": 3}], **small)
        assert sum(flow["retransmits"] for flow in plain["flows"]) > 10
        assert mine["fingerprint"] == plain["fingerprint"]


def test_chance_repeats_and_belongs_to_the_seed() -> None:
    scenario = dumbbell.Scenario({**NET, "queue": PaperRed(limit="30 pkt", w_q=0.02)})
    prints = [scenario.run(seed=seed).json["fingerprint"] for seed in (1, 1, 2)]
    assert prints[0] == prints[1] != prints[2]


class Halving(dumbbell.CongestionControl):
    """A segment more for each window of acknowledgments, half as much after a loss."""

    def on_ack(self, ack: Any, orders: Any) -> None:
        self.cwnd += self.mss * min(ack.acked, self.mss) / self.cwnd

    def on_congestion(self, event: Any, orders: Any) -> None:
        self.cwnd = max(self.cwnd / 2, self.mss)


class Starting(Halving):
    """The same with a start of its own."""

    def start(self, path: Any) -> None:
        assert self.cwnd == path.initial_window > 0
        assert (self.path, self.mss, self.ssthresh) == (path, path.mss, path.initial_ssthresh)


def test_a_start_of_ones_own_need_not_set_the_window() -> None:
    plain, starting = (run(flow=[{"cc": cc, "count": 3}]) for cc in (Halving(), Starting()))
    assert plain["flows"][0]["sent_packets"] > 100
    assert starting["fingerprint"] == plain["fingerprint"]


class Signals(dumbbell.Aqm):
    """Signals every packet of a long queue."""

    ecn: bool = dumbbell.parameter(False, "Whether packets are marked.")
    how: str = dumbbell.parameter("signal", "The verdict.")

    def arrive(self, cx: Any, queue: Any, packet: Any, fits: bool) -> Any:
        return (
            {"signal": dumbbell.SIGNAL, "mark": dumbbell.MARK}[self.how]
            if queue.packets > 5
            else dumbbell.PASS
        )


def test_nothing_is_marked_while_the_parameter_ecn_is_off() -> None:
    def told(ecn: bool, how: str) -> tuple[bool, bool]:
        flows = [{"cc": "newreno", "count": 3, "tcp": {"ecn": "rfc3168"}}]
        queue = run(queue=Signals(limit="30 pkt", ecn=ecn, how=how), flow=flows)["queues"][0]
        return queue["marks"] > 0, queue["drops"]["early"] > 0

    assert told(True, "signal")[0]
    assert told(False, "signal") == (False, True)
    assert told(False, "mark") == (False, False)


# Named everywhere
# -------------------------------------------------------------------------------------------------


def test_a_scenario_uses_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "mine.py").write_text(HALF_FULL)
    (tmp_path / "below" / "base.toml").write_text('use = ["mine.py"]\n' + TOML)
    (tmp_path / "top.toml").write_text(
        'extends = "below/base.toml"\nqueue = { kind = "half_full", limit = "20 pkt", p = 0.5 }\n'
    )
    for folder in (tmp_path, tmp_path / "below"):
        done = dumbbell_command("run", str(tmp_path / "top.toml"), "--json", cwd=folder)
        assert done.returncode == 0, done.stderr
        queue = json.loads(done.stdout)["queues"][0]
        assert queue["kind"] == "half_full"
        assert queue["drops"]["early"] > 0
    named = dumbbell_command("check", "top.toml", "-s", "queue.q=1", cwd=tmp_path)
    assert named.returncode == 2
    assert "there is no parameter `q` in half_full" in named.stderr
    beyond = dumbbell_command("check", "top.toml", "-s", "queue.p=2", cwd=tmp_path)
    assert "it must be at least 0 and at most 1" in beyond.stderr


def test_a_file_is_brought_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HALF_FULL)
    (tmp_path / "s.toml").write_text('queue = { kind = "half_full", limit = "20 pkt" }\n' + TOML)
    without = dumbbell_command("run", "s.toml", cwd=tmp_path)
    assert without.returncode == 2
    assert "there is no queue named `half_full`" in without.stderr
    assert dumbbell_command("run", "s.toml", "--use", "mine.py", cwd=tmp_path).returncode == 0
    near = dumbbell_command(
        "check", "s.toml", "--use", "mine.py", "-s", "queue=half_ful", cwd=tmp_path
    )
    assert "did you mean `half_full`?" in near.stderr
    listed = dumbbell_command("list", "--use", "mine.py", cwd=tmp_path).stdout
    assert "(Python, slow: mine.py)" in listed
    assert (
        "half_full"
        in json.loads(dumbbell_command("list", "--json", "--use", "mine.py", cwd=tmp_path).stdout)[
            "aqm"
        ]
    )
    page = dumbbell_command("explain", "half_full", "--use", "mine.py", cwd=tmp_path).stdout
    assert "The probability of a drop." in page
    assert "Written in Python: mine.py" in page
    schema = json.loads(dumbbell_command("schema", "--use", "mine.py", cwd=tmp_path).stdout)
    assert {"$ref": "#/$defs/queue.half_full"} in schema["$defs"]["queue"]["anyOf"]
    assert schema["$defs"]["queue.half_full"]["properties"]["p"]["maximum"] == 1
    assert "half_full" not in json.dumps(api.schema())


def test_quantities_have_units_and_may_follow_the_limit(tmp_path: Path) -> None:
    def config(**parameters: Any) -> Any:
        scenario = dumbbell.Scenario({**NET, "queue": PaperRed(limit="36 pkt", **parameters)})
        links = scenario.check()[0]["plan"]["links"]
        return next(link["aqm"]["config"] for link in links if link["aqm"]["kind"] == "paper_red")

    assert config()["min_th"] == "5 pkt"
    assert config(min_th="limit / 6", max_th="limit / 2") == {
        **config(),
        "min_th": "6 pkt",
        "max_th": "18 pkt",
    }
    with pytest.raises(ScenarioError, match="needs its unit"):
        config(min_th=3)
    with pytest.raises(ScenarioError, match="it is below min_th") as raised:
        config(min_th="20 pkt")
    assert raised.value.detail["problems"][0]["key"] == "queue.max_th"
    with pytest.raises(TypeError, match="PaperRed has no parameter `min_thh`; there are min_th"):
        PaperRed(min_thh=3)


def test_a_plan_carries_the_hash_of_the_source(tmp_path: Path) -> None:
    def planned(source: str, **queue: Any) -> dict[str, Any]:
        file = tmp_path / "mine.py"
        file.write_text(source)
        value = {
            **NET,
            "use": [str(file)],
            "queue": {"kind": "half_full", "limit": "20 pkt", **queue},
        }
        return api.plan(api.request({"value": value, "name": "s"}))["points"][0]

    first, again = planned(HALF_FULL), planned(HALF_FULL)
    edited = planned(HALF_FULL.replace("> 0.5", "> 0.3"))
    assert first["plan_hash"] == again["plan_hash"] != edited["plan_hash"]
    specs = [link["aqm"] for link in first["plan"]["links"]]
    assert [len(s["source_hash"]) for s in specs if s["kind"] == "half_full"] == [16]
    assert all("source_hash" not in s for s in specs if s["kind"] != "half_full")
    assert planned(HALF_FULL, p=0.1)["plan_hash"] == first["plan_hash"]


def test_classes_without_a_file_have_a_hash_of_their_code() -> None:
    def made(threshold: int) -> type[dumbbell.Aqm]:
        space: dict[str, Any] = {"__name__": "prompt"}
        lines = f"return PASS if queue.packets < {threshold} else drop()"
        exec(body(f"{ARRIVE}    {lines}"), space)
        return space["Mine"]

    from dumbbell.plugins.describe import source_hash

    assert source_hash(made(3)) == source_hash(made(3)) != source_hash(made(4))
    assert run(queue=made(3)(limit="20 pkt"))["queues"][0]["drops"]["early"] > 0


def test_an_imported_class_has_the_hash_of_what_was_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    from dumbbell.plugins.describe import source_hash
    from dumbbell.plugins.load import classes

    (tmp_path / "imported_one.py").write_text(HALF_FULL)
    monkeypatch.syspath_prepend(tmp_path)
    first = importlib.import_module("imported_one").HalfFull
    assert source_hash(first) == source_hash(classes(tmp_path / "imported_one.py")[0])
    (tmp_path / "imported_one.py").write_text(HALF_FULL.replace("> 0.5", "> 0.25"))
    assert source_hash(first) != source_hash(classes(tmp_path / "imported_one.py")[0])


# What an algorithm sees
# -------------------------------------------------------------------------------------------


class Looking(dumbbell.Aqm):
    """Keeps its own account of a held queue and compares it with what it is shown."""

    needs = "held"
    calls: ClassVar[dict[str, int]] = {}

    def start(self, link: Any) -> None:
        self.mine: list[tuple[int, int]] = []
        self.ticks = 0
        assert (link.rate, link.packets, link.bytes, link.mtu, link.delay) == (
            1_000_000,
            8,
            None,
            1500,
            0.01,
        )

    def count(self, hook: str) -> None:
        self.calls[hook] = self.calls.get(hook, 0) + 1

    def look(self, queue: Any) -> None:
        seen = [queue.meta(slot) for slot in range(queue.waiting)]
        assert [(p.flow, p.ip_len) for p in seen] == self.mine
        assert queue.meta(queue.waiting) is None
        assert queue.packets == len(self.mine) == 8 * queue.fullness
        assert queue.bytes == sum(size for _, size in self.mine)
        marked = sum(p.ecn == "ce" for p in seen)
        self.calls["marked"] = max(self.calls.get("marked", 0), marked)

    def arrive(self, cx: Any, queue: Any, packet: Any, fits: bool) -> Any:
        self.count("arrive")
        self.arrived = ((cx.now, packet.flow, packet.ip_len), fits)
        assert cx.now_ps == round(cx.now * 1e12)
        assert fits == (queue.packets < 8)
        assert cx.flows.get(packet.flow) == (None, None, None)
        self.look(queue)
        if queue.waiting > 2 and cx.rng.coin(0.1):
            self.out = (cx.rng.below(queue.waiting), packet.flow)
            return dumbbell.evict(self.out[0], arrival_too=cx.rng.coin(0.5))
        return dumbbell.mark() if cx.rng.coin(0.3) else dumbbell.PASS

    def make_room(self, cx: Any, queue: Any, packet: Any) -> int | None:
        self.count("make_room")
        self.look(queue)
        if cx.rng.coin(0.2):
            return None
        self.out = (queue.waiting - 1, packet.flow)
        return self.out[0]

    def overflowed(self, cx: Any, limit: str) -> None:
        self.count(f"overflowed {limit}")
        assert self.arrived[1] is False

    def admitted(self, packet: Any) -> None:
        self.count("admitted")
        self.mine.append((packet.flow, packet.ip_len))

    def refused(self, cx: Any, packet: Any, why: str) -> None:
        self.count(f"refused {why}")
        assert self.arrived[0] == (cx.now, packet.flow, packet.ip_len)

    def depart(self, cx: Any, queue: Any, packet: Any, sojourn: float) -> Any:
        self.count("depart")
        assert (packet.flow, packet.ip_len) == self.mine.pop(0)
        assert 0 <= sojourn <= cx.now
        self.look(queue)
        return dumbbell.drop("head") if cx.rng.coin(0.05) else dumbbell.PASS

    def gone(self, packet: Any, how: str) -> None:
        self.count(how)
        if how == "evicted":
            assert (packet.flow, packet.ip_len) == self.mine.pop(self.out[0])

    def idle(self, cx: Any) -> None:
        self.count("idle")
        assert self.mine == []

    def tick(self, cx: Any, queue: Any) -> float:
        self.count("tick")
        self.look(queue)
        assert cx.now == pytest.approx(0.05 * self.ticks)
        self.ticks += 1
        return 0.05

    def probe(self) -> dict[str, float]:
        self.count("probe")
        return {"mine": float(len(self.mine))}


def test_every_hook_sees_what_is_there() -> None:
    import random

    from dumbbell.validate.strategies import Arrival, drive

    rng, Looking.calls = random.Random(1), {}
    trace = [
        Arrival(
            rng.choice((0.0, 0.001, 0.006)),
            rng.randint(40, 1500),
            rng.randrange(4),
            rng.choice(("not_ect", "ect0")),
        )
        for _ in range(1500)
    ]
    fates = drive(Looking(limit="8 pkt"), [*trace, Arrival(2.0, 1000)])
    assert len(fates) == 1501
    whys = {fate.why for fate in fates}
    assert {"evicted", "head", None} <= whys
    hooks = {
        "arrive",
        "overflowed own",
        "make_room",
        "admitted",
        "refused overflow",
        "refused evicted",
        "depart",
        "sent",
        "head_drop",
        "evicted",
        "idle",
        "tick",
        "probe",
    }
    assert {hook for hook in hooks if Looking.calls.get(hook, 0) < 2} == set()
    assert Looking.calls["marked"] > 0


class Asking(dumbbell.CongestionControl):
    """Uses everything that a connection offers."""

    recovery = "newreno"
    seen: ClassVar[set[str]] = set()

    def on_ack(self, ack: Any, orders: Any) -> None:
        self.seen.add("ack")
        assert ack.una <= ack.nxt
        assert ack.now_ps == round(ack.now * 1e12)
        if ack.rtt is not None:
            assert 0 < ack.min_rtt <= ack.rtt < 1
            self.seen.add("rtt")
        if ack.tag:
            self.seen.add("tag")
        if ack.acked:
            self.cwnd += ack.acked
        if self.timer is None:
            self.timer = ack.now + 0.25

    def on_congestion(self, event: Any, orders: Any) -> None:
        self.seen.add(event.cause)
        self.ssthresh = max(event.in_flight / 2, 2 * self.mss)
        self.cwnd = self.mss if event.cause == "timeout" else self.ssthresh

    def on_sent(self, sent: Any) -> int:
        self.seen.add("retransmit" if sent.retransmit else "sent")
        return 7

    def on_timer(self, now: float, orders: Any) -> None:
        self.seen.add("timer")
        assert now == pytest.approx(self.timer)
        self.timer = now + 0.25
        self.pacing = 3e6
        orders.extra(9)

    def probe(self) -> dict[str, float]:
        return {"seven": 7.0}


def test_a_congestion_control_has_all_that_a_rust_one_has(tmp_path: Path) -> None:
    Asking.seen = set()
    scenario = dumbbell.Scenario({**NET, "flow": [{"cc": Asking()}]})
    result = scenario.run(out=tmp_path / "r", record_every="100 ms").json
    assert result["valid"]
    assert {"ack", "rtt", "sent", "retransmit", "timer", "loss"} <= Asking.seen
    assert result["flows"][0]["throughput_bps"] <= 3.3e6
