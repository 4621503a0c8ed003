"""Attacks: their space, that a search is the same each time and resumes, that the shrinker keeps
the harm, and that the file reproduces the run."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dumbbell import ScenarioError, api, cli
from dumbbell.language.arguments import choice
from dumbbell.studies.attack import harm, search, shrink, space, work, written
from dumbbell.studies.attack.genomes import Breeder, key
from dumbbell.studies.attack.space import FEATURES, PATH, Genome
from dumbbell.studies.attack.trial import Trials, Tried
from dumbbell.studies.attack.work import Options, attack

ROOT = Path(__file__).parents[2]
FAST = {"rate": 4.0, "rtt": 40.0}
NOT_SAME = ("wall_s", "file", "page", "results", "figures", "from_store")


def genomes(count: int, seed: int = 1) -> list[Genome]:
    breeder = Breeder(space.chosen([], True), {}, Random(seed))
    found = [breeder.fresh() for _ in range(8)]
    while len(found) < count:
        first, second = breeder.random.choice(found), breeder.random.choice(found)
        found.append(breeder.child(first, second))
    return found


def plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in NOT_SAME}


def test_genomes_stay_in_the_space_and_pulses_are_no_flood() -> None:
    for genome in genomes(500):
        for name, values in genome.items():
            for one in FEATURES[name].parameters:
                assert one.low <= values[one.name] <= one.high, (name, one.name)
        assert space.cross_share(genome) <= space.MOST_CROSS * space.mean_share(genome) + 1e-9


def test_every_feature_turns_up() -> None:
    seen = {name for genome in genomes(300) for name in genome}
    assert seen == set(FEATURES)


def test_a_scenario_has_at_most_twenty_lines_and_is_what_was_meant() -> None:
    largest = {
        name: {one.name: one.high for one in feature.parameters}
        for name, feature in FEATURES.items()
    }
    for genome in [largest, *genomes(60)]:
        for two in (True, False):
            tree = written.scenario(genome, choice("vegas"), two, 3)
            text = written.text(tree, ["one", "two"])
            assert len(text.splitlines()) <= written.MOST_LINES
            assert tomllib.loads(text) == tree
            api.plan(api.request({"text": text, "name": "x"}))


def test_what_the_link_has_left_by_hand() -> None:
    genome: Genome = {
        "path": {"rate": 10, "rtt": 40, "buffer": 1},
        "loss": {"p": 0.01},
        "square": {"low": 0.5, "period": 1000, "duty": 0.5},
        "pulses": {"rate": 1, "on": 100, "period": 1000},
    }
    # A mean rate of 7.5 Mbps, less pulses of 1 Mbps; one packet in a hundred is lost.
    assert harm.left_bps(genome) == pytest.approx(6.5e6 * 0.99)
    run = {"flows": [{"name": "mine", "goodput_bps": 2e6}, {"name": "other", "goodput_bps": 8e6}]}
    assert harm.unused(run, genome) == pytest.approx(1 - 2 / 6.435)
    assert harm.ratio(run, genome) == 4
    run["flows"][0]["goodput_bps"] = 0.0
    assert harm.ratio(run, genome) == harm.MOST_RATIO
    run["flows"][1]["goodput_bps"] = 0.0
    assert harm.ratio(run, genome) == 1


def test_budgets_are_read() -> None:
    assert search.budget("600").runs == 600 and search.budget("1 run").runs == 1
    assert search.budget("30 s").cpu_s == 30 and search.budget("2.5s").cpu_s == 2.5
    for wrong in ("", "0", "-3", "2.5", "ten", "10 hours", "nan", "inf", "1 2 3"):
        with pytest.raises(ScenarioError, match="not a budget"):
            search.budget(wrong)


def asked(**given: Any) -> Options:
    return Options(
        **{
            "features": ("pulses", "jitter"),
            "fixed": FAST,
            "budget": "40",
            "options": {"store": None},
            **given,
        }
    )


def test_a_search_is_the_same_on_one_core_and_on_two(tmp_path: Path) -> None:
    documents = [
        attack(
            "newreno", asked(options={"store": None, "threads": threads}), tmp_path / str(threads)
        )
        for threads in (1, 2)
    ]
    assert plain(documents[0]) == plain(documents[1])
    other = attack("newreno", asked(seed=2), tmp_path / "other")
    assert other["found"] != documents[0]["found"]


def test_an_interrupted_search_resumes_from_the_store(tmp_path: Path) -> None:
    whole = attack("newreno", asked(), tmp_path / "whole")
    options = asked(options={"store": str(tmp_path / "store")})
    calls = 0

    def interrupted(wanted: dict[str, object]) -> Mapping[str, Any]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return api.run(wanted)

    with pytest.raises(KeyboardInterrupt):
        attack("newreno", options, tmp_path / "first", interrupted)
    assert not (tmp_path / "first").exists()
    resumed = attack("newreno", options, tmp_path / "second")
    assert plain(resumed) == plain(whole)
    assert resumed["from_store"] >= whole["generations"][0]["runs"]


def test_the_harm_never_falls_and_the_shrunken_scenario_keeps_it(tmp_path: Path) -> None:
    found = attack("vegas", asked(objective="starvation", features=()), tmp_path)
    harms = [one["harm"] for one in found["generations"]]
    assert harms == sorted(harms) and harms[-1] == found["found"]["harm"]
    assert found["generations"][-1]["runs"] == found["runs"]["search"] == 40
    assert found["shrunk"]["harm"] >= shrink.KEEP * found["found"]["harm"]
    assert set(found["shrunk"]["genome"]) <= set(found["found"]["genome"])
    fixed = {name: found["shrunk"]["genome"]["path"][name] for name in FAST}
    assert fixed == FAST
    assert len(found["scenario"].splitlines()) <= written.MOST_LINES
    # The file, by itself, is the run that was judged.
    run = api.run(api.request({"path": found["file"]}))
    assert run["fingerprint"] == found["fingerprint"]
    assert found["fingerprint"] in found["scenario"]
    assert harm.ratio(run, found["shrunk"]["genome"]) == found["shrunk"]["harm"]


def test_the_page_shows_the_run_what_it_needs_and_other_controls(tmp_path: Path) -> None:
    found = attack("vegas", asked(objective="starvation", budget="12"), tmp_path, command="said")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert found["page"] == str(tmp_path / "index.html")
    assert f"Attack on {found['cc']}" in text and "said" in text
    others = found["other_controls"]
    assert set(others) == {*work.COMPARED} - {"vegas"}
    for name, ratio in others.items():
        assert f'<th scope="row">{name}</th><td class="num">{ratio:.3g}</td>' in text
    for feature, values in found["found"]["genome"].items():
        for parameter, value in values.items():
            assert f"{feature}.{parameter}" in text and f"{value:g}" in text
    # The recorded run is the one that was judged; the other has the path and nothing else.
    under, alone = (tmp_path / "over-time" / f"run-{i}" for i in (1, 2))
    summary = json.loads((under / "summary.json").read_text(encoding="utf-8"))
    assert summary["fingerprint"] == found["fingerprint"]
    flows = json.loads((alone / "summary.json").read_text(encoding="utf-8"))["flows"]
    assert [flow["name"] for flow in flows] == ["mine", "other"]


class Known(Trials):
    """Trials whose harm is known: pulses of at least 60 ms harm, the more the longer."""

    def of(self, genomes: Sequence[Genome]) -> list[Tried]:
        return [Tried(one, self.known_harm(one)) for one in genomes]

    @staticmethod
    def known_harm(genome: Genome) -> float | None:
        if genome["path"]["rtt"] < 20:
            return None
        on = genome.get("pulses", {}).get("on", 0)
        return 0.1 if on < 60 else 10 + on / 1000


def test_the_shrinker_leaves_what_is_needed_and_nothing_else() -> None:
    trials = Known(cc=choice("newreno"), objective=harm.objective("delay"), seed=1)
    first: Genome = {
        "path": {"rate": 33, "rtt": 120, "buffer": 4.2},
        "loss": {"p": 0.02},
        "jitter": {"max": 44},
        "pulses": {"rate": 0.77, "on": 310, "period": 1300},
    }
    found = shrink.shrink(trials, trials.of([first])[0], ["rate"])
    genome = found.last.genome
    assert set(genome) == {"path", "pulses"}
    assert genome["path"] == {"rate": 33, "rtt": 40, "buffer": 1}
    assert 60 <= genome["pulses"]["on"] < 120 and genome["pulses"]["rate"] == 0.5
    assert found.last.harm is not None and found.last.harm >= 0.9 * 10.31
    assert found.steps[:2] == ("without loss", "without jitter")


def test_genomes_that_differ_have_different_keys() -> None:
    found = genomes(100)
    assert len({key(one) for one in found}) == len(
        {json.dumps(one, sort_keys=True) for one in found}
    )


def test_a_control_of_the_users_own_is_attacked(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import dumbbell\n\n\n"
        "class Fixed(dumbbell.CongestionControl):\n"
        '    """A fixed window."""\n\n'
        '    name = "fixed_window"\n\n'
        "    def on_ack(self, ack, orders):\n"
        "        self.cwnd = 6000\n\n"
        "    def on_congestion(self, event, orders):\n"
        "        self.ssthresh = 6000\n",
        encoding="utf-8",
    )
    options = asked(budget="6", features=("jitter",), use=[str(tmp_path / "mine.py")])
    found = attack("fixed_window", options, tmp_path / "out")
    assert found["failed_runs"] == 0 and 0 < found["shrunk"]["harm"] <= 1
    assert f"--use {tmp_path / 'mine.py'}" in found["scenario"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["newreni"], "newreno"),
        (["red"], "congestion control"),
        (["newreno", "--budget", "soon"], "not a budget"),
        (["newreno", "--features", "rain"], "ack_jitter"),
        (["newreno", "--features", "late"], "this harm"),
        (["newreno", "--rate", "400"], "from 2 to 40 Mbps"),
        (["newreno", "--harm", "joy"], "starvation"),
    ],
)
def test_mistakes_are_named_before_anything_runs(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["attack", "cc", *words, "--out", str(tmp_path / "out"), "--no-store"])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_prints_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["attack", "cc", "newreno", "--features", "pulses", "--budget", "5", "--rate", "4"]
    words += ["--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit) as ended:
        cli.main([*words, "--json"])
    assert ended.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    with pytest.raises(SystemExit):
        cli.main(words)
    assert document["fingerprint"] in capsys.readouterr().out


def test_the_page_has_the_table_of_the_space() -> None:
    text = (ROOT / "docs" / "how-to" / "attack.md").read_text(encoding="utf-8")
    for feature in FEATURES.values():
        for one in feature.parameters:
            row = f"| `{feature.name}.{one.name}` | {one.about} | {one.low:g} to {one.high:g}"
            assert row in text, row
    assert f"{100 * space.MOST_CROSS:g} %" in text and PATH.name in text
    assert work.OTHER_SEEDS == 5
