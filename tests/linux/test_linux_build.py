"""What a kernel is made from, and the ways in which there is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dumbbell.errors import EnvironmentLacks, ScenarioError
from dumbbell.linux import build, edits, kernels, recipe, source
from helpers.command import dumbbell


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    return tmp_path / "cache"


def tree(there: Path, patchlevel: int = 12) -> Path:
    """The places of a kernel's source that are looked at."""
    (there / "arch/um/os-Linux").mkdir(parents=True)
    (there / "Makefile").write_text(f"VERSION = 6\nPATCHLEVEL = {patchlevel}\nSUBLEVEL = 3\n")
    (there / "arch/um/Kconfig").write_text("config HZ\n\tint\n\tdefault 100\n")
    (there / "arch/x86/um").mkdir(parents=True)
    (there / "arch/x86/um/user-offsets.c").write_text("\tDEFINE_LONGS(HOST_FP_SIZE, 2696);\n")
    body = "{\n\treturn getrandom(buf, len, flags);\n}\n"
    (there / "arch/um/os-Linux/util.c").write_text(f"ssize_t os_getrandom()\n{body}")
    return there


def test_a_seed_replaces_the_machines_entropy(tmp_path: Path) -> None:
    here = tree(tmp_path / "tree")
    recipe.apply(here)
    assert 'getenv("DUMBBELL_ENTROPY")' in (here / "arch/um/os-Linux/util.c").read_text()
    assert 'int "Timer frequency"' in (here / "arch/um/Kconfig").read_text()
    (here / "arch/um/os-Linux/util.c").write_text("other\n")
    with pytest.raises(EnvironmentLacks, match="is not as expected"):
        recipe.apply(here)


def test_a_processor_with_amx_has_room_for_its_registers(tmp_path: Path) -> None:
    here = tree(tmp_path / "tree")
    recipe.apply(here)
    text = (here / "arch/x86/um/user-offsets.c").read_text()
    assert int(re.search(r"HOST_FP_SIZE, (\d+)", text)[1]) >= 11008
    assert "CONFIG_KERNEL_STACK_ORDER=3\n" in recipe.CONFIG.read_text()


def test_turns_in_memory_come_whole_or_not_at_all(tmp_path: Path) -> None:
    """A source that lacks one place keeps its messages everywhere."""
    places: dict[str, str] = {}
    for edit in edits.NOTES.edits:
        places[edit.file] = places.get(edit.file, "") + edit.old
    for lacks in (None, edits.NOTES.edits[-1]):
        here = tree(tmp_path / ("whole" if lacks is None else "part"))
        for file, text in places.items():
            (here / file).parent.mkdir(parents=True, exist_ok=True)
            kept = text.replace(lacks.old, "") if lacks and lacks.file == file else text
            (here / file).write_text(kept)
        recipe.apply(here)
        made = [edit.new in (here / edit.file).read_text() for edit in edits.NOTES.edits]
        assert set(made) == {lacks is None}


def test_trees_of_ones_own_are_told_apart_by_what_is_in_them(tmp_path: Path) -> None:
    here = tree(tmp_path / "tree")
    first = source.of_tree(here)
    assert first.name.startswith("Linux 6.12.3 in ")
    assert source.of_tree(here).identity == first.identity
    (here / "net.c").write_text("a patch\n")
    assert source.of_tree(here).identity != first.identity
    assert recipe.identity("a") != recipe.identity("b")


def test_what_is_no_source_or_too_old_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="not the source of a Linux kernel"):
        source.of_tree(tmp_path)
    with pytest.raises(EnvironmentLacks, match=r"guests need 6\.1 "):
        source.of_tree(tree(tmp_path / "old", patchlevel=0))
    assert source.of_tree(tree(tmp_path / "oldest", patchlevel=1)).name.startswith("Linux 6.1.3")


def test_a_missing_tool_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build.shutil, "which", lambda tool: None if tool == "bison" else tool)
    with pytest.raises(EnvironmentLacks, match=r"lacks bison\nhelp: apt-get install bison"):
        build.build(source.of_tree(tree(tmp_path / "tree")))


def test_a_build_that_fails_leaves_nothing_and_removes_what_a_kill_left(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tree has no kernel in it, so make fails at once."""
    monkeypatch.setattr(build, "lacking", dict)
    stale = own_cache / "dumbbell/linux/.building-old"
    stale.mkdir(parents=True)
    (own_cache / "dumbbell/linux").chmod(0o700)
    with pytest.raises(Exception, match="does not build"):
        build.build(source.of_tree(tree(tmp_path / "tree")))
    assert sorted(each.name for each in (own_cache / "dumbbell/linux").iterdir()) == ["lock"]
    assert kernels.current() is None


def test_without_a_kernel_a_run_and_the_doctor_say_how_to_build_one() -> None:
    refused = dumbbell("run", "scenarios/first.toml", "--on", "linux")
    assert refused.returncode == 4
    assert "dumbbell linux build" in refused.stderr
    told = dumbbell("doctor", "--on", "linux")
    assert told.returncode == 4
    assert "dumbbell linux build" in told.stdout
