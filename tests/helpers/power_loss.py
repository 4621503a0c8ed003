"""Runs commands on an ext4 image and looks, after each, at a copy of the image: what a loss of
power would leave.

A program of its own, so that its mounts are in a namespace of its own:
`unshare -m python power_loss.py FOLDER`. Prints a JSON object: for each command its exit code, the
files that were there, and those that the copy has not whole.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from dumbbell import cli

SCENARIO = """
duration = "1 s"
queue = { kind = "red", limit = "36 pkt" }
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
flow = [{ name = "s", count = 2, start_spread = "100 ms" }]
record = { every = "100 ms", packets = true }
"""
COMMANDS = {
    "run": ("run", "net.toml", "--out", "{disk}/out", "--page", "{disk}/page.html"),
    "run again": (
        "run",
        "net.toml",
        "--seed",
        "2",
        "--out",
        "{disk}/out",
        "--page",
        "{disk}/page.html",
    ),
    "export": ("export", "pcapng", "{disk}/out", "-o", "{disk}/packets.pcapng"),
    "plot": ("plot", "{disk}/out", "cwnd"),
    "vectors": ("rtl", "red", "--vectors", "{disk}/vectors", "--packets", "100"),
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
SIZE = 48 << 20


def mounted(image: Path, at: Path) -> None:
    at.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", image, at], check=True)


def files(base: Path) -> dict[str, bytes]:
    """The files below a folder that have their names."""
    found = (one for one in base.rglob("*") if one.is_file() and "lost+found" not in one.parts)
    return {str(one.relative_to(base)): one.read_bytes() for one in found}


def main(folder: Path, wanted: list[str]) -> None:
    image, copy = folder / "disk.img", folder / "copy.img"
    disk, after = folder / "disk", folder / "after"
    with image.open("wb") as out:
        out.truncate(SIZE)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    mounted(image, disk)
    (folder / "net.toml").write_text(SCENARIO, encoding="utf-8")
    said = {}
    for name in wanted:
        words = [word.replace("{disk}", str(disk)) for word in COMMANDS[name]]
        code = cli._code(words)
        shutil.copyfile(image, copy)
        mounted(copy, after)  # The journal is replayed, as after a loss of power.
        now, then = files(disk), files(after)
        subprocess.run(["umount", after], check=True)
        said[name] = {
            "code": code,
            "files": len(now),
            "lost": [f for f, data in now.items() if then.get(f) != data],
        }
    subprocess.run(["umount", disk], check=True)
    print(f"\n{json.dumps(said)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
