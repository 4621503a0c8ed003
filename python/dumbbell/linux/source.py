"""The source of a kernel: the distribution's package, or a tree of the user's."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..errors import EnvironmentLacks, ScenarioError

_PACKAGE = re.compile(r"linux-source-(\d+)\.(\d+)(?:\.(\d+))?")
_OLDEST = (6, 1)
"""The oldest release whose user-mode kernel was tried."""
_LEFT_OUT = shutil.ignore_patterns(".git")


@dataclass(frozen=True, slots=True)
class Source:
    """A source that is there or can be had. name: what it is, for people; identity: what tells it
    from all others; package: its name and version, or None; tree: the user's, or None."""

    name: str
    identity: str
    package: tuple[str, str] | None = None
    tree: Path | None = None

    def unpack(self, into: Path) -> Path:
        """Puts the source into a folder: the tree. The user's own tree stays as it is."""
        if self.tree is not None:
            shutil.copytree(self.tree, into / "tree", symlinks=True, ignore=_LEFT_OUT)
            return into / "tree"
        assert self.package is not None
        name, version = self.package
        _said(["apt-get", "download", f"{name}={version}"], into, "download the kernel's source")
        (package,) = into.glob("*.deb")
        _said(["dpkg-deb", "-x", package.name, "."], into, "unpack the kernel's source")
        package.unlink()
        archives = sorted((into / "usr/src").rglob("linux-source-*.tar.*"))
        if not archives:
            raise EnvironmentLacks(f"the package {name} {version} has no source archive")
        _said(["tar", "-xf", str(archives[0])], into, "unpack the kernel's source")
        archives[0].unlink()
        return next(into.glob("linux-source-*/Makefile")).parent


def of_distribution() -> Source:
    """The newest source that the distribution has. `EnvironmentLacks` if it has none."""
    if shutil.which("apt-cache") is None or shutil.which("dpkg-deb") is None:
        raise EnvironmentLacks(
            "this machine has no apt, from which the kernel's source would come\n"
            "help: dumbbell linux build --source DIR, with the source of Linux 6.1 or later"
        )
    listed = subprocess.run(
        ["apt-cache", "pkgnames", "linux-source-"], capture_output=True, text=True, check=False
    ).stdout.split()
    found = [match for name in listed if (match := _PACKAGE.fullmatch(name))]
    release = max((_release(match) for match in found), default=None)
    if release is None or release[:2] < _OLDEST:
        raise EnvironmentLacks(
            "the distribution has no package linux-source-6.1 or later\n"
            "help: apt-get update, or dumbbell linux build --source DIR"
        )
    name = next(match[0] for match in found if _release(match) == release)
    shown = subprocess.run(
        ["apt-cache", "show", "--no-all-versions", name],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    version = re.search(r"^Version: (\S+)$", shown, re.MULTILINE)
    if version is None:
        raise EnvironmentLacks(f"apt knows no version of {name}\nhelp: apt-get update")
    return Source(f"{name} {version[1]}", f"{name} {version[1]}", package=(name, version[1]))


def of_tree(tree: Path) -> Source:
    """A tree of the user's. `ScenarioError` if it is none, `EnvironmentLacks` if it is too old."""
    makefile = tree / "Makefile"
    text = makefile.read_text(encoding="utf-8") if makefile.is_file() else ""
    numbers = re.findall(r"^(?:VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$", text, re.MULTILINE)
    if len(numbers) < 3 or not (tree / "arch/um").is_dir():
        raise ScenarioError(f"--source {tree}: this is not the source of a Linux kernel")
    if (int(numbers[0]), int(numbers[1])) < _OLDEST:
        raise EnvironmentLacks(
            f"{tree} is Linux {'.'.join(numbers)}; guests need 6.1 or later\n"
            "help: take Linux 6.12 or later, whose runs are twice as fast"
        )
    seen = hashlib.sha256()
    for file in sorted(tree.rglob("*")):
        inside = file.relative_to(tree)
        if inside.parts[0] != ".git" and file.is_file():
            stat = file.stat()
            seen.update(f"{inside}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return Source(
        f"Linux {'.'.join(numbers)} in {tree}", f"tree {seen.hexdigest()}", tree=tree.absolute()
    )


def _release(match: re.Match[str]) -> tuple[int, int, int]:
    return int(match[1]), int(match[2]), int(match[3] or 0)


def _said(command: list[str], where: Path, what: str) -> None:
    ended = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    if ended.returncode:
        last = (ended.stderr or ended.stdout).strip().splitlines()[-3:]
        raise EnvironmentLacks(f"could not {what}: {'; '.join(last) or 'no reason is given'}")
