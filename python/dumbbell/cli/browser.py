"""The user's browser."""

from __future__ import annotations

import os
import sys


def opened(address: str) -> bool:
    """Opens an address in the user's browser. False if there is none."""
    headless = not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if headless and not os.environ.get("BROWSER") and sys.platform not in ("darwin", "win32"):
        return False  # A browser of the terminal would take the screen.
    import webbrowser

    return webbrowser.open(address)
