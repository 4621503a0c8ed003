"""The kernel of `--on linux`: a user-mode Linux that this machine builds once.

`recipe` says what a kernel is made from, `source` gets its source, `build` makes it, `kernels`
finds those that were made. `dumbbell-linux`, in Rust, runs them. A kernel is a program of its own
(GPL-2.0): it is never linked, copied or shipped with Dumbbell.
"""
