"""The live experiment on the page of an algorithm: the laboratory in a frame, with a scenario that
uses the algorithm."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

from dumbbell import catalogue
from dumbbell.view.lab import forms

PAGE = "lab/lab.html"
"""The laboratory's place on the site. All experiments share it."""
_OPENED = "const frame = this.querySelector('iframe'); frame.src ||= frame.dataset.src"
"""Nothing is loaded before; browsers load `loading=lazy` in a closed `details`."""
_FORM = Path(__file__).parents[3] / "web" / "lab" / "lab.toml"
_TEXT = """duration = "30 s"
warmup = "5 s"

[dumbbell.bottleneck]
rate = "10 Mbps"
delay = "1 ms"
{link}
[queue]
kind = {queue}
limit = "60 pkt"

[[flow]]
name = "near"
count = 2
cc = "cubic"
rtt = "30 ms"
start_spread = "1 s"
{near}
[[flow]]
name = "far"
{far}
rtt = "80 ms"
start_spread = "1 s"
"""
_BESIDE: Mapping[str, Mapping[str, str]] = {
    "step_mark": {"cc": "dctcp"},
    "dctcp": {"queue": "step_mark"},
    "prague": {"queue": "dualpi2"},
    "dualpi2": {"cc": "prague"},
}
"""The queue or the control that an algorithm was made for, instead of the form's first."""
_SAID = {
    "red_hw": 'min_th = "15 pkt"\nmax_th = "45 pkt"\nidle_half_life = "20 ms"',
    "bernoulli": "loss = 0.01",
    "bit_error": "rate = 1e-6",
    "corrupt": "rate = 0.01",
    "duplicate": "share = 0.02",
    "down": 'at = [["15 s", "1 s"]]',
    "tbf": 'rate = "3 Mbps"',
}
"""Parameters whose defaults do nothing here, or let nothing pass."""


def possible(a: catalogue.Algorithm) -> bool:
    """Whether the module has the algorithm: it has no simulator of RTL."""
    return a.language == "Rust"


def scenario(a: catalogue.Algorithm) -> str:
    """The scenario that the experiment begins with."""
    if (values := _values(a)) is None:
        return _text(a)
    about = _about()
    return forms.filled(about, {**forms.first(about), **values})


def section(a: catalogue.Algorithm, up: str) -> str:
    """The part of the page. up: the way from the page to the site's beginning."""
    if not possible(a):
        return f"## Try it\n\n`{a.name}` is in {a.language}, which does not run in a browser.\n"
    values = _values(a)
    said = {"toml": scenario(a)} if values is None else values
    address = "&".join(f"{key}={quote(value, safe='')}" for key, value in said.items())
    source = escape(f"{up}{PAGE}#{address}")
    moved = "Edit the scenario" if values is None else "Move a slider"
    return (
        "## Try it\n\n"
        f"The simulator runs in this page. {moved}, and the figures follow.\n\n"
        f'<details ontoggle="{_OPENED}"><summary>Start the experiment (a page of 1.5 MB)</summary>'
        f'<iframe title="Experiment with {a.name}" data-src="{source}" '
        'style="width: 100%; height: 64rem; border: 0"></iframe>'
        f'<p><a href="{source}" target="_blank">Open it in a page of its own</a></p></details>\n'
    )


@functools.cache
def _about() -> dict[str, object]:
    return tomllib.loads(_FORM.read_text(encoding="utf-8"))


def _values(a: catalogue.Algorithm) -> dict[str, str] | None:
    """Values of the form's choices; None: the form has none for its kind."""
    if a.name in _SAID:
        return None
    if a.kind == "cc":
        return {"cc": a.name, **_BESIDE.get(a.name, {})}
    if a.kind in catalogue.QUEUES:
        return {"queue": a.name, **_BESIDE.get(a.name, {})}
    return None


def _text(a: catalogue.Algorithm) -> str:
    words = [f'kind = "{a.name}"', *([_SAID[a.name]] if a.name in _SAID else [])]
    table = f"{{ {', '.join(words)} }}"
    parts = {"link": "", "queue": '"red"', "near": "", "far": 'cc = "cubic"'}
    match a.kind:
        case "aqm":
            parts["queue"] = f'"{a.name}"\n{_SAID[a.name]}'
        case "source":
            parts["far"] = f"source = {table}"
        case "impairment":
            parts["link"] = f"impairment = [{table}]\n"
        case "service":
            parts["link"] = f"service = {table}\n"
        case _:
            parts |= {"link": f"conditioner = {table}\n", "queue": '"rio"'}
            parts["near"] = 'reserved = "3 Mbps"\n'
    return _TEXT.format(**parts)
