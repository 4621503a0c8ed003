"""The document of an advice: numbers in the units of what was asked, however much smaller the
simulated network was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ....present import stats
from ...frame.paired import BySeed, Cell, cell_of, gain
from ...frame.runs import Whole
from . import config_lines, judge, narrative, scale
from .conditions import Condition
from .document import (
    Advice,
    Asked,
    Bucket,
    Buffer,
    Candidate,
    CaseRow,
    Document,
    FailsRow,
    Gains,
    Measured,
    Simulated,
)
from .judge import Values
from .network import Case
from .options import Found, Options
from .question import Question


def document(options: Options, whole: Whole, found: Found | None, seeds: Sequence[int]) -> Document:
    """All of it, without paths; `found` is None if a run has no result."""
    if found is None:
        return cast(Document, {**whole, "kind": "marker", "sentence": None})
    question, scaled = options.question, found.scaled
    real = Real(question, scaled.rate_scale)
    size, burst = found.marker
    best = max(found.alone, key=lambda n: stats.mean(list(found.alone[n].total.values())))
    mine, plain = found.by_burst[burst], found.alone[found.deepest]
    body: Advice = {
        "kind": "marker",
        **_question(question),
        **real.buffer(size),
        **real.bucket(burst),
        "size_near_packets": [real.packets(n) for n in _near(found.by_size)],
        "target_bps": Case.of(question).target_bps,
        **real.measured(mine),
        "token_bucket": {**real.bucket(found.deepest), **real.measured(plain)},
        **real.gains(mine, plain),
        "gain_best_effort_bps": real.rate(gain(mine.best_effort, plain.best_effort)),
        "best_bucket": {
            **real.bucket(best),
            **real.measured(found.alone[best]),
            **real.gains(mine, found.alone[best]),
        },
        "candidates": _candidates(found, real),
        "fails": [_condition(one, values, real) for one, values in found.others],
        "simulated": _simulated(options, found, seeds),
        "paste": {
            "scenario": config_lines.scenario(
                question, real.packets(size), real.bucket(burst)["burst_bytes"]
            ),
            "tc": config_lines.tc(question, real.bucket(found.deepest)["burst_bytes"], options.dev),
            "tc_notes": config_lines.tc_notes(question),
        },
        "limits": [],
    }
    body["limits"] = narrative.limits(question, body)
    return {
        **whole,
        "sentence": narrative.advice(body),
        "bucket_sentence": narrative.bucket(body),
        "rule": narrative.RULE,
        **body,
    }


class Real:
    """From simulated numbers to those of the network that was asked for."""

    def __init__(self, question: Question, rate_scale: float) -> None:
        self.question = question
        self.scale = rate_scale

    def packets(self, size: int) -> int:
        """A data buffer [packets]."""
        return round(size * self.scale)

    def rate(self, block: Cell | None) -> Cell | None:
        """A mean with its interval [bit/s]."""
        if block is None:
            return None
        ends = block["ci95"]
        return {
            "mean": block["mean"] * self.scale,
            "ci95": None if ends is None else [end * self.scale for end in ends],
            "n": block["n"],
        }

    def known(self, by_seed: BySeed) -> Cell:
        """The mean of a rate that every run has [bit/s]."""
        return cast(Cell, self.rate(cell_of(by_seed)))

    def buffer(self, size: int) -> Buffer:
        """A data buffer."""
        packets, q = self.packets(size), self.question
        return {
            "size_packets": packets,
            "size_bdp": packets / q.bdp_packets,
            "size_holding_s": 8 * packets * q.packet_bytes / q.rate_bps,
        }

    def bucket(self, burst: int) -> Bucket:
        """A bucket."""
        q = self.question
        real = max(round(burst * self.scale), q.packet_bytes)
        packets = real / q.packet_bytes
        return {"burst_bytes": real, "burst_packets": packets, "burst_bdp": packets / q.bdp_packets}

    def measured(self, of: Values) -> Measured:
        """The results of a marker."""
        return {
            "total_bps": self.known(of.total),
            "in_bps": self.rate(cell_of(of.inside)),
            "best_effort_bps": self.rate(cell_of(of.best_effort)),
            "tokens_lost_share": cell_of(of.lost),
            "holding_mean_s": cell_of(of.held_mean),
            "holding_p99_s": cell_of(of.held_p99),
        }

    def gains(self, mine: Values, plain: Values) -> Gains:
        """The differences of a marker from another, seed by seed."""
        return {
            "gain_total_bps": self.rate(gain(mine.total, plain.total)),
            "gain_in_bps": self.rate(gain(mine.inside, plain.inside)),
        }


def _question(question: Question) -> Asked:
    return {
        "rate_bps": question.rate_bps,
        "rtt_s": question.rtt_s,
        "packet_bytes": question.packet_bytes,
        "link_bps": question.link_bps,
        "flows": question.flows,
        "background": question.background,
        "reserved_share": question.reserved_share,
        "deepest_bucket_bdp": question.deepest_bucket,
        "cc": question.cc,
        "profile": question.profile,
        "bdp_packets": question.bdp_packets,
    }


def _near(by_size: Mapping[int, Values]) -> tuple[int, int]:
    """The smallest and the largest data buffer that keep the rule."""
    means = {n: stats.mean(list(of.total.values())) for n, of in by_size.items()}
    near = [n for n, mean in means.items() if mean >= (1 - judge.NEAR) * max(means.values())]
    return min(near), max(near)


def _tried(found: Found) -> dict[tuple[int, int], tuple[str, Values]]:
    """Every marker that was tried in the network that was asked for, once, with the round that it
    belongs to."""
    size, deepest = found.marker[0], found.deepest
    rows: dict[tuple[int, int], tuple[str, Values]] = {}
    rows |= {(n, deepest): ("size", of) for n, of in found.by_size.items()}
    rows |= {(size, n): ("burst", of) for n, of in found.by_burst.items() if (size, n) not in rows}
    return rows | {
        (0, n): ("token_bucket", of) for n, of in found.alone.items() if (0, n) not in rows
    }


def _candidates(found: Found, real: Real) -> list[Candidate]:
    """Rows of these, in the order of the rounds."""
    plain = found.alone[found.deepest]
    none: Gains = {"gain_total_bps": None, "gain_in_bps": None}
    return [
        {
            "round": word,
            **real.buffer(n),
            **real.bucket(depth),
            **real.measured(of),
            **(none if of is plain else real.gains(of, plain)),
            "chosen": (n, depth) == found.marker,
            "fingerprint": of.fingerprint,
        }
        for (n, depth), (word, of) in _tried(found).items()
    ]


def _condition(one: Condition, values: Mapping[int, Values], real: Real) -> FailsRow:
    mine = values[one.size]
    judged = judge.verdict(one.size, values)
    total = real.known(mine.total)
    row: FailsRow = {
        "condition": one.key,
        "text": one.text,
        "holds": judged["verdict"] == "holds",
        "verdict": judged["verdict"],
        "target_bps": one.case.target_bps * real.scale,
        "total_bps": total,
        "in_bps": real.rate(cell_of(mine.inside)),
        "token_bucket_total_bps": real.known(values[0].total),
        "gain_total_bps": real.rate(judged["gain_total_bps"]),
        "gain_in_bps": real.rate(judged["gain_in_bps"]),
        "reservation_met": total["mean"] >= one.case.rate_bps * real.scale,
        "best_size_packets": real.packets(judged["best_size_packets"]),
        "short_of_best_share": judged["short_of_best_share"],
        "sizes": [
            {"size_packets": real.packets(n), "total_bps": real.rate(cell_of(of.total))}
            for n, of in values.items()
        ],
        "simulated": {
            **_case(one.case),
            "size_packets": one.size,
            "burst_bytes": one.burst_bytes,
            "token_bucket_burst_bytes": one.alone_bytes,
        },
        "sentence": "",
    }
    row["sentence"] = narrative.condition(row)
    return row


def _case(case: Case) -> CaseRow:
    return {
        "rate_bps": case.rate_bps,
        "link_bps": case.link_bps,
        "flows": case.flows,
        "background": case.background,
        "rtt_s": case.rtt_s,
        "other_rtts_s": list(case.other_rtts_s),
        "packet_bytes": case.packet_bytes,
        "cc": case.cc,
        "profile": case.profile,
        "loss_share": case.loss,
        "queue_limit_packets": case.limit,
    }


def _simulated(options: Options, found: Found, seeds: Sequence[int]) -> Simulated:
    scaled = found.scaled
    packets = scale.packets_per_run(options.budget_s, options.seeds)
    length, warmup = scale.lengths(scaled.case, packets, options.length_s)
    points = len(_tried(found)) + sum(len(values) for _, values in found.others)
    return {
        "seeds": list(seeds),
        "rate_scale": scaled.rate_scale,
        "flows_scale": scaled.flows_scale,
        "budget_s": options.budget_s,
        **_case(scaled.case),
        "size_packets": found.marker[0],
        "burst_bytes": found.marker[1],
        "duration_s": length,
        "warmup_s": warmup,
        "cycle_s": scaled.case.cycle_s,
        "asked_cycle_s": Case.of(options.question).cycle_s,
        "points": points,
    }
