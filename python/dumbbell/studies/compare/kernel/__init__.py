"""One scenario simulated and on real kernels, laid over each other:
`dumbbell compare --on sim,kernel`."""
