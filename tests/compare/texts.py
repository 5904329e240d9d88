"""Small dumps as text, for comparisons whose outcome can be worked out by hand."""

from pathlib import Path

from reportgen.analyse.analysis import measure
from reportgen.analyse.records import Measured
from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.parse.parser import parse_dump
from tests.support.dumps import edited, parsed

NAME = "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt"

# The program of openxla/xla#45912, cut down: an array is updated in the memory of its argument, and then it is not.
IN_PLACE = """\
BufferAssignment:
allocation 0: size 4194304, parameter 0, shape |f32[1048576]| at ShapeIndex {}:
 value: <1 Arg_0.1 @0> (size=4194304,offset=0): f32[1048576]{0}
 value: <2 exp_fusion @0> (size=4194304,offset=0): f32[1048576]{0}
allocation 1: size 4, output shape is |s32[]|, maybe-live-out:
 value: <3 counter @0> (size=4,offset=0): s32[]

Total bytes used: 4194308 (4.00MiB)

Used values:
<1 Arg_0.1 @0>
 positions:
  Arg_0.1
 uses:
  exp_fusion, operand 0
 from instruction: %Arg_0.1 = f32[1048576]{0} parameter(0), metadata={op_name="x"}
<2 exp_fusion @0>
 positions:
  exp_fusion
 uses:
  counter, operand 0
 from instruction: %exp_fusion = f32[1048576]{0} fusion(%Arg_0.1), kind=kLoop, metadata={op_name="jit(f)/exp"}
<3 counter @0>
 positions:
  counter
 uses:
  (none)
 from instruction: %counter = s32[] fusion(%exp_fusion), kind=kLoop, metadata={op_name="jit(f)/while"}

HloLiveRange (max 3):
  InstructionSequence:
    0:Arg_0.1
    1:exp_fusion
    2:counter
  BufferLiveRange:
    Arg_0.1{}:0-1
    exp_fusion{}:1-2
    counter{}:2-3
"""
_UPDATED = " value: <2 exp_fusion @0> (size=4194304,offset=0): f32[1048576]{0}\n"
NOT_IN_PLACE = edited(
    IN_PLACE,
    (f"{_UPDATED}allocation 1:", f"allocation 1: size 4194304, preallocated-temp:\n{_UPDATED}allocation 2:"),
    ("4194308 (4.00MiB)", "8388612 (8.00MiB)"),
    ("exp_fusion", "exp_fusion.1"),
)


IN_PLACE_DUMPS = Path(__file__).parent / "in_place"
"""The same program as two versions of jaxlib compile it; its README says how they were made."""


def measured(text: str) -> Measured:
    """Return what the values and memory spaces of a dump need."""
    return measure(parsed(text), "cpu")


def compiled(folder: Path) -> Measured:
    """Return the same of the only dump in a folder."""
    (files,) = discover([folder]).dumps
    return measure(parse_dump(load_text(files)[0]), files.name.backend)


def written(folder: Path, text: str, name: str = NAME) -> Path:
    """Write a dump into a folder of its own, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder
