"""Other simulators: how each is found, told the network, run and read."""

from __future__ import annotations

from types import ModuleType

from . import ns2, ns3

PEERS: dict[str, ModuleType] = {"ns2": ns2, "ns3": ns3}
"""By the names of their Debian packages."""
