"""Commands that make runs or look at scenarios."""
