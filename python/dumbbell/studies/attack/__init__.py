"""`attack`: a search for the conditions that hurt a congestion control most, and the least scenario
that still does."""
