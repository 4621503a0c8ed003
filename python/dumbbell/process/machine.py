"""The machine of a measurement, without its name."""

from __future__ import annotations

import os
import platform
from typing import TypedDict


class Machine(TypedDict):
    """Kernel, processor and number of cores."""

    kernel: str
    processor: str
    cores: int | None


def machine() -> Machine:
    """This machine."""
    return {
        "kernel": f"{platform.system()} {platform.release()}",
        "processor": processor(),
        "cores": os.cpu_count(),
    }


def processor() -> str:
    """Name of the processor."""
    try:
        # A device of the kernel.
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123
            names = [
                line.split(":", 1)[1].strip() for line in file if line.startswith("model name")
            ]
    except OSError:
        names = []
    return names[0] if names else platform.machine()
