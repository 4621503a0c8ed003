"""Entries of `paper.toml` that stand for many: what they become, and what a mistake says."""

from __future__ import annotations

from pathlib import Path

import pytest
from dumbbell.errors import ScenarioError
from dumbbell.files import table
from dumbbell.reproduce import papers
from dumbbell.reproduce.papers import Paper

TABLE = """\
# Table 1, page 3.
buffer,dt,red

24,11.0,17.25
 36 ,"13.2",19
"""
PAPER = """\
title = "t"
citation = "c"
fitted = ["t1-dt-24"]

[full]
replications = 5

[quick]
replications = 5

[scheme]
owns = ["queue"]

[baselines]
"t1-red-*" = "t1-dt-*"

[axes]
buffer = "table-1.csv"
cc = [{ cc = "reno", name = "Reno" }, { cc = "cubic", name = "CUBIC" }]
hop = [1, 2]
end = ["from", "to"]

[overrides]
early = ["queue.kind=red"]
slow = ["link.{end}{hop}.delay=9 ms", "link.b.queue={{ limit = {buffer} }}"]

[[point]]
scenario = "network.toml"
entries = [
  { id = "dt-{buffer}", overrides = ["queue.limit={buffer} pkt"] },
  { id = "red-{buffer}", overrides = ["queue.limit={buffer} pkt", "early", "slow"], scheme = true },
]

[[point]]
each = ["cc"]
scenario = "other.toml"
tags = ["{name}"]
entries = [{ id = "{cc}-{hop}" }, { id = "{cc}-last", scenario = "network.toml" }]

[[number]]
each = ["cc"]
measure = "duration_s"
entries = [
  { id = "{cc}", over = "hop", point = "{cc}-{hop}", scale = 2 },
  { id = "{cc}_last", point = "{cc}-last" },
]

[[number]]
id = "red"
over = "buffer"
point = "red-{buffer}"
measure = "duration_s"

[derived.cc]
"half_{cc}" = "{cc} / 2"
"part_{cc}_{hop}" = "{cc}[{hop}]"

[derived]
all = "half_reno + half_cubic"

[[cell]]
each = ["buffer"]
what = "{buffer} packets"
unit = "Mbit/s"
measure = "duration_s"
entries = [
  { id = "t1-dt-{buffer}", published = "{dt}", point = "dt-{buffer}" },
  { id = "t1-red-{buffer}", published = "{red}", point = "red-{buffer}", decimals = 1 },
]

[[prediction]]
id = "free"
what = "what nothing was fitted on"
cells = ["t1-*", "t1-dt-24"]

"""
FIGURE = """\
[[table]]
id = "t1"
caption = ""
header = ["", "Drop Tail"]
rows = [["{buffer}", "@t1-dt-{buffer}"], ["end", ""]]

[[figure]]
id = "f"
kind = "over"
caption = "{{1, 2}}"
x = ""
y = ""
[figure.lines]
"{cc}" = { label = "{name}", numbers = ["{cc}", "red"], cells = { "{buffer}" = "t1-dt-{buffer}" } }
"""


def a_paper(folder: Path, text: str = PAPER + FIGURE, printed: str = TABLE) -> Path:
    for name in ("network.toml", "other.toml"):
        (folder / name).write_text("")
    (folder / "table-1.csv").write_text(printed, encoding="utf-8")
    (folder / "paper.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return papers.read(a_paper(tmp_path))


def test_a_block_is_repeated_as_a_whole_and_an_entry_along_its_id(paper: Paper) -> None:
    blocks = ["reno-1", "reno-2", "reno-last", "cubic-1", "cubic-2", "cubic-last"]
    assert list(paper.points) == ["dt-24", "dt-36", "red-24", "red-36", *blocks]
    assert paper.points["reno-1"].scenario.name == "other.toml"
    assert paper.points["reno-last"].scenario.name == "network.toml"
    assert paper.points["cubic-2"].tags == ("CUBIC",)
    assert [point.scheme for point in paper.points.values()][:4] == [False, False, True, True]


def test_a_group_of_overrides_takes_the_places_of_its_entry(paper: Paper) -> None:
    assert paper.points["red-36"].overrides == (
        "queue.limit=36 pkt",
        "queue.kind=red",
        "link.from1.delay=9 ms",
        "link.to1.delay=9 ms",
        "link.from2.delay=9 ms",
        "link.to2.delay=9 ms",
        "link.b.queue={ limit = 36 }",
    )


def test_numbers_lie_along_an_axis_of_a_file_too(paper: Paper) -> None:
    assert list(paper.numbers) == ["reno", "reno_last", "cubic", "cubic_last", "red"]
    reno, last, red = (paper.numbers[name] for name in ("reno", "reno_last", "red"))
    assert (reno.points, reno.at, reno.scale) == (("reno-1", "reno-2"), (1, 2), 2)
    assert (last.points, last.at, last.scale) == (("reno-last",), (0.0,), 1.0)
    assert (red.points, red.at) == (("red-24", "red-36"), (24, 36))
    assert list(paper.derived.items()) == [
        ("half_reno", "reno / 2"),
        ("part_reno_1", "reno[1]"),
        ("part_reno_2", "reno[2]"),
        ("half_cubic", "cubic / 2"),
        ("part_cubic_1", "cubic[1]"),
        ("part_cubic_2", "cubic[2]"),
        ("all", "half_reno + half_cubic"),
    ]


def test_printed_numbers_have_the_decimals_of_their_text(paper: Paper) -> None:
    printed = {cell.id: (cell.published, cell.decimals) for cell in paper.cells.values()}
    assert printed == {
        "t1-dt-24": (11.0, 1),
        "t1-red-24": (17.25, 1),
        "t1-dt-36": (13.2, 1),
        "t1-red-36": (19, 1),
    }
    assert isinstance(printed["t1-red-36"][0], int)
    assert paper.cells["t1-red-36"].what == "36 packets"


def test_patterns_say_what_holds_of_many_cells(paper: Paper) -> None:
    assert [cell.id for cell in paper.cells.values() if cell.fitted] == ["t1-dt-24"]
    assert {cell.id: cell.baseline for cell in paper.cells.values() if cell.baseline} == {
        "t1-red-24": "t1-dt-24",
        "t1-red-36": "t1-dt-36",
    }
    (prediction,) = paper.predictions
    assert prediction.cells == ("t1-red-24", "t1-dt-36", "t1-red-36", "t1-dt-24")


def test_rows_and_lines_are_repeated_too(paper: Paper) -> None:
    assert paper.tables[0].rows == (("24", "@t1-dt-24"), ("36", "@t1-dt-36"), ("end", ""))
    (figure,) = paper.pictures
    assert figure.caption == "{1, 2}"
    cells = {"24": "t1-dt-24", "36": "t1-dt-36"}
    assert figure.options["lines"] == {
        "reno": {"label": "Reno", "numbers": ("reno", "red"), "cells": cells},
        "cubic": {"label": "CUBIC", "numbers": ("cubic", "red"), "cells": cells},
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'point = "dt-{buffer}" },',
            'point = "dt-{bufer}" },',
            ": `cell[0].entries[0]`: `dt-{bufer}`: there is no axis `bufer`; there are buffer, cc",
        ),
        (
            'each = ["buffer"]',
            'each = ["bufer"]',
            ": `cell[0].each`: there is no axis `bufer`; there are buffer, cc",
        ),
        ('each = ["buffer"]', 'each = "buffer"', "`cell[0].each`: this must be a list of axes"),
        (
            'what = "{buffer} packets"',
            'what = "{hop} packets"',
            "the entry does not vary along the axis `hop`: use it in the id or in `each`",
        ),
        (
            'unit = "Mbit/s"',
            "unit = 3",
            ": `cell[0].unit`: this is a whole number, but must be text",
        ),
        (
            "decimals = 1",
            'decimals = "1"',
            ": `cell[0].entries[1].decimals`: this is text, but must be a whole number",
        ),
        (
            '"early", "slow"',
            '"early", "slowly"',
            "`slowly` is neither an override, KEY=VALUE, nor a group of [overrides]; its groups "
            "are early, slow",
        ),
        ('"table-1.csv"', '"table-2.csv"', ": `axes.buffer`: there is no file "),
        ('"table-1.csv"', '"../table-1.csv"', "is not the name of a file beside paper.toml"),
        ('buffer = "table-1', 'size = "table-1', "the header of the file has no `size`"),
        ('{ cc = "cubic", name', '{ bb = "cubic", name', "a value that is a table has no `cc`"),
        ("[derived.cc]", "[derived.kk]", "`derived.kk`: there is no axis `kk`"),
        ('"half_{cc}" =', '"half" =', "`half` appears twice"),
        (
            'over = "buffer"\npoint = "red-{buffer}"',
            'over = "cc"\npoint = "{cc}-last"',
            "taken `over` it, so its values must be numbers",
        ),
        ('"t1-red-*" =', '"t2-red-*" =', "baselines: there is no cell `t2-red-*`"),
        ('["t1-dt-24"]', '["t1-dt-42"]', "fitted: there is no cell `t1-dt-42`"),
        ('cells = ["t1-*"', 'cells = ["t2-*"', "prediction `free`: there is no cell `t2-*`"),
        (
            "entries = [{ id",
            "entries = [3, { id",
            "`point[1].entries`: this must be a list of tables",
        ),
        ("hop = [1, 2]", "hop = [1, 1]", "`part_reno_1` appears twice"),
    ],
)
def test_a_mistake_has_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in PAPER
    text = PAPER.replace(old, new, 1)
    with pytest.raises(ScenarioError) as refused:
        papers.read(a_paper(tmp_path, text))
    assert str(tmp_path / "paper.toml") in refused.value.rendered
    assert said in refused.value.rendered
    if said.startswith(": `"):
        (line,) = (i for i, line in enumerate(text.splitlines(), 1) if new in line)
        assert f"paper.toml, line {line}{said}" in refused.value.rendered


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "17.25",
            "17.2S",
            "`17.2S` (table-1.csv, line 4) is not a printed number (digits and a point)",
        ),
        ("17.25", "", "`` (table-1.csv, line 4) is not a printed number"),
        ("17.25", "17,25", "table-1.csv, line 4: the line has 4 values instead of 3"),
        ('"13.2"', '"13.2', "table-1.csv, line 5: unexpected end of data"),
        ("dt,red", "dt,dt", "table-1.csv, line 2: two columns have the name `dt`"),
        ("dt,red", "dt,a b", "line 2: `a b` is not a column name"),
        ("24,11.0,17.25\n 36", "#", "has no rows"),
    ],
)
def test_a_mistake_of_a_table_has_its_line_there(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    assert old in TABLE
    with pytest.raises(ScenarioError) as refused:
        papers.read(a_paper(tmp_path, printed=TABLE.replace(old, new, 1)))
    assert str(tmp_path / "paper.toml") in refused.value.rendered
    assert said in refused.value.rendered


def test_a_table_has_texts_by_the_names_of_its_header(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text('#,x\na,b\n\n1,"x, ""y"""\n#2,3\n')
    assert table.rows(file) == [(4, {"a": "1", "b": 'x, "y"'})]


@pytest.mark.parametrize(
    ("axes", "rest"),
    [
        (3, '[[point]]\nid = "{x0}{x1}{x2}"\nscenario = "network.toml"\n'),
        (3, '[[point]]\neach = ["x0", "x1", "x2"]\nid = "a"\nscenario = "network.toml"\n'),
        (3, "[[table]]\nid = 't'\ncaption = ''\nheader = []\nrows = [['{x0}{x1}{x2}']]\n"),
        (2, f"[[point]]\nid = '{{x0}}{{x1}}{'x' * 9000}'\nscenario = 'network.toml'\n"),
        (2, f"[[point]]\nid = '{{x0}}{{x1}}'\nscenario = 's'\nx = [{'1, ' * 9000}]\n"),
    ],
)
def test_what_entries_are_written_out_to_is_bounded(axes: int, rest: str, tmp_path: Path) -> None:
    values = ", ".join(map(str, range(100)))
    text = "\n".join(f"x{i} = [{values}]" for i in range(axes))
    head = 'title = ""\ncitation = ""\nfull = { replications = 5 }\nquick = { replications = 5 }\n'
    with pytest.raises(ScenarioError, match=r"(more than 20000 combinations|exceed 8 MiB)"):
        papers.read(a_paper(tmp_path, f"{head}[axes]\n{text}\n{rest}"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('over = "buffer"', "over = []"),
        ("scale = 2", "scale = []"),
        ("tags = [", "each.a = ["),
        ('fitted = ["t1-dt-24"]', "reading = [3]"),
        ('id = "free"', "id = [[3]]"),
        ("[derived]", f"[derived]\nx{'.a' * 5000} = 1"),
        ("[[prediction]]", f"[[reading]]\ntagged{'.a' * 5000} = 1\n[[prediction]]"),
    ],
    ids=["over", "scale", "each", "entry", "id", "derived", "tagged"],
)
def test_values_of_other_types_and_deep_tables_are_refused(
    old: str, new: str, tmp_path: Path
) -> None:
    assert old in PAPER
    with pytest.raises(ScenarioError, match=r"paper\.toml"):
        papers.read(a_paper(tmp_path, PAPER.replace(old, new, 1)))
