"""Laws of TCP."""
