"""packetdrill's scripts: those from RFCs hold, damaged ones fail, and what is outside the subset is
named at its place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from dumbbell import ScenarioError, cli
from dumbbell.validate import packetdrill
from dumbbell.validate.packetdrill import asserts
from dumbbell.validate.packetdrill.translate import translate

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "scripts" / "packetdrill").glob("*.pkt"))
PAGE = (ROOT / "docs" / "reference" / "packetdrill.md").read_text(encoding="utf-8")
FAILING = {"rfc5681-app-limited"}
"""Scripts that fail; the page says why."""

OPEN = """0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
"""


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_holds_or_is_named(path: Path) -> None:
    outcome = packetdrill.run(path)
    assert outcome.ok == (path.stem not in FAILING), outcome


def test_the_page_names_what_fails_and_counts_what_is_there() -> None:
    rows = set(re.findall(r"^\| `([\w-]+)\.pkt` \|", PAGE, re.M))
    assert rows == FAILING
    assert f"has {len(SCRIPTS)} scripts" in PAGE and len(SCRIPTS) >= 25
    assert len(FAILING) <= 0.2 * len(SCRIPTS)
    assert all(f"`{field}`" in PAGE for field in asserts.FIELDS)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_damaged_script_fails(path: Path) -> None:
    """The last thing that a script expects is changed: another number or another byte."""
    text = path.read_text(encoding="utf-8")
    asserted = list(re.finditer(r"(assert tcpi_\w+ (?:==|<=|>=) )(\d+)", text))
    sent = list(re.finditer(r"(> F?P?\. )(\d+):(\d+)\((\d+)\)", text))
    if asserted and "==" in asserted[-1][1]:
        found = asserted[-1]
        changed = f"{found[1]}{int(found[2]) + 1}"
    else:
        found = sent[-1]
        changed = f"> . {int(found[2]) + 1}:{int(found[3]) + 2}({int(found[4]) + 1})"
    damaged = text[: found.start()] + changed + text[found.end() :]
    outcome = packetdrill.run_text(damaged, "damaged.pkt")
    assert not outcome.ok
    line = text[: found.start()].count("\n") + 1
    assert any(one.line <= line + 1 for one in outcome.failures)


def test_a_translation_by_hand() -> None:
    made = translate(
        OPEN
        + """// a comment
+0 write(4, ..., 2500) = 2500 /* another
one */
+0 > P. 1:2501(2500) ack 1
+.1~+.3 < . 1:1(0) ack 1 win 10 <nop,nop,sack 1001:2001>
+0 %{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd
assert tcpi_ca_state == 0 }%
1 close(4) = 0
""",
        "x.pkt",
    )
    assert made.text.splitlines() == [
        "sender cc=sack mss=1000B sack=true timestamps=false handshake=true",
        "0~4000us > SYN",
        "0.1 < SYN-ACK mss 1000 sackok true tsok false wscale 7 win 128000",
        "0.1~4000us > ack 1",
        "0.1 write 2500 B",
        "0.1~4000us > 1:1001, 1001:2001, 2001:2501",
        "0.3 < ack 1 sack 1001:2001 win 1280",
        "0.3 ? cwnd >= 10 pkt",
        "0.3 ? cwnd < 11 pkt",
        "0.3 ? phase == open",
        "1 close",
        "> any",
    ]
    assert [place.line for place in made.places[1:]] == [5, 6, 6, 9, 11, 12, 13, 13, 13, 15, 15]


def test_a_failure_is_told_at_its_place() -> None:
    outcome = packetdrill.run_text(
        OPEN + "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:901(900) ack 1\n", "x.pkt"
    )
    (failure,) = outcome.failures
    assert (failure.line, failure.column) == (9, 4)
    assert "x.pkt:9:4" in str(failure) and "1:1001" in failure.came


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("soon socket() = 3", "1:1", "not a time"),
        (OPEN + "0.05 close(4) = 0", "8:1", "time goes back"),
        (OPEN + "+0", "8:1", "without a statement"),
        (OPEN + "+0 poll(4, 1, 0) = 1", "8:4", "outside the subset"),
        (OPEN + "+0 write(4, ..., 1000) = 500", "8:4", "return what they are given"),
        (OPEN + "+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0", "8:4", "socket option"),
        (OPEN + '+0 setsockopt(4, SOL_TCP, TCP_CONGESTION, "westwood", 4) = 0', "8:4", "westwood"),
        (OPEN + "+0 > P. 1:1001(999) ack 1", "8:9", "1000 bytes, not 999"),
        (OPEN + "+0 > R. 1:1(0) ack 1", "8:6", "resets"),
        (OPEN + "+0 < P. 1:101(100) ack 1 win 9", "8:4", "tests senders"),
        (OPEN + "+0 > . 1:1(0) ack 1", "8:4", "pure acknowledgments"),
        (OPEN + "+0 < . 1:1(0) ack 1 win 9 <nop,md5 1>", "8:32", "`md5 1`"),
        (OPEN + "+0 %{ assert tcpi_lost == 0 }%", "8:4", "tcpi_lost"),
        (OPEN + "+0 %{ print(1) }%", "8:4", "not an assertion"),
        (OPEN + "+0 `ip link`", "8:4", "outside the subset"),
        (OPEN + "/* no end", "8:1", "does not end"),
        (OPEN + "+0 %{ assert", "8:4", "does not end"),
        ("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3", "1:3", "no connection"),
        ("0 > . 1:1001(1000) ack 1", "1:3", "handshake"),
        ("", "1:1", "no connection"),
    ],
)
def test_what_is_outside_the_subset_is_named(text: str, place: str, said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        packetdrill.run_text(text, "x.pkt")
    assert f"x.pkt:{place}: " in str(refused.value)
    assert said in str(refused.value)


def test_the_command_takes_both_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.pkt").write_text(OPEN, encoding="utf-8")
    (tmp_path / "b.dbs").write_text("sender\n0 write 1 pkt\n0 > s1\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        cli.main(["script", str(tmp_path), "--json"])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert sorted(Path(one["file"]).name for one in found["scripts"]) == ["a.pkt", "b.dbs"]
    (tmp_path / "a.pkt").write_text(OPEN + "+0 %{ assert tcpi_snd_cwnd == 3 }%", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        cli.main(["script", str(tmp_path)])
    assert ended.value.code == 3
    with pytest.raises(SystemExit) as ended:
        cli.main(["script", str(tmp_path / "none.pkt")])
    assert ended.value.code == 2
