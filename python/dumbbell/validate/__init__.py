"""The validation report: the simulator's measurements against known laws. `dumbbell validate` makes
it.

Expected values come from `validate.laws`, which imports nothing of dumbbell; a `check.Check` says
which law, how accurate it is and how it is measured; `runner.Runner` measures; `report` collects,
runs and reports.
"""
