"""A sweep as a page, as figures over its axes, and as one tidy file.

`axes` reads which values are swept, `figures` draws metrics over an axis, `page` shows the table of
points with these figures, and `tidy` has a row for each point, seed and entity.
"""
