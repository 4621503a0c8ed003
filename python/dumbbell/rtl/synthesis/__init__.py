"""Size and speed of the RTL: synthesis, place and route."""
