"""Schemes beside each other: what is measured of a run, which is best or a tie, and what is said of
it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from dumbbell import catalogue
from dumbbell.figures.style import palette
from dumbbell.present import stats
from dumbbell.studies.compare.queues import judge, metrics, narrative
from dumbbell.studies.frame import paired
from dumbbell.studies.frame.drawing import looks


def test_shares_and_losses_by_hand() -> None:
    queue = {
        "arrivals": 200,
        "marks": 5,
        "drops": {"overflow": 6, "early": 3, "head": 1, "link": 50, "mtu": 7, "policed": 9},
    }

    def flows(*goodputs: float) -> dict[str, Any]:
        return {"flows": [{"goodput_bps": x, "rtos": 2} for x in goodputs]}

    assert metrics.loss_share(flows(1), queue) == 10 / 200  # Neither the wire's nor a policer's.
    assert metrics.marks_share(flows(1), queue) == 5 / 200
    assert metrics.loss_share(flows(1), queue | {"arrivals": 0}) is None
    assert metrics.jain(flows(1, 3) | {"jain": 0.8}, queue) == 0.8
    assert metrics.jain(flows(7) | {"jain": 1.0}, queue) is None  # Of one flow it says nothing.
    assert (metrics.goodput_bps(flows(1, 3), queue), metrics.rtos(flows(1, 3), queue)) == (4, 4)


def values(**of: list[float]) -> dict[str, judge.Values]:
    return {name: {m.key: dict(enumerate(xs)) for m in metrics.ALL} for name, xs in of.items()}


DELAY = next(m for m in metrics.JUDGED if m.key == "p99_sojourn_s")
GOODPUT = next(m for m in metrics.JUDGED if m.key == "goodput_bps")


def test_the_best_is_apart_from_every_other_seed_by_seed() -> None:
    # Unpaired these overlap widely; seed by seed the difference is 1 to 2.
    found = judge.best(GOODPUT, values(a=[10, 20, 30, 40], b=[9, 18, 29, 38.5]))
    assert (found["best"], found["tied"], found["runner_up"]) == ("a", [], "b")
    expected = stats.paired([10, 20, 30, 40], [9, 18, 29, 38.5])
    assert found["difference"]["difference"] == pytest.approx(1.375)
    assert found["difference"]["ci95"] == (expected.low, expected.high)
    assert judge.best(DELAY, values(a=[10, 20, 30, 40], b=[9, 18, 29, 38.5]))["best"] == "b"


def test_a_tie_names_those_that_cannot_be_told_apart_and_no_others() -> None:
    found = judge.best(GOODPUT, values(a=[10, 12, 14], b=[11, 11, 14.5], c=[1, 2, 3]))
    assert (found["best"], sorted(found["tied"])) == (None, ["a", "b"])
    # The runner-up by mean is apart, a third whose seeds scatter is not: nobody wins.
    found = judge.best(GOODPUT, values(a=[10, 10.1, 10], b=[9, 9.1, 9], c=[20, 1, 1]))
    assert (found["best"], found["tied"], found["runner_up"]) == (None, ["a", "c"], "b")


def test_who_leads_only_by_seeds_that_the_other_lacks_is_not_the_best() -> None:
    """Some runs of `b` have no such value: on the seeds that both have it is always ahead."""
    both = {"a": {1: 10.0, 2: 10.1, 3: 9.9, 4: 50.0}, "b": {1: 12.0, 2: 12.1, 3: 11.9}}
    for metric, sign in ((GOODPUT, 1), (DELAY, -1)):
        of = {
            name: {metric.key: {k: sign * v for k, v in own.items()}} for name, own in both.items()
        }
        found = judge.best(metric, of)
        assert (found["best"], found["tied"]) == (None, ["a", "b"])
        assert found["difference"]["difference"] == pytest.approx(-2 * sign)


def test_one_seed_and_equal_runs_have_no_winner() -> None:
    assert judge.best(GOODPUT, values(a=[2], b=[1]))["tied"] == ["a", "b"]
    assert judge.best(GOODPUT, values(a=[0, 0, 0], b=[0, 0, 0]))["tied"] == ["a", "b"]
    assert judge.verdicts(values(a=[1, 2, 3])) == []


def test_percentiles_closer_than_a_bin_of_the_histogram_are_a_tie() -> None:
    steady = {"a": [0.100] * 3, "b": [0.103] * 3}
    assert judge.best(DELAY, values(**steady))["tied"] == ["a", "b"]
    assert judge.best(GOODPUT, values(**steady))["best"] == "b"
    assert judge.best(DELAY, values(a=[0.100] * 3, b=[0.104] * 3))["best"] == "a"


# What is said.


def document(**of: list[list[float]]) -> dict[str, Any]:
    """A document of delays [s] by scheme: a list for each condition, a number for each seed.
    Goodput is 1 / delay."""
    names = list(of)
    count = len(of[names[0]])
    rows, best = [], []
    for i in range(count):
        by = values(**{name: of[name][i] for name in names})
        for v in by.values():
            v["goodput_bps"] = {
                seed: 0.9e7 if x < 0.01 else 1e7 for seed, x in v["p99_sojourn_s"].items()
            }
        for name in names:
            blocks = {
                m.key: paired.paired_difference(by[name][m.key], by[names[0]][m.key])
                for m in metrics.ALL
            }
            cells = {m.key: paired.cell_of(by[name][m.key]) for m in metrics.ALL}
            rows.append(
                {
                    "scheme": name,
                    "condition": i + 1,
                    **cells,
                    "versus": blocks if name != names[0] else None,
                }
            )
        best += [
            {"condition": i + 1, **v}
            for v in judge.verdicts(by)
            if v["metric"] in ("p99_sojourn_s", "jain")
        ]
    return {
        "schemes": [{"name": n, "kind": n} for n in names],
        "baseline": names[0],
        "rows": rows,
        "best": best,
    }


def test_the_finding_says_who_wins_how_often_by_how_much_and_at_what_price() -> None:
    slow, fast = [0.047, 0.048, 0.049], [0.0051, 0.0050, 0.0052]
    said = narrative.sentences(document(drop_tail=[slow, slow], codel=[fast, fast]))
    assert said[0] == (
        "codel has the lowest p99 queueing delay in 2 of 2 conditions (median 5.1 ms against 48 "
        "ms of drop_tail) "
        "at 10 % less goodput."
    )
    assert said[1].startswith("drop_tail has the fairest shares in 2 of 2 conditions")
    one = narrative.sentences(document(drop_tail=[slow], codel=[fast]))[0]
    assert one == (
        "codel has the lowest p99 queueing delay (5.1 ms against 48 ms of drop_tail) at "
        "10 % less goodput."
    )


def test_the_finding_says_ties_and_splits() -> None:
    slow, noisy, fast = [0.047, 0.048, 0.049], [0.03, 0.048, 0.066], [0.0051, 0.0050, 0.0052]
    tie = narrative.sentences(document(drop_tail=[slow], red=[noisy]))[0]
    assert tie in (
        "The lowest p99 queueing delay: no significant winner (drop_tail and red tie).",
        "The lowest p99 queueing delay: no significant winner (red and drop_tail tie).",
    )
    split = narrative.sentences(document(drop_tail=[slow, slow, fast], red=[fast, noisy, slow]))[0]
    assert re.fullmatch(
        r"(drop_tail|red) has .* in 1 of 3 conditions .*; (red|drop_tail) in 1; a tie of .* in 1\.",
        split,
    )
    assert "A comparison needs two schemes" in narrative.sentences(document(red=[slow]))[0]


def test_each_scheme_looks_different() -> None:
    kinds = ["red", "drop_tail", "codel", "red", "pie", "blue", "ea_red", "fq_codel"]
    found = looks({f"{kind}-{i}": kind for i, kind in enumerate(kinds)})
    assert (
        len({look.color for look in found.values()})
        == len({look.marker for look in found.values()})
        == 8
    )
    assert all(
        found[f"{kind}-{kinds.index(kind)}"] == palette.look(kind)
        for kind in kinds
        if palette.is_chosen(kind)
    )
    queues = [name for kind in ("aqm", "qdisc") for name in catalogue.kinds()[kind]]
    chosen = [palette.look(name) for name in queues if palette.is_chosen(name)]
    assert len(chosen) >= 5 and len({(look.color, look.marker) for look in chosen}) == len(chosen)
    many = looks({name: name for name in queues})
    assert len({(look.color, look.marker) for look in many.values()}) == len(queues)
