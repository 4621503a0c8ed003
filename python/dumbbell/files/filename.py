"""File names made from names that others chose: of scenarios, flows, papers, schemes."""

from __future__ import annotations

import hashlib
import unicodedata

__all__ = ["component"]

_LONGEST = 100
"""Bytes of a component. File systems take 255; an ending and a prefix need room."""
_DIGEST = 8
"""Digits that keep two changed names apart."""
_PLAIN = frozenset("-_.+=,@ ")
"""Characters that stay, besides letters and digits."""


def component(name: str) -> str:
    """`name` as one component of a path.

    The result is never empty, `.` or `..`, holds no separator and no control character, begins with
    a letter, a digit or `_`, and has at most 100 bytes in UTF-8. A name that is such a component
    already is returned as it is. Any other name gets a digest of itself at its end, so that
    different names give different files.
    """
    normal = unicodedata.normalize("NFC", name)
    kept = (
        "".join(c if c.isalnum() or c in _PLAIN else "-" for c in normal)
        .lstrip("-.+=,@ ")
        .rstrip(". ")
    )
    if kept == name and len(kept.encode()) <= _LONGEST:
        return name or _unnamed(name)
    short = kept.encode()[: _LONGEST - _DIGEST - 1].decode(errors="ignore").rstrip("-. ")
    return f"{short}-{_digest(name)}" if short else _unnamed(name)


def _unnamed(name: str) -> str:
    return f"unnamed-{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGEST]
