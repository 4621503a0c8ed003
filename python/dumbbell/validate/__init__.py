"""The passport: what the simulator measures against what is known without it. `dumbbell validate` runs it.

Expected values come from `validate.laws`, which imports nothing of dumbbell; an `check.Check` says which law, how
accurate it is and how it is measured; `runner.Runner` measures; `passport` collects, runs and reports.
"""
