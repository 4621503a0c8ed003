"""Templates and style sheets that pages share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..errors import EnvironmentLacks

_HERE = Path(__file__).parent


def environment(folder: Path) -> Any:
    """The Jinja environment with the templates of `folder`. `EnvironmentLacks` if Jinja is not
    installed."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise EnvironmentLacks("the page needs jinja2: pip install 'dumbbell[reports]'") from None
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    return environment


def css(*sheets: str) -> str:
    """The text of style sheets of this folder, one after the other: `report`, `study`, `advice`."""
    return "".join((_HERE / f"{sheet}.css").read_text(encoding="utf-8") for sheet in sheets)


def _breakable(name: str) -> Any:
    """A name that may be long, with places where a line may end."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([,:])", r"\1<wbr>", str(escape(name))))
