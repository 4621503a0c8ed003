"""Checks of the RTL: lockstep with the model, proofs, lint, coverage, seeded faults, buses."""
