"""The cost of a gigabyte to two real hosts: `dumbbell reproduce jumbo-frames --on kernel`."""
