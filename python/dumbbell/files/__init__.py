"""Reads and writes files: whole or not at all, in declared shapes, under safe names."""
