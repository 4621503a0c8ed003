"""Studies: many runs, one question, one page: `compare`, `table`, `advise`, `plot curve`."""
