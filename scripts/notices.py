"""Writes the licenses of all crates that a built wheel has in it, and refuses crates whose license
is not allowed.

    python scripts/notices.py THIRD-PARTY-NOTICES

The texts are those of the crates' own sources, which a build has downloaded.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHEEL = "dumbbell-py"
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
ALLOWED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "Unicode-3.0",
        "Unlicense",
        "Zlib",
    }
)
"""Licenses that ask for their text and nothing else."""
_TEXTS = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE")
_STANDARD = {"Apache-2.0": "LICENSE-APACHE"}
"""Texts that are the same for everybody, for crates that leave theirs out."""


@dataclass(frozen=True, order=True)
class Crate:
    """A crate of others, and its sources."""

    name: str
    version: str
    license: str
    folder: Path

    def texts(self) -> list[str]:
        """The texts of its license files. `LookupError` if it has none, and its license has no
        standard text."""
        files = sorted(
            file
            for file in self.folder.iterdir()
            if file.is_file() and file.name.upper().startswith(_TEXTS)
        )
        if not files and self.license in _STANDARD:
            files = [ROOT / _STANDARD[self.license]]
        if not files:
            raise LookupError(
                f"{self.name} {self.version} ({self.license}) comes without the text of its license"
            )
        return [file.read_text(errors="replace").strip() for file in files]


def crates() -> list[Crate]:
    """Those that a wheel for any of the targets has in it."""
    return sorted({crate for target in TARGETS for crate in _linked(_metadata(target))})


def _metadata(target: str) -> dict:
    command = [
        "cargo",
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        target,
    ]
    return json.loads(
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    )


def _linked(metadata: dict) -> Iterator[Crate]:
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] == WHEEL]
    seen = set(waiting)
    while waiting:
        key = waiting.pop()
        package = packages[key]
        if package["source"] is not None:  # Else it is ours.
            folder = Path(package["manifest_path"]).parent
            yield Crate(package["name"], package["version"], package["license"] or "none", folder)
        linked = {
            need["pkg"]
            for need in needs[key]
            if any(kind["kind"] is None for kind in need["dep_kinds"])
        }
        waiting += linked - seen
        seen |= linked


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression (also with `/`, as crates once wrote `OR`) can be met with allowed
    licenses."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def either() -> bool:
        met = both()
        while words and words[0] == "OR":
            words.pop(0)
            met = both() or met
        return met

    def both() -> bool:
        met = one()
        while words and words[0] == "AND":
            words.pop(0)
            met = one() and met
        return met

    def one() -> bool:
        word = words.pop(0)
        if word == "(":
            met = either()
            words.pop(0)
            return met
        if words and words[0] == "WITH":
            word = f"{word} {words.pop(0)} {words.pop(0)}"
        return word in ALLOWED

    return either()


def document(of: list[Crate]) -> str:
    """Each text once, below the crates that have it. `LookupError`: a license is not allowed, or a
    text is missing."""
    refused = [
        f"{crate.name} {crate.version}: {crate.license}"
        for crate in of
        if not is_allowed(crate.license)
    ]
    if refused:
        raise LookupError(f"licenses that are not allowed: {', '.join(refused)}")
    bearers: dict[str, list[Crate]] = {}
    for crate in of:
        for text in crate.texts():
            bearers.setdefault(text, []).append(crate)
    parts = ["The crates that are compiled into Dumbbell, and their licenses.\n"]
    for text, found in bearers.items():
        names = "\n".join(f"{crate.name} {crate.version} ({crate.license})" for crate in found)
        parts.append(f"{'=' * 100}\n{names}\n\n{text}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    try:
        Path(sys.argv[1]).write_text(document(crates()), encoding="utf-8")
    except LookupError as error:
        sys.exit(str(error))
