"""Shows results to people: tables, pages, networks, units, progress."""
