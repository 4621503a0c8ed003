"""Keeps the process the user's: interrupts, standard output and exit while plugins run."""
