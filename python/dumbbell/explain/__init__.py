"""Explains one run (`dumbbell why`) and the first difference of two runs (`dumbbell diff`)."""
