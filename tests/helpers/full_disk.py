"""Runs every command that writes where nothing can be written: on a full disk, and on one that is
read-only.

A program of its own, so that its mounts are in a namespace of its own:
`unshare -rm python full_disk.py FOLDER`. FOLDER has a result, `out`. Prints a JSON object: for each
disk and command its exit code, what it said, and the files that are not as they were.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

from dumbbell import cli

COMMANDS = {
    "run": ("run", "net.toml", "--out", "{disk}/out"),
    "page": ("run", "net.toml", "--page", "{disk}/page.html"),
    "markdown": ("run", "net.toml", "--page", "{disk}/page.md"),
    "plot": ("plot", "out", "cwnd", "--out", "{disk}/figures"),
    "export": ("export", "csv", "out", "--table", "packets", "-o", "{disk}/packets.csv"),
    "vectors": ("rtl", "red", "--vectors", "{disk}/vectors", "--packets", "2000"),
    "new": ("new", "aqm", "mine", "--python"),
    "sweep": (
        "sweep",
        "net.toml",
        "--over",
        "queue.limit=20 pkt,30 pkt",
        "--store",
        "{disk}/store",
    ),
}
OLD = ("page.html", "page.md", "packets.csv", "figures/cwnd.svg", "out/summary.json")


def mounted(at: Path) -> None:
    """A disk with older files of all names."""
    at.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", at], check=True)
    for name in OLD:
        (at / name).parent.mkdir(exist_ok=True)
        (at / name).write_text("older", encoding="utf-8")


def full(at: Path) -> None:
    with contextlib.suppress(OSError), (at / "filler").open("wb", buffering=0) as out:
        while True:
            out.write(bytes(4096))


def read_only(at: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", at], check=True)


def main(folder: Path, wanted: list[str]) -> None:
    said: dict[str, dict[str, object]] = {}
    for spoil in (full, read_only):
        disk = folder / spoil.__name__
        mounted(disk)
        spoil(disk)
        for name in wanted:
            words = [word.replace("{disk}", str(disk)) for word in COMMANDS[name]]
            home = disk if name == "new" else folder
            os.chdir(home)
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
                code = cli._code(words)
            changed = [old for old in OLD if (disk / old).read_text(encoding="utf-8") != "older"]
            left = [
                one.name for one in disk.iterdir() if one.name.startswith((".new-", ".growing-"))
            ]
            said[f"{spoil.__name__}, {name}"] = {
                "code": code,
                "says": errors.getvalue(),
                "changed": changed,
                "left": left,
            }
    os.chdir(folder)
    print(f"\n{json.dumps(said)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
