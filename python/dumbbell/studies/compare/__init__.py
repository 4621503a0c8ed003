"""`dumbbell compare`: queues with queues, the simulator with kernels, and with ns-2 and ns-3."""
