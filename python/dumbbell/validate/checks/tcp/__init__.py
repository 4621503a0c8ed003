"""Checks of TCP and its congestion controls."""
