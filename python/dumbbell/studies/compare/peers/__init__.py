"""Comparison with ns-2 and ns-3 as Debian packages them: one network (`network`), a translation of it for each
simulator (`ours`, `peers`), what each of them counted (`outcome`), whether the work was alike (`alike`), and only
then ratios."""
