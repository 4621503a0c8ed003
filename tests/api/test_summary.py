"""The reader of results under damage: whole, or refused by name. `DUMBBELL_FUZZ_CASES=1000000`
looks longer.

Nothing guides it by coverage in Python: it changes the tree and the bytes of real summaries at
random, by a seed."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import unsealed
from dumbbell import Scenario, api
from dumbbell.data.summary import read
from dumbbell.errors import DumbbellError
from dumbbell.result import Result, Sweep
from dumbbell.result import read as of_document
from helpers.scenarios import MARKED

ROOT = Path(__file__).resolve().parents[2]
CASES = int(os.environ.get("DUMBBELL_FUZZ_CASES", "1500"))
JUNK = [
    None,
    True,
    -1,
    1e308,
    "",
    "red",
    [],
    {},
    [[]],
    {"mean": 1},
    {"ci95": 3, "mean": 1, "n": 2},
    10**400,
]


@pytest.fixture(scope="module")
def summaries(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Of one run, of replications, of a sweep, of a run with markers, as earlier releases wrote
    them: without digests, so that only their shape can be checked."""
    texts = []
    short = ["duration=1 s", "warmup=0 s"]
    for i, more in enumerate(([], ["replications=2"], ['sweep.grid={"queue.max_p"=[0.1, 0.2]}'])):
        out = tmp_path_factory.mktemp(f"result-{i}")
        api.run(
            api.request({"path": str(ROOT / "scenarios/first.toml")}, [*short, *more], out=str(out))
        )
        unsealed(out)
        texts.append((out / "summary.json").read_text())
    out = tmp_path_factory.mktemp("marked")
    assert Scenario(MARKED).run(out=out).valid
    unsealed(out)
    return [*texts, (out / "summary.json").read_text()]


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every container with every key of it."""
    inside = (
        list(tree.items())
        if isinstance(tree, dict)
        else list(enumerate(tree))
        if isinstance(tree, list)
        else []
    )
    return [place for key, child in inside for place in [(tree, key), *places(child)]]


def damaged(text: str, rng: random.Random) -> bytes:
    """The text with one to three changes of its tree, or of its bytes."""
    if rng.random() < 0.3:
        raw = bytearray(text.encode())
        for _ in range(rng.randint(1, 3)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        return bytes(raw[: rng.randrange(len(raw))] if rng.random() < 0.3 else raw)
    tree = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        container, key = rng.choice(places(tree))
        try:
            if rng.random() < 0.3:
                del container[key]
            else:
                container[key] = rng.choice(JUNK)
        except (KeyError, IndexError):
            pass  # An earlier change took it away.
    return json.dumps(tree).encode()


def use(result: Result | Sweep) -> None:
    """Everything that a reader of the object may ask."""
    if isinstance(result, Sweep):
        for _, point in result:
            use(point)
        return
    repr(result)
    result.table()
    for row in (*result.flows, *result.queues, *result.markers, result.totals):
        repr(row)
        for key in row.as_dict():
            getattr(row, key)
    for run in result.runs:
        assert run.fingerprint is not None
        assert run.valid in (True, False)


def test_what_was_written_is_read(summaries: list[str], tmp_path: Path) -> None:
    for text in summaries:
        (tmp_path / "summary.json").write_text(text)
        assert read(tmp_path) == json.loads(text)
        use(of_document(read(tmp_path)))


def test_what_a_sender_learned_of_its_path_is_read(tmp_path: Path) -> None:
    """A table within a row."""
    ends = {"rate": "100 Mbps", "delay": "5 ms", "mtu": "9000 B"}
    queue = {"kind": "drop_tail", "limit": "150 kB"}
    words = {
        "duration": "20 s",
        "icmp": False,
        "host": [{"name": "a"}, {"name": "b"}],
        "router": [{"name": "r1"}, {"name": "r2"}],
        "link": [
            {"between": ["a", "r1"], **ends},
            {"between": ["r1", "r2"], "rate": "20 Mbps", "delay": "5 ms", "queue": queue},
            {"between": ["r2", "b"], **ends},
        ],
        "flow": [{"name": "f", "from": "a", "to": "b", "tcp": {"pmtu_discovery": "probe"}}],
    }
    Scenario(words).run(out=tmp_path)
    (flow,) = Result.load(tmp_path).flows
    assert flow.path["mtu_changes"]


def test_damage_is_refused_by_name_or_harmless(summaries: list[str], tmp_path: Path) -> None:
    file, rng, refused = tmp_path / "summary.json", random.Random(3), 0
    for case in range(CASES):
        file.write_bytes(damaged(summaries[case % len(summaries)], rng))
        try:
            data = read(tmp_path)
        except DumbbellError as error:
            refused += 1
            assert error.code == 3
            assert file.name in error.rendered
            continue
        use(of_document(data))
    assert CASES / 10 < refused < CASES


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "damaged"),
        ("[1]", "expected a map"),
        ('{"flows": [], "queues": [], "valid": 1, "fingerprint": "a"}', "`valid`"),
        (
            '{"flows": [{"name": 3}], "queues": [], "valid": true, "fingerprint": "a"}',
            "`flows[0].name`",
        ),
        ('{"points": [{"overrides": 3}]}', "`points[0].overrides`"),
        (
            '{"flows": [], "queues": [], "valid": true, "fingerprint": "a", "markers": [{"link": '
            "3}]}",
            "`markers[0].link`",
        ),
        ("[" * 100_000, "damaged"),
        ('{"flows": [{"name": "a", "share": NaN}]}', "line 1 column 35"),
    ],
)
def test_the_place_of_the_damage_is_named(tmp_path: Path, text: str, cause: str) -> None:
    (tmp_path / "summary.json").write_text(text)
    with pytest.raises(DumbbellError) as caught:
        Result.load(tmp_path)
    assert cause in caught.value.rendered
    with pytest.raises(DumbbellError, match=r"summary.json. is missing"):
        Result.load(tmp_path / "elsewhere")
