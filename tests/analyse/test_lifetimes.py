"""An idle stretch lies within the live range, between two moments at which its value is defined or read."""

from hypothesis import given

from reportgen.analyse.lifetimes import Stretch, idle_at_peak, idle_of
from reportgen.analyse.padding import values_of
from reportgen.analyse.records import Analysis, Space
from reportgen.model import Dump
from tests.support.dumps import analysed, edited
from tests.support.printer import Dialect, printed
from tests.support.samples import sample_analysis, sample_labels
from tests.support.strategies import consistent_dumps, dialects

STEP = """BufferAssignment:
allocation 0: size 100, parameter 0, shape |u8[100]| at ShapeIndex {}:
 value: <1 p @0> (size=100,offset=0): u8[100]{0}
allocation 1: size 30, preallocated-temp:
 value: <2 a @0> (size=10,offset=0): u8[10]{0}
 value: <3 b @0> (size=20,offset=10): u8[20]{0}

Total bytes used: 130 (130B)

Used values:
<1 p @0>
 positions:
  p
 uses:
  b, operand 0
 from instruction: %p = u8[100]{0} parameter(0)
<2 a @0>
 positions:
  a
 uses:
  d, operand 0
 from instruction: %a = u8[10]{0} iota()
<3 b @0>
 positions:
  b
 uses:
  c, operand 0
  d, operand 1
 from instruction: %b = u8[20]{0} negate(%p)


HloLiveRange (max 6):
  InstructionSequence:
    0:p
    1:a
    2:b
    3:c
    4:d
    5:e
  BufferLiveRange:
    p{}:0-6
    a{}:1-4
    b{}:2-4
"""


def stretches_of(analysis: Analysis, space: Space) -> list[Stretch]:
    return [idle for number in values_of(analysis, space) for idle in idle_of(analysis, number)]


def found(analysis: Analysis) -> list[tuple[str, str, int, int, int]]:
    names = [fact.value.key.name for fact in analysis.facts]
    return [
        (names[idle.value], idle.kind, idle.first, idle.last, idle.size_bytes)
        for idle in stretches_of(analysis, analysis.spaces[0])
    ]


def test_a_parameter_is_idle_before_its_first_and_after_its_last_use() -> None:
    assert found(analysed(STEP)) == [
        ("p", "before the first use", 0, 1, 100),
        ("p", "after the last use", 3, 5, 100),
        ("a", "before the first use", 2, 3, 10),
    ]


def test_a_parameter_that_nobody_reads_is_idle_for_as_long_as_it_is_live() -> None:
    unused = edited(STEP, ("  b, operand 0\n from instruction: %p", " from instruction: %p"))
    assert found(analysed(unused))[0] == ("p", "never used", 0, 5, 100)


def test_a_value_is_idle_between_two_uses() -> None:
    later = edited(STEP, ("  d, operand 1", "  e, operand 1"), ("b{}:2-4", "b{}:2-5"))
    assert ("b", "between uses", 4, 4, 20) in found(analysed(later))


def test_without_used_values_nobody_is_called_idle() -> None:
    allocations, _, rest = STEP.partition("Used values:")
    assert found(analysed(allocations + rest[rest.index("HloLiveRange") :])) == []


def test_only_what_spans_the_peak_counts_there() -> None:
    analysis = analysed(STEP)
    space = analysis.spaces[0]
    assert space.peak_resident is not None
    assert space.peak_resident.moment == 2
    rows = idle_at_peak(analysis, space)
    assert [(idle.amount, analysis.facts[idle.value].value.key.name) for idle in rows] == [(10, "a")]


def assert_sound(analysis: Analysis) -> None:
    for space in analysis.spaces.values():
        stretches, values = stretches_of(analysis, space), set(values_of(analysis, space))
        for idle in stretches:
            live = analysis.facts[idle.value].live
            assert live is not None
            assert idle.value in values
            assert live.start <= idle.first <= idle.last <= live.end
            assert idle.steps == idle.last - idle.first + 1
        taken = [(idle.value, moment) for idle in stretches for moment in range(idle.first, idle.last + 1)]
        assert len(taken) == len(set(taken))
        at_peak = sum(idle.amount for idle in idle_at_peak(analysis, space))
        assert at_peak <= (space.peak_resident.amount if space.peak_resident else 0)


def test_samples_are_sound() -> None:
    for label in sample_labels():
        assert_sound(sample_analysis(label))


@given(consistent_dumps(), dialects)
def test_any_dump_is_sound(dump: Dump, dialect: Dialect) -> None:
    assert_sound(analysed(*printed(dump, dialect)))
