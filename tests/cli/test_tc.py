"""`import-tc` and `export-tc` on the command line; what each word means is tested in Rust."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINE = "red limit 30000 min 5000 max 15000 avpkt 1000 burst 20 probability 0.02"


def dumbbell(*words: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, input=stdin, timeout=60, cwd=ROOT
    )


def test_a_line_becomes_tables_with_sentences() -> None:
    read = json.loads(dumbbell("import-tc", LINE, "--json").stdout)
    assert read["queue"]["kind"] == "red"
    assert read["queue"]["w_q"] == 2**-6
    assert read["link"] == {}
    assert any("burst 20" in sentence for sentence in read["explained"])
    text = dumbbell("import-tc", LINE).stdout
    assert read["toml"] in text
    assert all(f"# {sentence}" in text for sentence in read["explained"])


def test_lines_come_from_stdin_too() -> None:
    assert dumbbell("import-tc", "-", stdin=f"tc qdisc add dev eth0 root {LINE}\n").stdout == (
        dumbbell("import-tc", LINE).stdout
    )


def test_a_wrong_word_is_shown_and_ends_with_2() -> None:
    done = dumbbell("import-tc", "red limt 30000", "--json")
    assert done.returncode == 2
    assert "did you mean `limit`" in done.stderr
    assert json.loads(done.stdout)["error"]["problems"][0]["column"] == 5


@pytest.mark.parametrize("options", [[], ["--queue-only"], ["--dev", "veth1"]])
def test_exported_lines_are_read_again(options: list[str]) -> None:
    text = dumbbell("export-tc", "scenarios/first.toml", *options).stdout
    again = dumbbell("import-tc", "-", "--json", stdin=text)
    assert again.returncode == 0, again.stderr
    read = json.loads(again.stdout)
    assert read["queue"]["limit"] == "90 kB"
    assert read["link"] == (
        {} if "--queue-only" in options else {"rate": "10 Mbps", "delay": "10 ms"}
    )


def test_a_link_is_chosen_by_its_name() -> None:
    written = json.loads(
        dumbbell(
            "export-tc",
            "scenarios/first.toml",
            "--link",
            "left->far/sender",
            "-s",
            "queue=drop_tail",
            "--json",
        ).stdout
    )
    assert written["link"] == "left->far/sender"
    assert "parent 2:1 pfifo limit 4294967295" in written["lines"][-1]
    done = dumbbell("export-tc", "scenarios/first.toml", "--link", "nope")
    assert done.returncode == 2
    assert "bottleneck" in done.stderr


def test_a_shared_buffer_has_no_counterpart_in_tc(tmp_path: Path) -> None:
    file = tmp_path / "shared.toml"
    file.write_text(
        """
        duration = "1 s"
        star.hosts = 3
        star.link = { rate = "10 Mbps", delay = "1 ms" }
        star.shared_buffer = { size = "60 kB", alpha = 0.5 }
        flow = [{ from = "h1", to = "h2" }]
        """
    )
    done = dumbbell("export-tc", file, "--link", "hub->h2")
    assert done.returncode == 2
    assert done.stdout == ""
    said = " ".join(done.stderr.split())
    assert "tc has no buffer that queues share: the limit of hub->h2 is alpha = 0.5" in said
    # alpha B / (1 + alpha), with which a queue and alpha times what it leaves are equal.
    assert 'such as limit = "20000 B"' in said
    host = dumbbell("export-tc", file, "--link", "h1->hub", "-s", 'queue={limit="9 pkt"}')
    assert host.returncode == 0, host.stderr


def test_what_tc_cannot_say_ends_with_2() -> None:
    done = dumbbell("export-tc", "scenarios/first.toml", "-s", "queue.gentle=true")
    assert done.returncode == 2
    assert "gentle" in done.stderr
    assert done.stdout == ""
