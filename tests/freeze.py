"""Freezes what Dumbbell computes, to show that a change which should move no result moves none.

    python tests/freeze.py            # the shipped scenarios (seconds)
    python tests/freeze.py --papers   # also each paper's quick reproduction (minutes)
    python tests/freeze.py --update   # writes tests/frozen.json; says what moved

For each scenario it keeps the fingerprint and the plan hash of each point, and a digest of the
whole result document. For each paper it keeps a digest of the document. The forty drawn graphs are
kept by `crates/dumbbell-sim/tests/folding.rs`, the instructions by `bench/guard.py`.

`--out DIR` writes the documents themselves, so that two versions can be compared with `diff -r`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FROZEN = ROOT / "tests" / "frozen.json"
DUMBBELL = Path(sys.executable).with_name("dumbbell")

MACHINE = {"wall_s", "report", "version", "threads", "cpu_s"}
"""Keys whose values belong to the machine or to the moment."""


def settled(value: Any) -> Any:
    """The document without what belongs to the machine."""
    if isinstance(value, dict):
        return {key: settled(each) for key, each in value.items() if key not in MACHINE}
    return [settled(each) for each in value] if isinstance(value, list) else value


def fingerprints(value: Any) -> list[str]:
    """Every fingerprint in a document, in its order."""
    if isinstance(value, dict):
        own = [value["fingerprint"]] if isinstance(value.get("fingerprint"), str) else []
        return own + [each for key in value for each in fingerprints(value[key])]
    return [each for one in value for each in fingerprints(one)] if isinstance(value, list) else []


def digest(value: Any) -> str:
    """BLAKE2 of the document as JSON, its keys in the document's order."""
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=16).hexdigest()


def printed(*words: str, folder: Path = ROOT) -> Any:
    """The JSON document that the command prints."""
    done = subprocess.run(
        [DUMBBELL, *words, "--json"], cwd=folder, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def dumbbell(*words: str, folder: Path = ROOT) -> Any:
    """The same without what belongs to the machine."""
    return settled(printed(*words, folder=folder))


def scenario(path: Path) -> tuple[dict[str, Any], Any]:
    """What is kept of a shipped scenario, and its document."""
    from dumbbell import api

    points = api.plan(api.request({"path": str(path)}))["points"]
    document = dumbbell("run", str(path.relative_to(ROOT)))
    kept = {
        "plan_hash": [point["plan_hash"] for point in points],
        "fingerprint": fingerprints(document),
    }
    return {**kept, "document": digest(document)}, document


def paper(name: str) -> tuple[dict[str, Any], Any]:
    """What is kept of a paper's quick reproduction, and its document."""
    with tempfile.TemporaryDirectory() as scratch:
        document = dumbbell("reproduce", name, "--quick", folder=Path(scratch))
    return {"document": digest(document)}, document


def freeze(papers: bool, out: Path | None = None) -> dict[str, Any]:
    """The state of this checkout. papers: the quick reproductions, too."""
    found: dict[str, Any] = {}
    jobs = [
        (f"scenarios/{path.name}", scenario, path)
        for path in sorted((ROOT / "scenarios").glob("*.toml"))
    ]
    if papers:
        jobs += [
            (f"papers/{path.name}", paper, path.name)
            for path in sorted((ROOT / "papers").iterdir())
        ]
    for name, of, subject in jobs:
        found[name], document = of(subject)
        if out:
            file = out / f"{name}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return found


def main() -> int:
    """Compares or updates; 3 if something moved."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--papers", action="store_true", help="the quick reproductions, too")
    options.add_argument("--update", action="store_true", help="write tests/frozen.json")
    options.add_argument("--out", type=Path, help="write the documents into this folder")
    given = options.parse_args()
    found = freeze(given.papers, given.out)
    known = json.loads(FROZEN.read_text(encoding="utf-8")) if FROZEN.exists() else {}
    moved = [name for name, now in found.items() if known.get(name) != now]
    for name in moved:
        parts = [part for part, now in found[name].items() if known.get(name, {}).get(part) != now]
        print(f"{name}: {', '.join(parts)} moved", file=sys.stderr)
    if given.update:
        text = json.dumps({**known, **found}, indent=1, sort_keys=True) + "\n"
        FROZEN.write_text(text, encoding="utf-8")
        return os.EX_OK
    print(f"{len(found) - len(moved)} of {len(found)} as frozen")
    return 3 if moved else os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
