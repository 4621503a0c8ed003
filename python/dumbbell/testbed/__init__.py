"""The testbed: what runs of real kernels are worth, and the same scenario simulated and measured beside each other.

`validity.py` reads what a live run says of itself; `attempts.py` keeps runs that took their time, `bench.py` makes them
one at a time, `turn.py` keeps other processes from making any meanwhile; `beside/` compares them with the simulator;
`campaign/` is a paper's experiment.
"""
