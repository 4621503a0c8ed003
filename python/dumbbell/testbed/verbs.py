"""The verbs of the extension that only the testbed has: its build for Linux knows them."""

from __future__ import annotations

from .. import api


def doctor() -> api.JSON:
    """Checks what this machine can do on the testbed:
    `{"checks": [{"check", "ok", "found", "needed_for", "fix"}], "can": {...}}`. `can` maps the
    name of an ability to true or false."""
    api.need_testbed("doctor")
    return api.call("doctor")


def replay(request: api.JSON) -> api.JSON:
    """Feeds the log of a live run, `{"log": FILE}`, to the simulator's ports:
    `{"packets", "mismatches", "first_mismatch", "verdict": "same" | "differs"}`."""
    api.need_testbed("replay")
    return api.call("replay", request)


def gigabyte(request: api.JSON) -> api.JSON:
    """Measures the processor time that two hosts of the testbed need for 10^9 bytes of payload. The
    request is `{"mtu_bytes", "condition": "plain" | "offloads" | "router", "seconds", "warmup_s",
    "idle_s"}`.

    condition: `plain` joins the hosts by a veth pair without offloads, `offloads` turns
    segmentation, GRO and checksum offload on, `router` puts the testbed's router between plain
    hosts. seconds: length of the run with its warm-up. idle_s: time for which the idle machine is
    measured before. `sum_s_per_gb` is the sum for sender, receiver, soft interrupts and router.
    Ctrl-C ends the measurement at once and removes the hosts."""
    api.need_testbed("gigabyte")
    return api.call("gigabyte", request)


def enclose(argv: list[str]) -> int:
    """Runs a command in a user namespace, in which it can create the testbed's network namespaces
    without root. Returns the command's exit code."""
    api.need_testbed("enclose")
    return api.call("enclose", argv, int)
