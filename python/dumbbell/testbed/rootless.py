"""Live runs without being root: the command runs itself again, in a user namespace where its
networks are its own."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_TRIED = ("network_namespaces", "settings", "tun", "veth", "programs", "cap_net_admin")
"""Checks of the doctor that come out otherwise inside a user namespace."""
_EXAMINE = """import json, sys
from dumbbell.testbed import verbs
json.dump(verbs.doctor(), open(sys.argv[1], "w"))"""


def enter() -> None:
    """Allows the command to make hosts. Where this process is not root, it starts the same command
    inside a user namespace, and ends with that one's exit code; the interpreter has threads by now,
    and the kernel lets only a process of one thread move."""
    if os.geteuid() == 0:
        return
    from . import verbs

    # `-P`: modules come from where packages are installed, never from the current folder.
    raise SystemExit(verbs.enclose([sys.executable, "-P", "-m", "dumbbell", *sys.argv[1:]]))


def doctor() -> dict[str, Any]:
    """Abilities of this machine for live runs of this user, as in `verbs.doctor`.

    Runs of a user who is not root are made inside a user namespace (`enter`), so what they need is
    tried there.
    """
    from ..files.write import temporary_folder
    from . import verbs

    here = verbs.doctor()
    if os.geteuid() == 0 or not here["can"].get("rootless"):
        return here
    with temporary_folder() as folder:
        answer = folder / "doctor.json"
        if verbs.enclose([sys.executable, "-P", "-c", _EXAMINE, str(answer)]) != 0:
            return here
        inside = json.loads(answer.read_text(encoding="utf-8"))
    tried = {check["check"]: check for check in inside["checks"] if check["check"] in _TRIED}
    checks = [tried.get(check["check"], check) for check in here["checks"]]
    can = here["can"] | {key: inside["can"][key] for key in ("kernel", "tun", "veth", "programs")}
    return {**here, "checks": checks, "can": can}
