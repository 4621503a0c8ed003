"""Comparison with ns-2 and ns-3 as Debian packages them.

One network (`network`) is translated for each simulator (`ours`, `simulators`), which counts its
work (`outcome`). Only if the work was alike (`same_work`), ratios of costs are told (`ratios`).
`results` compares measurements with ns-2's.
"""
