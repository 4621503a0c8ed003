"""The one environment of all pages: templates, filters, the style sheet.

`pages/base.html.j2` is the frame of a page and `pages/parts.html.j2` has its tables, figures and
remarks; a template of another folder extends the one and imports the other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .grids import minus
from .messages import in_short
from .units import significant

PAGES = Path(__file__).parent / "pages"

MARKS = {"reproduced": "✓", "in part": "~", "contradicted": "✗", "not testable": "?", None: "·"}
"""A character for each verdict; None: a fitted cell has none."""


def environment(*folders: Path) -> Any:
    """The Jinja environment with the templates of `folders` and those of all pages."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader([*folders, PAGES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "breakable": _breakable,
        "minus": minus,
        "number": number,
        "span": span,
        "percent": percent,
        "mark": MARKS.__getitem__,
        "in_short": in_short,
        "slug": lambda verdict: (verdict or "fitted").replace(" ", "-"),
        "printed": printed,
        "sections": sections,
        "contents": contents,
        "hour": lambda at: time.strftime("%H:%M:%S", time.gmtime(at)),
    }
    return made


def render(template: Path, **values: Any) -> str:
    """The page that a template makes of these values. It finds those beside it, those of the folder
    above, and those of all pages."""
    folders = (template.parent, template.parent.parent)
    return str(environment(*folders).get_template(template.name).render(**values))


_HEADING = re.compile(r"<h2(?: id=\"([^\"]*)\")?>(.*?)</h2>", re.DOTALL)


def sections(body: str) -> Any:
    """The body of a page with a section around each heading and what follows it. A heading without
    an id gets one from its words, so that the contents can lead to it."""
    from markupsafe import Markup

    found = list(_HEADING.finditer(body))
    if not found:
        return Markup(body)
    taken: set[str] = set()
    parts = [body[: found[0].start()]]
    ends = [match.start() for match in found[1:]] + [len(body)]
    for match, end in zip(found, ends, strict=True):
        name = _free(match[1] or _slug(match[2]), taken)
        rest = body[match.end() : end].strip()
        parts.append(f'<section id="{name}">\n<h2>{match[2]}</h2>\n{rest}\n</section>\n')
    return Markup("\n".join(parts))


def contents(body: str) -> list[tuple[str, Any]]:
    """The sections that `sections` made: their ids and their headings."""
    from markupsafe import Markup

    found = re.findall(r'<section id="([^"]*)">\n<h2>(.*?)</h2>', body, re.DOTALL)
    return [(name, Markup(heading)) for name, heading in found]


def _slug(heading: str) -> str:
    """The words of a heading as an id."""
    words = re.sub(r"<[^>]*>|&[^;]*;", " ", heading).lower()
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-") or "part"


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken."""
    free = next(n for i in range(1, 1000) if (n := name if i == 1 else f"{name}-{i}") not in taken)
    taken.add(free)
    return free


def number(value: float | None, digits: int = 4) -> str:
    """A number with so many significant digits; a dash for none."""
    return "–" if value is None else minus(significant(value, digits))


def span(ends: Sequence[float] | None) -> str:
    """Both ends of an interval; a dash for none."""
    return "–" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


def percent(value: float | None, signed: bool = True) -> str:
    """A ratio in %, with one decimal; a dash for none."""
    return "–" if value is None else minus(f"{100 * value:{'+' if signed else ''}.1f} %")


def printed(cell: Mapping[str, Any]) -> str:
    """The published value of a cell with the decimals of the print."""
    return f"{cell['published']:.{max(cell['decimals'], 0)}f}"


def _breakable(name: str) -> Any:
    """A name that may be long, with places where a line may end."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([,:])", r"\1<wbr>", str(escape(name))))
