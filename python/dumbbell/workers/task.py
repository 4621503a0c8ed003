"""The work on a parcel: all that a worker calls."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from .. import api
from ..errors import EnvironmentLacks

# The records that a plan may ask for besides the result.
_SERIES = ("every", "drops", "packets")


def perform(parcel: dict[str, Any], threads: int = 1) -> list[dict[str, Any]]:
    """Makes the runs of a parcel and keeps them in the store:
    `[{"key", "seed", "state", "fingerprint", "wall_s"}]`.

    A worker that does not see the store sends each run's row along, and whoever asked keeps it;
    series are too large for that, so `EnvironmentLacks` says where they cannot be kept.
    """
    order = {key: parcel[key] for key in ("jobs", "results_version", "audit", "overrides")}
    if sees(parcel["store"], parcel["id"]):
        return api.call(
            "work", order | {"threads": threads, "store": parcel["store"]}, list[dict[str, Any]]
        )
    if any(any(job["plan"]["record"].get(what) for what in _SERIES) for job in parcel["jobs"]):
        raise EnvironmentLacks(
            f"the worker on {socket.gethostname()} does not see the store {parcel['store']}, "
            f"where series are kept: "
            "put it on a file system that every worker mounts at the same path (--store DIR), or "
            "record nothing"
        )
    return api.call("work", order | {"threads": threads}, list[dict[str, Any]])


def sees(store: str, name: str) -> bool:
    """True if the directory `store` is, on this machine, the store of that name."""
    try:
        return bool(
            json.loads((Path(store) / "store.json").read_text(encoding="utf-8"))["id"] == name
        )
    except (OSError, ValueError, KeyError):
        return False
