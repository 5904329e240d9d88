"""The groups of a peak: arguments of one shape are one where most of their paths agree."""

from reportgen.analyse.peak_groups import peak_groups
from reportgen.program.author import Author
from tests.support.dumps import analysed


def groups_of(*names: str) -> list[tuple[str, int]]:
    dump = "".join(
        f"allocation {number}: size 8, parameter {number}, shape |f32[2]| at ShapeIndex {{}}:\n"
        f" value: <{number} p{number} @0> (size=8,offset=0): f32[2]{{0}}\n"
        for number in range(len(names))
    )
    ranges = "".join(f"    p{number}{{}}:0-1\n" for number in range(len(names)))
    analysis = analysed(
        f"BufferAssignment:\n{dump}",
        "Used values:\n",
        f"HloLiveRange (max 1):\n  InstructionSequence:\n    0:p0\n  BufferLiveRange:\n{ranges}",
    )
    authors = {number: Author(argument=name, rule="argument") for number, name in enumerate(names)}
    analysis.__dict__["authors"] = type("Given", (), {"of": staticmethod(authors.__getitem__)})()
    return [(group.name, len(group.buffers)) for group in peak_groups(analysis, analysis.spaces[0])]


def test_steps_that_differ_are_a_star() -> None:
    paths = [
        f"opt[0].{moment}['mlp']['{layer}']['kernel'].value" for moment in ("mu", "nu") for layer in ("up", "gate")
    ]
    assert groups_of(*paths) == [("opt[0].*['mlp'][*]['kernel'].value", 4)]
    assert groups_of("p['layers'][0]['a']", "p['layers'][1]['b']") == [("p['layers'][#][*]", 2)]


def test_names_of_which_little_agrees_are_apart() -> None:
    assert groups_of("p['embed']['scale']", "p['head']['bias']") == [
        ("p['embed']['scale']", 1),
        ("p['head']['bias']", 1),
    ]
    assert groups_of("p['w']", "o['w']") == [("p['w']", 1), ("o['w']", 1)]
