"""Seeded faults: an algorithm with one mistake turns lines red that a sound one like it passes."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from dumbbell.conform import documents, work
from dumbbell.conform.subject import Kind, Subject

FILE = str(Path(__file__).with_name("faulty.py"))
SOUND = {"cc": "sound_reno", "aqm": "sound_limit"}
FAULTS = [
    ("cc", "never_reduces", ["rfc9743.5.1.1.loss", "rfc9743.5.1.3.shallow"]),
    ("cc", "five_percent", ["rfc9743.5.2.1.reno", "rfc9743.5.2.3.short"]),
    ("cc", "ten_per_round", ["rfc9743.5.1.3.shallow", "rfc9743.7.8.onset"]),
    ("cc", "ignores_marks", ["rfc9743.7.1.codel.ecn.wait", "rfc9743.7.1.codepoint"]),
    ("cc", "timid", ["rfc9743.5.3.2.alone", "rfc9743.6.3.fast", "rfc9743.7.5.satellite"]),
    ("aqm", "never_drops", ["rfc7928.5.1.1.wait", "rfc7928.9.1.voice"]),
    ("aqm", "one_packet", ["rfc7928.7.III.video", "rfc7928.8.2.3.use"]),
    ("aqm", "drops_markable", ["rfc7928.4.5.marks"]),
    ("aqm", "marks_all", ["rfc7928.4.5.use"]),
    ("aqm", "drops_large", ["rfc7928.4.4.small"]),
]
GAINS = [
    ("bbr3:down_pacing_gain=0.75", "bbr.A.8.gain"),
    ("bbr3:probe_rtt_cwnd_gain=0.7", "bbr.A.10.gain"),
    ("bbr3:probe_rtt_time=100 ms", "bbr.A.10.duration"),
    ("bbr3:probe_rtt_interval=8 s", "bbr.A.10.interval"),
    ("bbr3:min_cwnd=2 pkt", "bbr.A.14.floor"),
]
"""Parameters of BBRv3 with which it is no longer the draft's, and the line that says so."""


def verdicts(
    kind: Kind, name: str, ids: list[str], use: tuple[str, ...] = (FILE,), seeds: int = 5
) -> list[str]:
    subject = Subject.read(kind, name, use)
    jobs = [(subject, documents.find(kind, one)) for one in ids]
    return [one.verdict for one in work.conform(jobs, work.Options(use=use, seeds=seeds))[0]]


@pytest.mark.parametrize(("kind", "name", "ids"), FAULTS, ids=[fault[1] for fault in FAULTS])
def test_a_fault_turns_its_lines_red(kind: str, name: str, ids: list[str]) -> None:
    assert verdicts(cast(Kind, kind), name, ids) == ["fail"] * len(ids)


@pytest.mark.parametrize("kind", SOUND)
def test_a_sound_algorithm_passes_them(kind: Kind) -> None:
    ids = list(dict.fromkeys(one for of, _, every in FAULTS if of == kind for one in every))
    assert verdicts(kind, SOUND[kind], ids) == ["pass"] * len(ids)


@pytest.mark.parametrize(("text", "line"), GAINS)
def test_a_bbr_with_another_constant_fails_its_case(text: str, line: str) -> None:
    assert verdicts("cc", "bbr3", [line], (), 2) == ["pass"]
    assert verdicts("cc", text, [line], (), 2) == ["fail"]


def test_the_drain_gain_of_the_draft_passes() -> None:
    """What fails with the defaults passes with the constant of revision 06."""
    assert verdicts("cc", "bbr3:drain_pacing_gain=0.5", ["bbr.A.3.gain"], (), 2) == ["pass"]
