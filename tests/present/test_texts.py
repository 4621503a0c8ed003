"""Texts between tables: wrapped at the width, except what people copy."""

from dumbbell.present import grids

_TC = "tc qdisc replace dev eth0 root " + "handle 1: red limit 400000 " * 8


def test_commands_are_never_wrapped():
    said = ["With a shaper, where the queue is that of the router:", *grids.verbatim([_TC])]
    assert grids.to_text(said, 40).splitlines()[2] == _TC.rstrip()


def test_an_indented_text_stays_indented():
    lines = grids.to_text(["  one two three four five six seven eight"], 20).splitlines()
    assert lines == ["  one two three four", "  five six seven", "  eight"]
