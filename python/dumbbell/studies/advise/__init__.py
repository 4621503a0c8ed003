"""`dumbbell advise`: which queue, which marker, which MTU, from simulated grids."""
