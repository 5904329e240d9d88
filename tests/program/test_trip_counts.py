"""A loop runs as often as its counter says, and nothing is claimed where data decides."""

import pytest

from reportgen.parse.module_text import ModuleText
from reportgen.program.join import Join
from reportgen.program.program import Program
from reportgen.program.trip_counts import trip_count
from tests.support.dumps import parsed

TEXT = """\
HloModule jit_f

%less (p: s32[], q: s32[]) -> pred[] {{
  %p = s32[] parameter(0)
  %q = s32[] parameter(1)
  ROOT %compare = pred[] compare(%p, %q), direction={direction}
}}

%cond (c: (s32[], f32[8], s32[])) -> pred[] {{
  %c = (s32[], f32[8]{{0}}, s32[]) parameter(0)
  %i = s32[] get-tuple-element(%c), index=0
  %kept = s32[] get-tuple-element(%c), index=2
  %limit = s32[] constant({limit})
  ROOT %goes_on = pred[] {goes_on}
}}

%body (b: (s32[], f32[8], s32[])) -> (s32[], f32[8], s32[]) {{
  %b = (s32[], f32[8]{{0}}, s32[]) parameter(0)
  %j = s32[] get-tuple-element(%b), index=0
  %copy = s32[] copy(%j)
  %step = s32[] constant({step})
  %next = s32[] {next}
  %x = f32[8]{{0}} get-tuple-element(%b), index=1
  %stays = s32[] get-tuple-element(%b), index=2
  ROOT %out = (s32[], f32[8]{{0}}, s32[]) tuple(%next, %x, %stays)
}}

ENTRY %main (a: f32[8]) -> f32[8] {{
  %a = f32[8]{{0}} parameter(0)
  %zero = s32[] constant({start})
  %bound = s32[] constant(40)
  %begin = s32[] copy(%zero)
  %init = (s32[], f32[8]{{0}}, s32[]) tuple(%begin, %a, %bound)
  %loop = (s32[], f32[8]{{0}}, s32[]) while(%init), condition=%cond, body=%body{stated}
  ROOT %end = f32[8]{{0}} get-tuple-element(%loop), index=1
}}
"""


def count(
    start: int = 0,
    limit: int = 12,
    step: int = 1,
    direction: str = "LT",
    goes_on: str = "fusion(%i, %limit), kind=kLoop, calls=%less",
    following: str = "add(%copy, %step)",
    stated: str = "",
) -> int | None:
    text = TEXT.format(
        start=start, limit=limit, step=step, direction=direction, goes_on=goes_on, next=following, stated=stated
    )
    return trip_count(Program(parsed(""), Join(module=ModuleText(text.encode()))), "loop")


@pytest.mark.parametrize("direction", ["LT", "LE", "GT", "GE", "NE"])
@pytest.mark.parametrize("step", [-3, -1, 1, 2])
@pytest.mark.parametrize(("start", "limit"), [(0, 12), (5, 12), (12, 0), (3, 3)])
def test_the_passes_are_those_of_the_counter(direction: str, step: int, start: int, limit: int) -> None:
    at, passes = start, 0
    goes_on = {"LT": int.__lt__, "LE": int.__le__, "GT": int.__gt__, "GE": int.__ge__, "NE": int.__ne__}[direction]
    while passes < 100 and goes_on(at, limit):
        at, passes = at + step, passes + 1
    assert count(start=start, limit=limit, step=step, direction=direction) == (passes if passes < 100 else None)


@pytest.mark.parametrize(
    ("change", "passes"),
    [
        ({"goes_on": "compare(%limit, %i), direction=GT"}, 12),
        ({"goes_on": "compare(%i, %kept), direction=LT"}, 40),
        ({"following": "add(%step, %j)"}, 12),
        ({"following": "subtract(%j, %step)", "start": 12, "limit": 0, "direction": "GT"}, 12),
        ({"stated": ', backend_config={"known_trip_count":{"n":"7"}}'}, 7),
    ],
    ids=["mirrored", "bound that the loop passes on", "mirrored step", "counted down", "stated"],
)
def test_forms_of_a_counted_loop(change: dict[str, str], passes: int) -> None:
    assert count(**change) == passes  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"goes_on": "and(%less_than, %is_not_done)"},
        {"goes_on": "compare(%i, %i), direction=LT"},
        {"following": "multiply(%copy, %step)"},
        {"following": "add(%copy, %copy)"},
        {"following": "subtract(%step, %copy)"},
        {"step": 0},
    ],
    ids=["data", "no bound", "product", "doubled", "turned round", "no step"],
)
def test_nothing_is_claimed(change: dict[str, str]) -> None:
    assert count(**change) is None  # type: ignore[arg-type]
