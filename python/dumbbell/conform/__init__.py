"""`conform`: a congestion control or a queue against the criteria of the documents by which such
algorithms are judged.

A document is a table of sections (`sections.toml`), each with the sentence that its criteria
quote. `cc` and `aqm` have the criteria: a scenario, a number of its result, and a bound that was
chosen before the first run, with its reason. `work` runs the scenarios as one sweep, `outcome`
judges, `report` and `page` show.
"""
