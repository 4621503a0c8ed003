"""A paper's points on user-mode Linux in virtual time, beside the simulator's (`--on linux`)."""
