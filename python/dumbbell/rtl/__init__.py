"""RED in hardware: its sources, and what tools say of them."""
