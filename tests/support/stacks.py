"""Analyses of dumps whose values have given authors, for what is arranged by call stack."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from reportgen.analyse.peak_stacks import PeakStacks, peak_stacks
from reportgen.analyse.records import Analysis
from reportgen.parse.stack_frames import Frame
from reportgen.program.author import Author
from tests.support.dumps import analysed

Authored = tuple[int, Author]
"""The size of a value, and its author."""


class _Given:
    """Stands for the authors of a dump."""

    def __init__(self, authors: Mapping[int, Author]) -> None:
        self._authors = authors

    def of(self, number: int) -> Author:
        return self._authors[number]


def analysis_of(*authored: Authored) -> Analysis:
    """Return the analysis of a dump with these values, all of which are live at once."""
    offset, values = 0, ""
    for number, (size, _) in enumerate(authored):
        values += f" value: <{number} v{number} @0> (size={size},offset={offset}): u8[{size}]{{0}}\n"
        offset += size
    ranges = "".join(f"    v{number}{{}}:0-1\n" for number in range(len(authored)))
    analysis = analysed(
        f"BufferAssignment:\nallocation 0: size {offset}, preallocated-temp:\n{values}",
        "Used values:\n",
        f"HloLiveRange (max 1):\n  InstructionSequence:\n    0:v0\n  BufferLiveRange:\n{ranges}",
    )
    numbers = [int(name[1:]) for name in analysis.facts.values.names]
    analysis.__dict__["authors"] = _Given({place: authored[number][1] for place, number in enumerate(numbers)})
    return analysis


def stacks_of(*authored: Authored) -> PeakStacks:
    """Return the stacks of the peak of a dump with these values."""
    analysis = analysis_of(*authored)
    return peak_stacks(analysis, analysis.spaces[0])


_names = st.sampled_from(["f", "g", "layer_1", "layer_2", "<module>", "build.<locals>.step", "é" * 90, ""])
_frames = st.builds(
    Frame, st.sampled_from(["/a.py", "/b/" + "c" * 90 + ".py", "/x/site-packages/y.py"]), _names, st.integers(1, 4)
)
_parts = st.sampled_from(["p", "q", "['a']", "[0]", "[1].m", "/", "layer_3/", "dot", "jvp(", ")"])
_authors = st.builds(
    Author,
    operation=_names,
    scope=st.lists(_parts, max_size=5).map("".join),
    argument=st.lists(_parts, max_size=3).map("".join),
    stack=st.lists(_frames, max_size=9).map(tuple),
    rule=st.sampled_from(["own", "argument", "new value", "read", "in place", "not known"]),
)


def authored_analyses(most: int = 40) -> st.SearchStrategy[Analysis]:
    """Return random analyses of up to this many values with random authors."""

    def made(authored: Sequence[Authored]) -> Analysis:
        return analysis_of(*authored)

    return st.lists(st.tuples(st.integers(1, 10**9), _authors), min_size=1, max_size=most).map(made)
