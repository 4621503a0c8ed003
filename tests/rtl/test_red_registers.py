"""The module's registers: one description, what is made from it, and the host's tool. No simulator
is needed."""

import shutil
import subprocess

import pytest
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.rtl import registers, regtool
from dumbbell.rtl.sources import folder

DESCRIPTION = """
[block]
name = "red"
address_bits = 9
magic = 1
"""


def register(name="a", offset=0, per="", bits=4, access="rw"):
    fields = {
        "name": name,
        "per": per,
        "access": access,
        "where": "module",
        "unit": "",
        "reset": "0",
        "doc": ".",
    }
    lines = [f'{key} = "{value}"' for key, value in fields.items()]
    return "\n".join(["[[register]]", f"offset = {offset}", f"bits = {bits}", *lines, ""])


def test_what_is_made_from_the_description_is_up_to_date():
    assert registers.stale(folder()) == [], "run `python -m dumbbell.rtl.registers`"


def test_a_changed_description_is_noticed(tmp_path):
    for name in (registers.DESCRIPTION, *registers.generated(registers.block())):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder() / name, tmp_path / name)
    assert registers.stale(tmp_path) == []
    file = tmp_path / registers.DESCRIPTION
    file.write_text(file.read_text().replace("offset = 0x130", "offset = 0x138"))
    assert len(registers.stale(tmp_path)) == 3


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([register("a", 0), register("b", 0)], "`b` and `a` are both at 0x0"),
        ([register("a", 4, "queue")], "must begin at a multiple"),
        ([register("a", 512)], "beyond the block"),
        ([register("a", access="wo")], "access is rw or ro"),
        ([register("a", bits=33)], "bits are 1 to 32"),
    ],
)
def test_a_description_that_hardware_cannot_decode_is_refused(entries, said):
    with pytest.raises(ScenarioError, match=said):
        registers.parse(DESCRIPTION + "\n".join(entries))


def test_offsets():
    block = registers.block()
    assert (
        block["min"].at(queue=3, cls=2) == 0x13
        and block["avg"].at(7) == 0x107
        and block["class"].at(dscp=46) == 0x1AE
    )
    for wrong in ({"queue": 8}, {"cls": 4}, {"dscp": 64}):
        with pytest.raises(ScenarioError):
            block["min"].at(**wrong)
    with pytest.raises(ScenarioError, match="has no entry"):
        block["avg"].at(queue=0, cls=1)
    with pytest.raises(ScenarioError, match="there is no register `minimum`"):
        block["minimum"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_c_header_compiles_and_says_the_same(tmp_path):
    block = registers.block()
    lines = [f'printf("%u\\n", RED_REG_{r.name.upper()});' for r in block.registers]
    lines += ['printf("%u\\n", RED_REG_BYTES(16u, RED_REG_SLOPE_AT(3, 5)));']
    source = tmp_path / "a.c"
    source.write_text(
        f'#include <stdio.h>\n#include "red_regs.h"\nint main(void) {{ {" ".join(lines)} return '
        f"0; }}\n"
    )
    words = [
        "cc",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I",
        str(folder() / "include"),
        "-o",
        str(tmp_path / "a"),
    ]
    subprocess.run([*words, str(source)], check=True)
    printed = subprocess.run(
        [str(tmp_path / "a")], check=True, capture_output=True, text=True
    ).stdout.split()
    assert [int(word) for word in printed] == [
        *(r.offset for r in block.registers),
        16 + 4 * (0x40 + 29),
    ]


def test_thresholds_and_slopes_as_the_page_has_them():
    assert (regtool.threshold(6), regtool.threshold(12)) == (6144, 12288)
    assert (
        regtool.slope(0.02, 6144, 12288) == 27962
        and regtool.slope(0.02, 6144, 12288, constant=True) == 41943
    )
    for wrong in ((0.02, 5, 5), (0.02, 0, 1 << 18), (1.5, 0, 1024), (1.0, 0, 1024)):
        with pytest.raises(ScenarioError):
            regtool.slope(*wrong)
    with pytest.raises(ScenarioError):
        regtool.threshold(4096)


class Memory:
    """A transport over a block of words."""

    def __init__(self):
        self.words = {}

    def read(self, offset):
        return self.words.get(offset, 0)

    def write(self, offset, value):
        self.words[offset] = value


def test_a_script_does_what_the_calls_did():
    script, direct, replayed = regtool.Script(0x2000), Memory(), Memory()
    for transport in (script, direct):
        regtool.configure(transport, 5, 4, 8, 0.1, cls=1)
    assert script.lines[0] == "w 0x00002034 0x00001000"
    regtool.replay(["# a comment", "", *script.lines], replayed, base=0x2000)
    assert replayed.words == direct.words
    assert regtool.replay(["r 0x2034"], replayed, base=0x2000) == [4096]
    for line in ("w 0x2034", "x 0x2034 1", "w 0x2035 1", "r 0x9000", "w zero 1"):
        with pytest.raises(ScenarioError, match="line 1"):
            regtool.replay([line], replayed, base=0x2000)


def test_what_is_no_module_of_ours_is_refused():
    memory = Memory()
    with pytest.raises(DumbbellError, match="no RED module"):
        regtool.identify(memory)
    memory.words = {
        registers.block()["id"].offset: registers.block().magic,
        registers.block()["options"].offset: 9 << 8 | 0x42,
    }
    options = regtool.identify(memory)
    assert (options.w, options.constant, options.counters, options.wred) == (9, True, True, False)


def test_a_queue_is_read_in_packets():
    memory, block = Memory(), registers.block()
    regtool.configure(memory, 2, 6, 12, 0.02)
    memory.write(block["avg"].at(2), 11266)
    memory.write(block["early"].at(2), 7)
    read = regtool.read_queue(memory, 2)
    assert (read.low, read.high, read.early, read.avg) == (6, 12, 7, 11266 / 1024)
    assert read.max_p == pytest.approx(0.02, abs=1e-6)
