"""The passport: what the simulator measures against what is known without it. `dumbbell validate` runs it.

Expected values come from `validate.laws`, which imports nothing of dumbbell; an `oracle.Oracle` says which law, how
accurate it is and how it is measured; `bench.Bench` measures; `passport` collects, runs and reports.
"""
