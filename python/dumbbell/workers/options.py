"""The words after `ssh:` and `slurm:`."""

from __future__ import annotations

from ..errors import ScenarioError


def read(text: str, known: tuple[str, ...], what: str) -> tuple[list[str], dict[str, str]]:
    """`"host1,host2,port=22"` as names and options; an option that is not known is refused."""
    names: list[str] = []
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            names.append(part)
        elif key in known:
            options[key] = value
        else:
            raise ScenarioError(f"--workers {what}: there is no option `{key}`; known are {', '.join(known)}")
    return names, options


def number(options: dict[str, str], key: str, default: int | None, what: str) -> int | None:
    """An option that is a whole number from 1 up."""
    text = options.get(key)
    if text is None:
        return default
    if not text.isdigit() or int(text) < 1:
        raise ScenarioError(f"--workers {what}: {key}={text} is no whole number from 1 up")
    return int(text)
