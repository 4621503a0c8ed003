"""A plan's network for Graphviz."""

from __future__ import annotations

from .words import Plan, edge_text, queue_text, rate_text, wires


def dot(plan: Plan) -> str:
    """The network for Graphviz."""
    lines = [
        "digraph dumbbell {",
        "  rankdir=LR; node [fontname=Helvetica]; edge [fontname=Helvetica, fontsize=10];",
    ]
    for node in plan["nodes"]:
        shape = "box" if node["kind"] == "router" else "ellipse"
        lines.append(f'  "{node["name"]}" [shape={shape}];')
    for link in wires(plan):
        ends = f'"{plan["nodes"][link["from"]]["name"]}" -> "{plan["nodes"][link["to"]]["name"]}"'
        label = f"{rate_text(link)}, {link['delay']}" + (
            f"\\n{queue_text(link)}" if link["report"] else ""
        )
        label += f"\\nedge: {edge}" if (edge := edge_text(plan, link)) else ""
        lines.append(f'  {ends} [label="{label}"{", penwidth=2" if link["report"] else ""}];')
    return "\n".join([*lines, "}"])
