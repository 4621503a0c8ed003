"""Other simulators: how each is found, told the network, run and read."""
