"""Algorithms read once more from their papers, in the plainest Python, to be compared with the
product step by step.

Nothing here imports anything of Dumbbell (a test looks). What a paper leaves open is the product's
documented choice, and the module says which; the rest is the paper's.
"""
