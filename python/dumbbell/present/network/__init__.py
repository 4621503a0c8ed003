"""A plan's network for people: as text, as SVG, for Graphviz, and as tables of flows and links."""

from .graphviz import dot
from .plans import for_people
from .rows import FLOWS, LINKS, flow_rows, link_rows
from .scene import scene
from .svg import document, inline
from .text import drawing
from .words import (
    Plan,
    base_rtt,
    capacity_text,
    edge_text,
    path,
    queue_text,
    rate_text,
    shared_buffers,
)

__all__ = [
    "FLOWS",
    "LINKS",
    "Plan",
    "base_rtt",
    "capacity_text",
    "document",
    "dot",
    "drawing",
    "edge_text",
    "flow_rows",
    "for_people",
    "inline",
    "link_rows",
    "path",
    "queue_text",
    "rate_text",
    "scene",
    "shared_buffers",
]
