"""The sentences of an answer, by subject; `narrative` puts them into order.

`packet` names a packet and the edges that it passed, `queues` says what a queue did with it and
why, `losses` how the sender learned of that and repaired it, `reactions` what it did to its window,
`reverse_path` what became of acknowledgments. `quantities` writes instants, durations and windows.
"""
