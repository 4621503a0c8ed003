"""Laws without the simulator: closed forms and numerical solutions, from papers and RFCs.

Nothing here imports anything of dumbbell, so that an error there cannot be in both; a test reads
the imports.
"""
