"""Commands about algorithms: list, explain, test, new, and Linux's tc."""
