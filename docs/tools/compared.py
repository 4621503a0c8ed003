"""Writes the measured tables of docs/explanation/compare.md: speed beside ns-2 and ns-3, results
beside ns-2's.

python docs/tools/compared.py # measures everything anew; the machine must be idle python
docs/tools/compared.py RATIOS.json ... RESULTS.json # from documents of `dumbbell compare --json`
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "explanation" / "compare.md"

JSON = dict[str, Any]


def main(files: list[str]) -> None:
    """Reads or measures, and writes the page."""
    documents = [json.loads(Path(name).read_text(encoding="utf-8")) for name in files] or [
        _measured(),
        _measured("--results"),
    ]
    rows = [row for document in documents for row in document.get("rows", [])]
    text = PAGE.read_text()
    if rows:
        text = _put(text, "ratios", _ratios(rows))
    for document in documents:
        if "scenarios" in document:
            text = _put(text, "results", _results(document))
            text = _put(text, "followed", _followed(document["followed"]))
    PAGE.write_text(text)


def _measured(*words: str) -> JSON:
    command = [sys.executable, "-m", "dumbbell", "compare", *words, "--json"]
    found: JSON = json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    )
    return found


def _put(text: str, name: str, table: str) -> str:
    begin, end = f"<!-- measured: {name} -->", "<!-- end measured -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{PAGE.name} has no place for {name}")
    return pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text)


def _table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ratios(rows: list[JSON]) -> str:
    columns = [
        "beside",
        "flows, rate, time, queue",
        "goodput, Mbit/s",
        "drops, %",
        "ns per hop",
        "kB per flow",
    ]
    columns += ["times as fast", "times as small"]
    return _table(columns, [_ratio(row) for row in rows])


def _ratio(row: JSON) -> list[str]:
    a, b = row["ours"], row["theirs"]
    where = (
        f"{row['flows']}, {row['rate_bps'] / 1e6:g} Mbit/s, {row['time_s']:g} s, `{row['queue']}`"
    )
    fast = f"{row['time_ratio']:.3g}" if row["alike"] else f"*not a comparison: {row['why']}*"
    return [
        row["against"],
        where,
        f"{a['goodput_bps'] / 1e6:.1f} / {b['goodput_bps'] / 1e6:.1f}",
        f"{100 * a['drop_rate']:.3f} / {100 * b['drop_rate']:.3f}",
        f"{a['ns_per_packet_hop']:.1f} / {b['ns_per_packet_hop']:.0f}",
        f"{a['bytes_per_flow'] / 1000:.0f} / {b['bytes_per_flow'] / 1000:.0f}",
        fast,
        f"{row['memory_ratio']:.2g}" if row["alike"] else "",
    ]


_NAMES = {
    "utilization": ("utilization, %", 100),
    "mean_queue": ("queue, pkt", 1),
    "drop_rate": ("drops, %", 100),
    "share_first": ("share of the nearest, %", 100),
    "share_last": ("share of the farthest, %", 100),
}


def _results(document: JSON) -> str:
    rows = []
    for scenario in document["scenarios"]:
        found = {q["quantity"]: q for q in scenario["quantities"]}
        pairs = [_pair(found.get(name), scale) for name, (_, scale) in _NAMES.items()]
        rows.append([f"`{scenario['scenario']}`", *pairs])
    agree = f"{document['agree']} of {document['quantities']} quantities agree."
    head = f"{agree} Ours / ns-2, mean ± 95 %; **bold**: differs."
    return f"{head}\n\n{_table(['scenario', *(title for title, _ in _NAMES.values())], rows)}"


def _pair(quantity: JSON | None, scale: float) -> str:
    if quantity is None:
        return ""
    text = " / ".join(_interval(quantity[side], scale) for side in ("ours", "theirs"))
    return text if quantity["agrees"] else f"**{text}**"


def _interval(value: JSON, scale: float) -> str:
    half = scale * (value["ci95"][1] - value["ci95"][0]) / 2
    digits = 3 if abs(scale * value["mean"]) < 3 else 2 if abs(scale * value["mean"]) < 10 else 1
    return f"{scale * value['mean']:.{digits}f} ± {half:.{digits}f}"


def _followed(flows: list[JSON]) -> str:
    columns = [
        "one flow",
        "buffer",
        "segments sent, ours / ns-2",
        "of which in the same order",
        "and at the same µs",
    ]
    rows = [
        [
            f["cc"],
            str(f["buffer"]),
            f"{f['ours']} / {f['theirs']}",
            _first(f, "same_order"),
            _first(f, "same_time"),
        ]
        for f in flows
    ]
    return _table(columns, rows)


def _first(flow: JSON, name: str) -> str:
    return (
        "all" if flow["whole"] and flow[name] == flow["same_order"] else f"the first {flow[name]}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
