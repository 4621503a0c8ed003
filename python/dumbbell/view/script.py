"""The script of a page with its data: what `web/` draws panels from."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .contents import Contents

SCRIPT = Path(__file__).parent / "page.js"
"""The script, as `make web` builds it from `web/`."""
_SHEET = Path(__file__).parent / "page.css"
_STATIC = "static-figures"


@dataclass(frozen=True, slots=True)
class Script:
    """What a page needs for its panels: JSON for a `<script>` element, blobs in base64, the script,
    its style sheet, and the content policy that allows nothing else."""

    data: str
    blobs: Sequence[str]
    script: str
    style: str
    policy: str


def pack(contents: Contents) -> Script | None:
    """Packs the panels; None if there are none."""
    return packed(contents) if any(one["series"] for one in contents.panels.values()) else None


def packed(contents: Contents) -> Script:
    """Packs the panels, if any."""
    page, blobs = contents.pack(_STATIC)
    script = SCRIPT.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Script(
        data=json.dumps(page, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        blobs=blobs,
        script=script,
        style=_SHEET.read_text(encoding="utf-8"),
        policy=(
            f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
            "img-src data: blob:; base-uri 'none'; form-action 'none'"
        ),
    )
