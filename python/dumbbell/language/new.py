"""A first scenario with comments, and the JSON Schema with which editors complete and check it."""

from __future__ import annotations

import json
import shlex
from importlib.resources import files
from pathlib import Path
from string import Template

from .. import api
from ..errors import DumbbellError, ScenarioError
from ..files.write import write_new, write_text

SCHEMA = "dumbbell.schema.json"
"""The name of the schema's file. It is in the folder of the scenarios, so that their first lines
name no folder of a user, and so that it may describe the algorithms of that folder."""


def write_scenario(file: Path) -> list[Path]:
    """Writes a scenario, and the schema beside it unless there is one. Returns what was written.

    file: `.toml` is added if it has no suffix. `DumbbellError` if it exists.
    """
    if file.is_dir():
        raise ScenarioError(f"{file} is a folder: name a file in it")
    file = file if file.suffix else file.with_suffix(".toml")
    if file.suffix != ".toml":
        raise ScenarioError(f"{file}: the name of a scenario file ends in .toml")
    if file.exists() or file.is_symlink():
        raise DumbbellError(f"{file} exists: nothing was written")
    template = (files(__package__) / "first.toml").read_text(encoding="utf-8")
    write_new(file, Template(template).substitute(file=shlex.quote(file.name), schema=SCHEMA))
    if (file.parent / SCHEMA).exists():
        return [file]
    return [file, install_schema(file.parent)]


def install_schema(folder: Path, *uses: str) -> Path:
    """Writes the schema of scenario files into a folder, over an earlier one. uses: files with
    algorithms of the user's own, which it then describes, too."""
    if not folder.is_dir():
        raise ScenarioError(f"{folder} is not a folder")
    file = folder / SCHEMA
    write_text(file, json.dumps(api.schema(*uses), separators=(",", ":")) + "\n")
    return file
