"""Several results in one figure: simulated and live runs, flent's data, captures."""
