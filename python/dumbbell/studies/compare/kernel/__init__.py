"""One scenario, simulated and on real kernels, compared:
`dumbbell compare --on sim,kernel`."""
