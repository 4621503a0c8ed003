"""What a kernel is made from, beside its source: options and a few edits."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ..errors import EnvironmentLacks

CONFIG = Path(__file__).with_name("kernel.config")
"""The options of the kernel, on top of those that are needed in any case."""

ENVIRONMENT = {
    "KBUILD_BUILD_TIMESTAMP": "2024-01-01",
    "KBUILD_BUILD_USER": "dumbbell",
    "KBUILD_BUILD_HOST": "dumbbell",
}
"""What the kernel says of its build: the same everywhere."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one place in one file. needed: a source in which the place is not found cannot
    be used."""

    file: str
    old: str
    new: str
    needed: bool = True


EDITS = (
    # Timers of TCP have the resolution of 1/HZ; the kernel fixes it to 100 for this architecture.
    Edit(
        "arch/um/Kconfig",
        "config HZ\n\tint\n\tdefault 100\n",
        'config HZ\n\tint "Timer frequency"\n\tdefault 100\n',
        needed=False,
    ),
    # Ports, sequence numbers and hash seeds follow from a seed that the controller gives.
    Edit(
        "arch/um/os-Linux/util.c",
        "\treturn getrandom(buf, len, flags);\n",
        """\
	static unsigned long long state;
	static int seeded;
	const char *seed = getenv("DUMBBELL_ENTROPY");
	unsigned char *out = buf;
	size_t i;

	if (!seed)
		return getrandom(buf, len, flags);
	if (!seeded) {
		state = strtoull(seed, NULL, 10);
		seeded = 1;
	}
	for (i = 0; i < len; i++) {
		unsigned long long z = state += 0x9e3779b97f4a7c15ull;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		out[i] = z ^ (z >> 31);
	}
	return len;
""",
    ),
)


def identity(source: str) -> str:
    """The name of the kernel that this recipe makes of a source, which is known by this text."""
    parts = [source, CONFIG.read_text(encoding="utf-8"), repr(EDITS), repr(ENVIRONMENT)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def apply(tree: Path) -> None:
    """Makes the edits in a source tree. `EnvironmentLacks` if it is too old or too new for them."""
    for edit in EDITS:
        file = tree / edit.file
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if edit.old in text:
            file.write_text(text.replace(edit.old, edit.new, 1), encoding="utf-8")
        elif edit.needed:
            raise EnvironmentLacks(
                f"{edit.file} of this source is not as expected: "
                "take Linux 6.1 to 6.12, as in Debian's packages linux-source"
            )
