"""The frame of all studies, from the design to the page.

`design` reads a scenario and plans the points of a study, `runs` has them made and reads what they
gave, `paired` judges values of the same seeds, `drawing` has what figures share, and `publish`
writes the document, the figures and the page. A study is a package beside this one: its question,
its points, its rule, and the words and figures for what came of it.
"""
