"""Reads `--workers`. Nothing here needs Dask or Slurm, so a wrong word is refused before anything
is done."""

from __future__ import annotations

import re

from ..errors import ScenarioError

SSH = ("python", "user", "port", "key", "known_hosts", "threads")
SLURM = ("partition", "account", "qos", "constraint", "time", "cpus", "mem", "jobs", "cluster")
_KINDS = "write dask://HOST:PORT, ssh:HOST,HOST or slurm"
_ADDRESS = re.compile(r"(?:(?:(?:tcp|tls|ws|wss|ucx):)?//)?(\[[^\]]+\]|[^:/\[\]]+):([0-9]+)/?")


def check(where: str) -> None:
    """Refuses what no `--workers` can mean. Whether they are there is seen when they are hired.

    Errors: `ScenarioError` with what is allowed.
    """
    kind, _, rest = where.partition(":")
    if kind == "dask":
        endpoint(rest)
    elif kind == "ssh":
        hosts, options = read(rest, SSH, "ssh")
        if not hosts:
            raise ScenarioError("--workers ssh: name the hosts, as in ssh:host1,host2")
        for host in hosts:
            if host.startswith("-"):
                raise ScenarioError(
                    f"--workers ssh: {host} is not a host: a host name does not begin with `-`"
                )
        for key in ("port", "threads"):
            number(options, key, "ssh")
    elif kind == "slurm":
        _slurm(rest)
    else:
        raise ScenarioError(f"--workers {where}: {_KINDS}")


def endpoint(address: str) -> tuple[str, int]:
    """Host and port of a Dask scheduler's address, `//HOST:PORT` or as Dask has it
    (`tls://HOST:PORT`)."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 1 <= int(match[2]) <= 65535:
        raise ScenarioError(
            f"--workers dask:{address}: write dask://HOST:PORT, the address of the scheduler, "
            f"PORT from 1 to 65535"
        )
    return match[1].strip("[]"), int(match[2])


def _slurm(text: str) -> None:
    names, options = read(text, SLURM, "slurm")
    if len(names) > 1 or (names and "partition" in options):
        raise ScenarioError(f"--workers slurm: one partition, not {', '.join(names)}")
    for key in ("time", "cpus", "jobs"):
        number(options, key, "slurm")
    memory(options)
    if options.get("cluster", "slurm") not in ("slurm", "local"):
        raise ScenarioError(
            f"--workers slurm: cluster={options['cluster']} is neither slurm nor local"
        )


def memory(options: dict[str, str]) -> float | None:
    """The option `mem`, GB."""
    if "mem" not in options:
        return None
    try:
        size = float(options["mem"])
    except ValueError:
        size = 0.0
    if not 0 < size < float("inf"):
        raise ScenarioError(f"--workers slurm: mem={options['mem']} is not a number of GB above 0")
    return size


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
            raise ScenarioError(
                f"--workers {what}: there is no option `{key}`; write one of {', '.join(known)}"
            )
    return names, options


def number(options: dict[str, str], key: str, what: str) -> int | None:
    """An option that is a whole number from 1 up; None if it is not given."""
    text = options.get(key)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ScenarioError(f"--workers {what}: {key}={text} is not a whole number from 1 up")
    return int(text)
