"""RED in hardware: its tools, its tests, its registers. The hardware itself is in `rtl/red`."""
