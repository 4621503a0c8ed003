"""PIE's controller: the step of the probability in each update, and its scale (RFC 8033 section
4.2)."""

from __future__ import annotations

TARGET = 0.015
"""QDELAY_REF, seconds."""
ALPHA, BETA = 0.125, 1.25
"""Gains, 1/s."""
SCALES = {
    1e-6: 2048,
    1e-5: 512,
    1e-4: 128,
    1e-3: 32,
    1e-2: 8,
    1e-1: 2,
}
"""Below which probability a step is divided by how much."""


def scale(p: float) -> int:
    """By how much the step is divided at the probability p."""
    return next((divisor for below, divisor in SCALES.items() if p < below), 1)


def step(p: float, delay: float, before: float, alpha: float = ALPHA, beta: float = BETA) -> float:
    """The change of the probability p in an update, for the delay at its end and at the end of the
    last one, seconds."""
    return (alpha * (delay - TARGET) + beta * (delay - before)) / scale(p)


def decade(below: float) -> tuple[float, float]:
    """The range of probabilities that has the scale of `below`: from the one before it."""
    return max((b for b in SCALES if b < below), default=0.0), below
