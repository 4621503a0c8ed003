"""Algorithms of a user's own: they decide as the catalogue's, are named everywhere, and their mistakes are told."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import dumbbell
import own_algorithms
import pytest
from dumbbell import door
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.own.new import write_rust
from own_algorithms import PaperRed, PlainTail, Reno5681

HEAD = "import dumbbell\nfrom dumbbell import PASS, MARK, SIGNAL, drop, mark, signal, evict\n\n\n"
HALF_FULL = (
    HEAD
    + '''class HalfFull(dumbbell.Aqm):
    """Drops with probability p when the queue is more than half full."""

    p: float = dumbbell.parameter(0.1, "The probability of a drop.", at_least=0, at_most=1)

    def arrive(self, cx, queue, packet, fits):
        if queue.fullness > 0.5 and cx.rng.unit() < self.p:
            return drop("early")
        return PASS
'''
)
NET: dict[str, Any] = {
    "duration": "5 s",
    "dumbbell": {"bottleneck": {"rate": "5 Mbps", "delay": "10 ms"}},
    "flow": [{"cc": "newreno", "count": 3}],
}
TOML = """duration = "2 s"
dumbbell.bottleneck = { rate = "5 Mbps", delay = "10 ms" }
flow = [{ cc = "newreno", count = 3 }]
"""


def run(**words: Any) -> Any:
    return dumbbell.Scenario({**NET, **words}).run().json


def dumbbell_command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


def body(lines: str, head: str = "class Mine(dumbbell.Aqm):\n    '''Mine.'''\n") -> str:
    return HEAD + head + "".join(f"    {line}\n" for line in lines.splitlines())


# As the catalogue's ----------------------------------------------------------------------------------------------


def test_drop_tail_in_python_has_the_catalogues_history() -> None:
    plain = run(queue=dumbbell.DropTail(limit="12 pkt"))
    mine = run(queue=PlainTail(limit="12 pkt"))
    assert plain["queues"][0]["drops"]["overflow"] > 20
    assert mine["fingerprint"] == plain["fingerprint"]
    assert mine["queues"][0] == {**plain["queues"][0], "kind": "plain_tail"}


def test_a_victim_at_the_front_comes_to_the_same_history() -> None:
    plain = run(queue=dumbbell.DropTail(limit="12 kB", victim="front"))
    assert plain["queues"][0]["drops"]["evicted"] + plain["queues"][0]["drops"]["overflow"] > 20
    assert run(queue=PlainTail(limit="12 kB", victim="front"))["fingerprint"] == plain["fingerprint"]


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


# Named everywhere -------------------------------------------------------------------------------------------------


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
    assert "there is no aqm named `half_full`" in without.stderr
    assert dumbbell_command("run", "s.toml", "--use", "mine.py", cwd=tmp_path).returncode == 0
    near = dumbbell_command("check", "s.toml", "--use", "mine.py", "-s", "queue=half_ful", cwd=tmp_path)
    assert "did you mean `half_full`?" in near.stderr
    listed = dumbbell_command("list", "--use", "mine.py", cwd=tmp_path).stdout
    assert "(Python, slow: mine.py)" in listed
    assert "half_full" in json.loads(dumbbell_command("list", "--json", "--use", "mine.py", cwd=tmp_path).stdout)["aqm"]
    page = dumbbell_command("explain", "half_full", "--use", "mine.py", cwd=tmp_path).stdout
    assert "The probability of a drop." in page
    assert "Written in Python: mine.py" in page
    schema = json.loads(dumbbell_command("schema", "--use", "mine.py", cwd=tmp_path).stdout)
    tables = schema["$defs"]["queue"]["anyOf"]
    mine = next(t for t in tables if t.get("properties", {}).get("kind", {}).get("const") == "half_full")
    assert mine["properties"]["p"]["maximum"] == 1
    assert "half_full" not in json.dumps(door.schema())


def test_quantities_have_units_and_may_follow_the_limit(tmp_path: Path) -> None:
    def config(**parameters: Any) -> Any:
        scenario = dumbbell.Scenario({**NET, "queue": PaperRed(limit="36 pkt", **parameters)})
        links = scenario.check()[0]["plan"]["links"]
        return next(link["aqm"]["config"] for link in links if link["aqm"]["kind"] == "paper_red")

    assert config()["min_th"] == "5 pkt"
    assert config(min_th="limit / 6", max_th="limit / 2") == {**config(), "min_th": "6 pkt", "max_th": "18 pkt"}
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
        value = {**NET, "use": [str(file)], "queue": {"kind": "half_full", "limit": "20 pkt", **queue}}
        return door.plan(door.request({"value": value, "name": "s"}))["points"][0]

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

    from dumbbell.own.describe import source_hash

    assert source_hash(made(3)) == source_hash(made(3)) != source_hash(made(4))
    assert run(queue=made(3)(limit="20 pkt"))["queues"][0]["drops"]["early"] > 0


def test_an_imported_class_has_the_hash_of_what_was_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    from dumbbell.own.describe import source_hash
    from dumbbell.own.load import classes

    (tmp_path / "imported_one.py").write_text(HALF_FULL)
    monkeypatch.syspath_prepend(tmp_path)
    first = importlib.import_module("imported_one").HalfFull
    assert source_hash(first) == source_hash(classes(tmp_path / "imported_one.py")[0])
    (tmp_path / "imported_one.py").write_text(HALF_FULL.replace("> 0.5", "> 0.25"))
    assert source_hash(first) != source_hash(classes(tmp_path / "imported_one.py")[0])


# Mistakes ---------------------------------------------------------------------------------------------------------

ARRIVE = "def arrive(self, cx, queue, packet, fits):\n"
CC = "class Mine(dumbbell.CongestionControl):\n    '''Mine.'''\n"
ON_CONGESTION = "def on_congestion(self, event, orders):\n    pass\n"

WRONG_QUEUES = {
    "raises": (ARRIVE + "    return 1 / 0", "ZeroDivisionError: division by zero (mine.py, line 8, in arrive)"),
    "no answer": (ARRIVE + "    pass", "arrive returned None: return PASS, MARK, SIGNAL, drop(...) or evict(...)"),
    "a word": (ARRIVE + "    return 'drop'", "arrive returned 'drop'"),
    "a reason": (ARRIVE + "    return drop('because')", "`because` is not a reason of a queue"),
    "evicts": (ARRIVE + "    return evict(0)", 'evict(0), which is an answer of `arrive` with needs = "held"'),
    "evicts nobody": ("needs = 'held'\n" + ARRIVE + "    return evict(99)", "evict(99): only 0 packets wait"),
    "no room": (
        "needs = 'held'\n" + ARRIVE + "    return PASS\ndef make_room(self, cx, queue, packet):\n    return 99",
        "make_room: slot 99, and only",
    ),
    "a tick of nothing": (
        ARRIVE + "    return PASS\ndef tick(self, cx, queue):\n    return 0",
        "tick returned 0 s: the next tick must lie ahead",
    ),
    "a tick of text": (
        ARRIVE + "    return PASS\ndef tick(self, cx, queue):\n    return 'soon'",
        "tick returned 'soon'",
    ),
    "needs": ("needs = 'much'\n" + ARRIVE + "    return PASS", 'needs = "much": it is "arrival" or "held"'),
    "start": ("def start(self, link):\n    link.nothing\n" + ARRIVE + "    return PASS", "AttributeError"),
    "depart": (
        "needs = 'held'\n" + ARRIVE + "    return PASS\ndef depart(self, cx, queue, packet, sojourn):\n    return 3",
        "depart returned 3",
    ),
}
WRONG_CONTROLS = {
    "nan": ("def on_ack(self, ack, orders):\n    self.cwnd = float('nan')\n" + ON_CONGESTION, "cwnd is NaN"),
    "negative": ("def on_ack(self, ack, orders):\n    self.cwnd = -5\n" + ON_CONGESTION, "cwnd is -5"),
    "text": (
        "def on_ack(self, ack, orders):\n    self.cwnd = 'wide'\n" + ON_CONGESTION,
        "cwnd is 'wide': it is a number",
    ),
    "none": ("def on_ack(self, ack, orders):\n    self.cwnd = None\n" + ON_CONGESTION, "cwnd is None"),
    "raises": (
        "def on_ack(self, ack, orders):\n    raise KeyError('x')\n" + ON_CONGESTION,
        "KeyError: 'x' (mine.py, line",
    ),
    "no clock": (
        "def on_ack(self, ack, orders):\n    self.timer = ack.now + 1\n" + ON_CONGESTION,
        "the class has no on_timer",
    ),
    "a clock that stands": (
        "def on_ack(self, ack, orders):\n    self.timer = ack.now\n"
        + ON_CONGESTION
        + "def on_timer(self, now, orders):\n    pass",
        "left `timer` where it was",
    ),
    "a tag of text": (
        "def on_ack(self, ack, orders):\n    pass\n" + ON_CONGESTION + "def on_sent(self, sent):\n    return 'me'",
        "on_sent returned 'me'",
    ),
}


def failing(tmp_path: Path, source: str, part: dict[str, Any]) -> DumbbellError:
    (tmp_path / "mine.py").write_text(source)
    scenario = dumbbell.Scenario({**NET, "use": [str(tmp_path / "mine.py")], **part})
    with pytest.raises(DumbbellError) as raised:
        scenario.run()
    return raised.value


@pytest.mark.parametrize(("lines", "told"), WRONG_QUEUES.values(), ids=WRONG_QUEUES)
def test_a_queue_that_cannot_go_on_is_named(tmp_path: Path, lines: str, told: str) -> None:
    error = failing(tmp_path, body(lines), {"queue": {"kind": "mine", "limit": "5 pkt"}})
    assert error.code == 1
    problem = error.detail["problems"][0]
    assert told in problem["cause"]
    assert problem["cause"].startswith("mine failed at ")
    assert problem["algorithm"] == "mine"
    assert "mine.py" in problem["cause"]


@pytest.mark.parametrize(("lines", "told"), WRONG_CONTROLS.values(), ids=WRONG_CONTROLS)
def test_a_congestion_control_that_cannot_go_on_is_named(tmp_path: Path, lines: str, told: str) -> None:
    error = failing(tmp_path, body(lines, CC), {"flow": [{"cc": "mine"}]})
    assert error.code == 1
    assert told in error.detail["problems"][0]["cause"]


def test_a_failure_ends_with_the_users_traceback_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HALF_FULL.replace("cx.rng.unit()", "cx.rng.uniform()"))
    (tmp_path / "s.toml").write_text('use = ["mine.py"]\nqueue = { kind = "half_full", limit = "20 pkt" }\n' + TOML)
    done = dumbbell_command("run", "s.toml", "--out", "results", "--record-every", "100 ms", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert 'mine.py", line 11, in arrive' in done.stderr
    assert "half_full failed at " in done.stderr
    assert not list(tmp_path.glob("results/**/*.parquet"))


def test_of_several_failures_the_first_traceback_is_shown(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HALF_FULL.replace("cx.rng.unit()", "cx.rng.uniform()"))
    (tmp_path / "s.toml").write_text('use = ["mine.py"]\nqueue = { kind = "half_full", limit = "20 pkt" }\n' + TOML)
    done = dumbbell_command("run", "s.toml", "--replications", "2", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("Traceback (most recent call last):") == 1
    assert 'mine.py", line 11, in arrive' in done.stderr
    assert "2 runs failed" in done.stderr


BROKEN_FILES = {
    "syntax": ("def (:\n", "invalid syntax (mine.py, line 1)"),
    "byte 0": ("x = 1\0\n", "cannot contain null bytes"),
    "import": ("import nothing_of_that_name\n", "No module named 'nothing_of_that_name'"),
    "raises": ("raise RuntimeError('no')\n", "RuntimeError: no (mine.py, line 1"),
    "empty": ("x = 1\n", "has no algorithm"),
    "abstract": (HEAD + "class Mine(dumbbell.Aqm):\n    pass\n", "Mine does not define arrive"),
    "annotation": (body("p: list = []\n" + ARRIVE + "    return PASS"), "parameter `p` is annotated with list"),
    "default": (
        body("p: float = 'x'\n" + ARRIVE + "    return PASS"),
        "parameter `p` is a float, and its default is 'x'",
    ),
    "no default": (body("p: float\n" + ARRIVE + "    return PASS"), "Mine.p has no default"),
    "catalogue": (body("name = 'red'\n" + ARRIVE + "    return PASS"), "brings `red`, and one of the catalogue"),
}


@pytest.mark.parametrize(("source", "told"), BROKEN_FILES.values(), ids=BROKEN_FILES)
def test_a_broken_file_is_an_error_of_the_scenario(tmp_path: Path, source: str, told: str) -> None:
    error = failing(tmp_path, source, {})
    assert error.code == 2
    assert told in error.detail["problems"][0]["cause"]
    assert "None" not in error.detail["problems"][0]["cause"]


def test_two_sources_of_one_name_are_told(tmp_path: Path) -> None:
    for name, p in (("a.py", "0.1"), ("b.py", "0.2")):
        (tmp_path / name).write_text(HALF_FULL.replace("0.1", p))
    with pytest.raises(ScenarioError, match=r"b\.py brings `half_full`, and a\.py has that name"):
        dumbbell.Scenario({**NET, "use": [str(tmp_path / n) for n in ("a.py", "b.py")]}).check()
    (tmp_path / "b.py").write_text((tmp_path / "a.py").read_text())
    dumbbell.Scenario({**NET, "use": [str(tmp_path / n) for n in ("a.py", "b.py")]}).check()


# Interrupts, and what is printed -----------------------------------------------------------------------------------

ENDLESS = body("name = 'half_full'\n" + ARRIVE + "    print('here', flush=True)\n    while True:\n        pass")
USES = 'queue = { kind = "half_full", limit = "20 pkt" }\n' + TOML


def interrupted(signals: list[signal.Signals], *words: str, cwd: Path) -> tuple[int, str, str]:
    """The exit code and the output of a command that is sent signals once the user's code has said that it runs."""
    command = [sys.executable, "-m", "dumbbell", *words]
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "here\n"
        for one in signals:
            process.send_signal(one)
            time.sleep(0.1)
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    return process.returncode, stdout, stderr


@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGINT] * 2], ids=["int", "term", "2"])
@pytest.mark.parametrize("words", ["run s.toml --use mine.py --replications 3", "test mine.py"])
def test_an_endless_decision_can_be_interrupted(tmp_path: Path, words: str, signals: list[signal.Signals]) -> None:
    (tmp_path / "mine.py").write_text(ENDLESS)
    (tmp_path / "s.toml").write_text(USES)
    code, stdout, stderr = interrupted(signals, *words.split(), "--json", cwd=tmp_path)
    assert code == 130, stderr
    assert json.loads(stdout)["error"]["code"] == 130
    assert "Traceback" not in stderr
    assert "interrupted" in stderr


def test_an_interrupted_decision_is_no_failure_in_the_store(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ENDLESS)
    (tmp_path / "s.toml").write_text(USES)
    words = ("sweep", "s.toml", "--use", "mine.py", "-o", "queue.limit=10 pkt,20 pkt", "--store", "kept")
    assert interrupted([signal.SIGINT], *words, cwd=tmp_path)[0] == 130
    assert door.store({"do": "list", "dir": str(tmp_path / "kept")})["runs"] == []


@pytest.mark.parametrize("words", ["check s.toml --use mine.py", "list --use mine.py", "test mine.py"])
def test_an_endless_import_can_be_interrupted(tmp_path: Path, words: str) -> None:
    (tmp_path / "mine.py").write_text("print('here', flush=True)\nwhile True:\n    pass\n")
    (tmp_path / "s.toml").write_text(USES)
    code, stdout, stderr = interrupted([signal.SIGINT], *words.split(), cwd=tmp_path)
    assert (code, stdout, stderr) == (130, "", "interrupted\n")


def test_what_an_algorithm_prints_is_not_in_the_document(tmp_path: Path) -> None:
    text = HALF_FULL.replace("        if queue", "        print('decides')\n        if queue")
    (tmp_path / "mine.py").write_text("print('loads')\n" + text)
    (tmp_path / "s.toml").write_text(USES)
    deciding = ["run s.toml", "sweep s.toml --no-store -o queue.p=0.1,0.2"]
    reading = ["check s.toml", "list", "explain half_full", "schema"]
    for words in [*(f"{one} --use mine.py" for one in deciding + reading), "test mine.py"]:
        done = dumbbell_command(*words.split(), "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        json.loads(done.stdout)
        assert "loads\n" in done.stderr
        assert ("decides\n" in done.stderr) == (words.split()[0] in ("run", "sweep", "test"))


# What an algorithm sees -------------------------------------------------------------------------------------------


class Looking(dumbbell.Aqm):
    """Keeps its own account of a held queue and compares it with what it is shown."""

    needs = "held"
    calls: ClassVar[dict[str, int]] = {}

    def start(self, link: Any) -> None:
        self.mine: list[tuple[int, int]] = []
        self.ticks = 0
        assert (link.rate, link.packets, link.bytes, link.mtu, link.delay) == (1_000_000, 8, None, 1500, 0.01)

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
        self.out = (queue.waiting - 1, packet.flow)
        return self.out[0]

    def admitted(self, packet: Any) -> None:
        self.count("admitted")
        self.mine.append((packet.flow, packet.ip_len))

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

    from dumbbell.strategies import Arrival, drive

    rng, Looking.calls = random.Random(1), {}
    trace = [
        Arrival(
            rng.choice((0.0, 0.001, 0.006)), rng.randint(40, 1500), rng.randrange(4), rng.choice(("not_ect", "ect0"))
        )
        for _ in range(1500)
    ]
    fates = drive(Looking(limit="8 pkt"), [*trace, Arrival(2.0, 1000)])
    assert len(fates) == 1501
    whys = {fate.why for fate in fates}
    assert {"evicted", "head", None} <= whys
    hooks = {"arrive", "make_room", "admitted", "depart", "sent", "head_drop", "evicted", "idle", "tick", "probe"}
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


# The suite --------------------------------------------------------------------------------------------------------


def test_the_transcriptions_pass_the_suite() -> None:
    document = door.examine([PlainTail, PaperRed, Reno5681])
    failed = [c for a in document["algorithms"] for c in a["checks"] if c["verdict"] != "pass"]
    assert failed == []
    assert document["ok"]
    assert [len(a["checks"]) for a in document["algorithms"]] == [7, 7, 5]
    assert own_algorithms.__file__.endswith(document["algorithms"][0]["file"])


WRONG = {
    "documents_itself": body("p: float = 0.5\n" + ARRIVE + "    return PASS"),
    "accounts_for_every_packet": body(
        ARRIVE + "    return drop() if queue.packets > 3 else PASS\ndef probe(self):\n    return {'x': float('inf')}"
    ),
    "repeats_itself": body("import random\n" + ARRIVE + "    return drop() if self.random.random() < 0.3 else PASS"),
    "marks_what_it_may_mark": body(ARRIVE + "    return SIGNAL if queue.packets > 2 else PASS"),
    "needs_what_it_says": body(
        "def start(self, link):\n    self.n = 0\n"
        + ARRIVE
        + "    return drop() if self.n > 3 else PASS\ndef admitted(self, packet):\n    self.n += 1\n"
        + "def gone(self, packet, how):\n    self.n -= 1"
    ),
    "starts_with_a_segment": body(
        "def start(self, path):\n    super().start(path)\n    self.cwnd = 10\n"
        "def on_ack(self, ack, orders):\n    pass\ndef on_congestion(self, event, orders):\n    self.cwnd = self.mss\n",
        CC,
    ),
    "keeps_the_rules": body("def on_ack(self, ack, orders):\n    pass\n" + ON_CONGESTION, CC),
}


@pytest.mark.parametrize("check", WRONG)
def test_the_suite_finds_what_is_wrong(tmp_path: Path, check: str) -> None:
    (tmp_path / "mine.py").write_text(WRONG[check])
    done = dumbbell_command("test", "mine.py", "--json", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    checks = {c["name"]: c for c in json.loads(done.stdout)["algorithms"][0]["checks"]}
    assert checks[check]["verdict"] == "fail"
    assert checks[check]["reason"]
    told = dumbbell_command("test", "mine.py", cwd=tmp_path)
    assert told.returncode == 3
    assert f"fail  {check}:" in told.stdout


def test_a_finding_is_shown_with_as_little_traffic_as_it_takes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(body(ARRIVE + "    return 1 // (3 - queue.packets) and PASS or PASS"))
    done = dumbbell_command("test", "mine.py", "--json", cwd=tmp_path)
    reasons = [c["reason"] for c in json.loads(done.stdout)["algorithms"][0]["checks"] if c["verdict"] == "fail"]
    assert reasons
    assert all("ZeroDivisionError" in r and "line 8, in arrive" in r for r in reasons)
    assert max(int(n) for r in reasons for n in re.findall(r"(\d+) packets\)$", r)) <= 8, reasons


def test_what_cannot_be_examined_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def (:\n")
    assert dumbbell_command("test", "mine.py", cwd=tmp_path).returncode == 2
    assert dumbbell_command("test", "none.py", cwd=tmp_path).returncode == 2
    assert dumbbell_command("test", "mine.txt", cwd=tmp_path).returncode == 2


def test_the_suite_refuses_what_a_run_refuses(tmp_path: Path) -> None:
    for case in ("abstract", "annotation", "default", "no default", "catalogue"):
        source, told = BROKEN_FILES[case]
        (tmp_path / "mine.py").write_text(source)
        done = dumbbell_command("test", "mine.py", "--json", cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        assert told in " ".join(json.loads(done.stdout)["error"]["text"].split())


def test_the_speed_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    told = {(): "name one file", ("none.py",): "there is no file none.py", ("empty.py",): "empty.py has no algorithm"}
    for words, what in told.items():
        command = [sys.executable, "-m", "dumbbell.own.speed", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (2, "")
        assert what in done.stderr
        assert "Traceback" not in done.stderr


# The first lines --------------------------------------------------------------------------------------------------


def test_the_first_lines_in_python_are_typed_and_pass_the_suite(tmp_path: Path) -> None:
    for kind in ("aqm", "cc"):
        name = f"my_{kind}"
        done = dumbbell_command("new", kind, name, "--python", "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["written"] == [f"{name}.py"]
        assert dumbbell_command("test", f"{name}.py", cwd=tmp_path).returncode == 0
        source = (tmp_path / f"{name}.py").read_text()
        again = dumbbell_command("new", kind, name, "--python", cwd=tmp_path)
        assert again.returncode == 1
        assert "is there already" in again.stderr
        assert (tmp_path / f"{name}.py").read_text() == source
    strict = [sys.executable, "-m", "mypy", "--strict", "my_aqm.py", "my_cc.py"]
    typed = subprocess.run(strict, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert typed.returncode == 0, typed.stdout


def test_names_that_cannot_be_are_refused(tmp_path: Path) -> None:
    for name in ("MyRed", "7up", "red", "lambda"):
        assert dumbbell_command("new", "aqm", name, "--python", cwd=tmp_path).returncode == 2
    for name in ("fn", "mod", "self", "type", "async"):
        with pytest.raises(ScenarioError, match=f"`{name}` is a word of Rust itself: take another name, as my_{name}"):
            write_rust("aqm", name, tmp_path)
    outside = dumbbell_command("new", "aqm", "my_own", cwd=tmp_path)
    assert outside.returncode == 1
    assert "in no checkout" in outside.stderr
    assert list(tmp_path.iterdir()) == []
