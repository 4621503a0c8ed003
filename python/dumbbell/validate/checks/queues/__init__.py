"""Checks of queues, AQMs, markers and schedulers."""
