"""Pieces of the scenario language as text: overrides, and schemes as arguments of commands."""
