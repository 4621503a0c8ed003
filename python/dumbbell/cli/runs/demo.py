"""`demo`: one scenario through two queues, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ... import api, shipped
from ..browser import opened
from ..options import Json, command_line, emit, progress, show

SCENARIO = "bufferbloat"
QUEUES = ("drop_tail", "codel")
"""A deep buffer as it is, and with an algorithm that keeps it short."""


def demo(
    *,
    out: Annotated[Path, Parameter(help="Directory for the results and the page.")] = Path(
        "dumbbell-demo"
    ),
    open: Annotated[
        bool,
        Parameter(
            name="--open",
            negative="--no-open",
            help="Open the page in the browser, if there is one.",
        ),
    ] = True,
    json: Json = False,
) -> int:
    """See the same link through two queues, on one page.

    An upload fills a home link of 10 Mbit/s, and a call shares it: once with the deep Drop Tail
    buffer of a modem, once with CoDel. It takes some seconds.

    Example: `dumbbell demo --no-open`
    """
    from ...view import page as time_page
    from ...view.results import Which

    file = shipped.folder("scenarios") / f"{SCENARIO}.toml"
    found: dict[str, api.JSON] = {}
    with progress("running") as heard:
        for queue in QUEUES:
            wanted = api.request({"path": str(file)}, [f"queue.kind={queue}"], out=str(out / queue))
            found[queue] = api.run(wanted, heard)
    page = out / "demo.html"
    time_page.write([str(out / queue) for queue in QUEUES], page, Which(), command_line())
    address = page.resolve()
    shown = open and opened(address.as_uri())
    if json:
        emit({"page": str(address), "results": found})
        return 0
    show(*_said(found, page, shown))
    return 0


def _said(found: dict[str, api.JSON], page: Path, shown: bool) -> list[object]:
    """What to see on the page, and what to do next."""
    from ...present.grids import Grid

    rows = []
    for queue, data in found.items():
        flows = {flow["name"]: flow for flow in data["flows"]}
        delays = (flows["call"][key] for key in ("delay_mean_s", "delay_p99_s"))
        goodput, length = flows["upload"]["goodput_bps"], data["queues"][0]["mean_packets"]
        waits = [f"{1e3 * delay:.0f}" for delay in delays]
        rows.append([queue, *waits, f"{goodput / 1e6:.2f}", f"{length:.0f}"])
    columns = ["queue", "call's delay [ms]", "99 % [ms]", "upload [Mbps]", "mean queue [pkt]"]
    return [
        Grid("An upload and a call share 10 Mbit/s", columns, rows),
        f"page: {page}{'' if shown else ' (open it in a browser)'}",
        "",
        "On the page, compare the two queues: Drop Tail's stays near its limit, and each packet of "
        "the call waits behind it. CoDel drops a few packets early, and the upload slows down in "
        "time. Drag over an axis to zoom, and click a drop to see its cause.",
        "",
        "next:",
        f"  dumbbell run {SCENARIO} -s queue.kind=red   another queue (`dumbbell list`)",
        "  dumbbell new scenario my.toml               a network of your own",
        "  dumbbell reproduce red-on-netfpga --quick   a paper, judged number by number",
    ]
