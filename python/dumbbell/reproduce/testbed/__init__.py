"""A paper's experiment on real kernels: `dumbbell reproduce PAPER --on kernel`."""
