"""Reads result directories: summary, records, series, rows, and Arrow tables of them."""
