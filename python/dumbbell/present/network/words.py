"""What is said of links, queues and flows of a plan, in words."""

from __future__ import annotations

from typing import Any

from ...models import codepoints
from ..units import rate_about, seconds

Plan = dict[str, Any]


def base_rtt(plan: Plan, flow: dict[str, Any]) -> float:
    """Smallest round-trip time of a flow in seconds, without queues and transmission."""
    return sum(seconds(plan["links"][i]["delay"]) for i in [*flow["forward"], *flow["back"]])


def queue_text(link: dict[str, Any]) -> str:
    """A link's queue: `red, 36 pkt`."""
    return f"{link['aqm']['kind']}, {capacity_text(link['capacity'])}"


def rate_text(link: dict[str, Any]) -> str:
    """A link's rate: `10 Mbps`, or a service and its mean rate."""
    service = link.get("service")
    if service is None:
        return str(link["rate"])
    return f"{service['kind']}, {rate_about(link['rate'])}"


def edge_text(plan: Plan, link: dict[str, Any]) -> str:
    """The conditioner before a link's queue: `token_bucket per flow, IN af11, OUT af12`; empty
    without rules."""
    return codepoints.edge(link.get("conditioner"), plan["flows"])


def capacity_text(capacity: Any) -> str:
    """A queue's capacity as counted: packets, bytes, or buffers of one size."""
    if isinstance(capacity, dict):
        ((unit, amount),) = capacity.items()
        if unit == "buffers":
            return f"{amount['count']} x {amount['size']} B"
        more = " reached" if unit == "reached" else ""
        return f"{amount} {'pkt' if unit == 'packets' else 'B'}{more}"
    return str(capacity)


def shared_buffers(plan: Plan) -> list[str]:
    """The buffers that switches share among their queues, a line for each kind: `shared buffer:
    leaf1 and 3 more, each 2 MB, alpha 1`."""
    alike: dict[tuple[str, float], list[str]] = {}
    for buffer in plan.get("shared_buffers", ()):
        name = plan["nodes"][buffer["node"]]["name"]
        alike.setdefault((buffer["size"], buffer["alpha"]), []).append(name)
    return [
        f"shared buffer: {names[0]}{_and_more(len(names) - 1)} {size}, alpha {alpha:g}"
        for (size, alpha), names in alike.items()
    ]


def _and_more(count: int) -> str:
    return "," if count == 0 else f" and {count} more, each"


def path(plan: Plan, flow: dict[str, Any]) -> list[str]:
    """The names of the nodes that a flow's data passes."""
    links = [link for i in flow["forward"] if "host" not in (link := plan["links"][i])]
    return [plan["nodes"][n]["name"] for n in [flow["from"], *(link["to"] for link in links)]]


def cc(flow: dict[str, Any]) -> str:
    """The congestion control of a flow, or `udp`."""
    transport = flow["transport"]
    return str(transport["cc"]["kind"]) if transport["protocol"] == "tcp" else "udp"


def wires(plan: Plan) -> list[dict[str, Any]]:
    """The links of the network, without the processors of hosts."""
    return [link for link in plan["links"] if "host" not in link]
