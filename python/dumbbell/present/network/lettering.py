"""Text of a drawing: its width in pixels, in short, and as XML."""

from __future__ import annotations

import re
import unicodedata
from html import escape

SIZE = 12
"""Pixels of a letter's height."""
LEADING = 15
"""Pixels from one line to the next."""
FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"
_NARROW, _WIDE = set("ijl.,:;'|!()[]/I "), set("mwMW@%…→")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def width(text: str) -> float:
    """An upper bound of the width of a line, for the fonts that pages use."""
    return SIZE * sum(map(_width, text))


def _width(letter: str) -> float:
    """The width of a letter as a share of the size, as of DejaVu Sans, the widest of the fonts."""
    if letter in _NARROW:
        return 0.4
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    return 1.03 if letter in _WIDE else 0.74 if letter.isupper() else 0.65


def short(text: str, most: int) -> str:
    """A text of at most so many letters; of a longer one the beginning and the end."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


def wrapped(text: str, most: int) -> list[str]:
    """Lines of at most so many letters, if no word is longer. A number stays with its unit."""
    lines = [""]
    for word in re.split(r"(?<!\d) | (?![A-Za-z%])", text):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return [short(line, most) for line in lines]


def xml(text: str) -> str:
    """A text as content or attribute of XML and HTML; what XML cannot have becomes U+FFFD."""
    return escape(_NOT_XML.sub("\ufffd", text))
