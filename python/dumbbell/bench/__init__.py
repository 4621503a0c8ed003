"""The cost of a simulated packet: the workload by which simulators are compared, each run in a
process of its own.

Nothing is imported here: the processes that are measured are to hold as little as possible.
"""
