"""Output for terminals and pipes that cannot show every letter, and words of a command line that
are no text."""

from __future__ import annotations

import codecs
import sys
import unicodedata

from ..errors import ScenarioError

_LIKE = {
    "×": "x",
    "·": "-",
    "–": "-",
    "—": "-",
    "−": "-",
    "±": "+-",
    "→": "->",
    "←": "<-",
    "⇒": "=>",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "°": " deg",
    "µ": "u",
    "μ": "u",
    "Δ": "d",
    "✓": "+",
    "✗": "x",
}
"""What is shown in place of a character."""


def prepare() -> None:
    """From now on, standard output and standard error show a substitute for each character that
    their encoding lacks, and standard input is UTF-8, as files are."""
    codecs.register_error("dumbbell", _substitute)
    lenient, strict = {"errors": "dumbbell"}, {"encoding": "utf-8", "errors": "strict"}
    for stream, how in ((sys.stdout, lenient), (sys.stderr, lenient), (sys.stdin, strict)):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(**how)


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_like, error.object[error.start : error.end])), error.end


def _like(letter: str) -> str:
    name = unicodedata.name(letter, "")
    if name.startswith("BOX DRAWINGS"):
        return "+" if " AND " in name else "|" if "VERTICAL" in name else "-"
    if "BLOCK" in name or "SHADE" in name:
        return "#"
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode("ascii")
    return _LIKE.get(letter) or plain or "?"


def is_unicode() -> bool:
    """True if standard output can show every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def need_text(words: list[str]) -> None:
    """`ScenarioError` if a word of the command line is no text: it has bytes that are not of the
    locale's encoding."""
    for word in words:
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            shown = word.encode("utf-8", "backslashreplace").decode("utf-8")
            raise ScenarioError(
                f"`{shown}` is not text in the encoding {sys.getfilesystemencoding()}\n"
                "help: give files names in UTF-8, and use a locale with UTF-8, such as "
                "LC_ALL=C.UTF-8"
            )
