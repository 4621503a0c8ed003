"""What the script of a live page needs: more than that of a page that is written."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from pathlib import Path

from ..contents import Contents
from ..script import Script, packed

_SCRIPT = Path(__file__).parents[1] / "live.js"
"""The script, as `make web` builds it from `web/`."""


def pack(contents: Contents) -> Script:
    """Packs the panels. The policy permits the live script and, for the page of the end, that of
    every page; and requests to the server of the page, to nobody else."""
    page = packed(contents)
    script = _SCRIPT.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = page.policy.replace("script-src ", f"script-src 'sha256-{digest}' ")
    return replace(page, script=script, policy=f"{policy}; connect-src 'self'")
