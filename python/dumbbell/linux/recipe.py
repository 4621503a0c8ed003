"""What a kernel is made from, beside its source: options and a few changes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..errors import EnvironmentLacks
from .edits import CHANGES

CONFIG = Path(__file__).with_name("kernel.config")
"""The options of the kernel, on top of those that are needed in any case."""

ENVIRONMENT = {
    "KBUILD_BUILD_TIMESTAMP": "2024-01-01",
    "KBUILD_BUILD_USER": "dumbbell",
    "KBUILD_BUILD_HOST": "dumbbell",
}
"""What the kernel says of its build: the same everywhere."""


def identity(source: str) -> str:
    """The name of the kernel that this recipe makes of a source, which is known by this text."""
    parts = [source, CONFIG.read_text(encoding="utf-8"), repr(CHANGES), repr(ENVIRONMENT)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def apply(tree: Path) -> None:
    """Makes the changes in a source tree. `EnvironmentLacks` if it is too old or too new for
    them."""
    for change in CHANGES:
        texts: dict[Path, str] = {}
        missing = None
        for edit in change.edits:
            file = tree / edit.file
            if file not in texts:
                texts[file] = file.read_text(encoding="utf-8") if file.is_file() else ""
            if edit.old not in texts[file]:
                missing = edit.file
                break
            texts[file] = texts[file].replace(edit.old, edit.new, 1)
        if missing is None:
            for file, text in texts.items():
                file.write_text(text, encoding="utf-8")
        elif change.needed:
            raise EnvironmentLacks(
                f"{missing} of this source is not as expected: "
                "take Linux 6.1 to 6.12, as in Debian's packages linux-source"
            )
