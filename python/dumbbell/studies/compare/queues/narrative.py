"""The result in sentences that are made from the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from ....present.grids import scaled
from ....present.units import significant
from ...frame.paired import excludes_zero
from .document import Facts, Verdict, measured
from .metrics import DELAY, GOODPUT, JUDGED, Metric

_LEADS = DELAY
_METRICS = {metric.key: metric for metric in JUDGED}


def sentences(document: Facts) -> list[str]:
    """One for each metric that is judged, the delay's first; or why there is nothing to compare."""
    if len(document["schemes"]) < 2:
        return ["A comparison needs two schemes: name a second."]
    by_metric: dict[str, list[Verdict]] = {}
    for verdict in document["best"]:
        by_metric.setdefault(verdict["metric"], []).append(verdict)
    if not by_metric and len(document["seeds"]) == 1:
        return ["One seed gives no intervals, so no scheme is best: use --seeds 5."]
    if not by_metric:
        return ["No two schemes have comparable results."]
    order = sorted(by_metric, key=lambda key: (key != _LEADS, list(_METRICS).index(key)))
    return [_sentence(_METRICS[key], by_metric[key], document) for key in order]


def _sentence(metric: Metric, verdicts: Sequence[Verdict], document: Facts) -> str:
    wins = Counter(v["best"] for v in verdicts if v["best"] is not None)
    ties = [v["tied"] for v in verdicts if v["best"] is None]
    n = len(verdicts)
    if not wins:
        return f"{_capital(metric.best)}: no significant winner{_ties(metric, ties, document)}."
    (top, count), *rest = wins.most_common()
    where = "" if n == 1 else f" in {count} of {n} conditions"
    won = [v["condition"] for v in verdicts if v["best"] == top]
    text = f"{top} has {metric.best}{where} ({_numbers(metric, top, won, verdicts, document)})"
    if metric.key == _LEADS:
        text += _price(top, won, document)
    others = [f"{name} in {k}" for name, k in rest]
    if others:
        text += f"; {', '.join(others)}"
    return text + ("; a tie" + _of(ties, n) if ties else "") + "."


def _numbers(
    metric: Metric,
    top: str,
    won: Sequence[int],
    verdicts: Sequence[Verdict],
    document: Facts,
) -> str:
    """The winner's value and another's, where it won: the baseline's; the runner-up's if it is the
    baseline itself, or if that has no result."""
    other = document["baseline"]
    if other == top or _middle(metric.key, other, won, document) is None:
        second = Counter(name for v in verdicts if v["best"] == top and (name := v["runner_up"]))
        other = second.most_common(1)[0][0]
    mine, theirs = (
        _middle(metric.key, top, won, document),
        _middle(metric.key, other, won, document),
    )
    word = "median " if len(won) > 1 else ""
    if (
        metric.key == GOODPUT and len(won) > 1 and mine and theirs
    ):  # Conditions may differ in rate: a ratio says more.
        return f"median {_percent(_ratio(metric.key, top, other, won, document))} than {other}"
    if mine is None or theirs is None:  # Not of a winner: it and its runner-up have results.
        return "no result"
    return f"{word}{scaled(mine, metric.unit)} against {scaled(theirs, metric.unit)} of {other}"


def _price(top: str, won: Sequence[int], document: Facts) -> str:
    """The price of the delay: the winner's goodput beside the baseline's, where it won."""
    if top == document["baseline"]:
        return ""
    rows = [r for r in document["rows"] if r["scheme"] == top and r["condition"] in won]
    blocks = [block for r in rows if (block := (r["versus"] or {}).get(GOODPUT))]
    ratios = [block["ratio"] for block in blocks if block["ratio"]]
    if not ratios:
        return ""
    if not any(excludes_zero(block) for block in blocks):
        return " at no significant change of goodput"
    return f" at {_percent(median(ratios))} goodput"


def _ratio(key: str, mine: str, theirs: str, conditions: Sequence[int], document: Facts) -> float:
    """The median over these conditions of one scheme's mean over another's."""
    both = [[_middle(key, name, [n], document) for name in (mine, theirs)] for n in conditions]
    return median(a / b for a, b in both if a is not None and b)


def _percent(ratio: float) -> str:
    return f"{significant(100 * abs(ratio - 1), 2)} % {'more' if ratio > 1 else 'less'}"


def _middle(key: str, scheme: str, conditions: Iterable[int], document: Facts) -> float | None:
    """The median of a scheme's means over these conditions."""
    wanted = set(conditions)
    rows = [r for r in document["rows"] if r["scheme"] == scheme and r["condition"] in wanted]
    known = [cell["mean"] for r in rows if (cell := measured(r, key))]
    return median(known) if known else None


def _ties(metric: Metric, ties: Sequence[Sequence[str]], document: Facts) -> str:
    """The schemes that tie; or, over many conditions, those that rarely do."""
    if len(ties) == 1:
        return f" ({_and(ties[0])} tie)"
    known = dict.fromkeys(row["scheme"] for row in document["rows"] if measured(row, metric.key))
    behind = {name: sum(name not in names for names in ties) for name in known}
    often = [f"{name} is behind in {k}" for name, k in behind.items() if 2 * k > len(ties)]
    return f" in any of {len(ties)} conditions" + (f"; {_and(often)}" if often else "")


def _of(ties: Sequence[Sequence[str]], n: int) -> str:
    """Number of ties, with names if they are always the same."""
    same = {frozenset(names) for names in ties}
    whom = f" of {_and(ties[0])}" if len(same) == 1 else ""
    return f"{whom} in {len(ties)}"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
