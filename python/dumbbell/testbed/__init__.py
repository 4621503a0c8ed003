"""The testbed: runs of real kernels.

`live_runs` makes runs one at a time, `attempts` keeps them, `lock` keeps other processes from
making any meanwhile, `replay_check` holds a result against the replay of its log, `shell` runs a
program on an emulated network. `dumbbell.present.validity` tells the validity of a run,
`dumbbell.studies.compare.kernel` compares runs with the simulator, `dumbbell.reproduce.testbed` is
a paper's experiment.
"""
