"""The documents, and their sections with the sentences that criteria quote."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its key, its name, its title, and the text that is quoted."""

    key: str
    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document, and the sentence of it that its criteria quote."""

    document: Document
    number: str
    title: str
    quote: str

    @property
    def key(self) -> str:
        """The key by which a criterion names it."""
        return f"{self.document.key}.{self.number}"


@functools.cache
def sections() -> dict[str, Section]:
    """Every section by its key, in the order of the documents."""
    text = Path(__file__).with_name("sections.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    documents = {one["key"]: Document(**one) for one in tables["document"]}
    found = [
        Section(documents[one["document"]], one["number"], one["title"], one["quote"])
        for one in tables["section"]
    ]
    return {one.key: one for one in found}
