"""Figures of a reproduction's report."""
