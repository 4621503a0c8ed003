"""Measures that a paper asks for, one family a file, from the records of one run."""
