"""Errors put in doubt only the bytes that they are about."""

from reportgen.analyse.analysis import analyse
from reportgen.analyse.contested import contested_bytes, decides
from reportgen.analyse.records import Analysis
from tests.support.builder import Lives, temporaries
from tests.support.dumps import analysed, edited
from tests.support.sound import SOUND


def sharing(size: int, color: int = 0) -> Analysis:
    """Return a dump with 10,000 bytes at its peak and two values in the same `size` bytes at once."""
    return analyse(
        temporaries(
            Lives("step0", 0, 9, size=10_000),
            Lives("step1", 1, 5, size=size, offset=10_240, color=color),
            Lives("step2", 2, 6, size=size, offset=10_240, color=color),
        )
    )


def test_a_sound_dump_has_no_contested_bytes() -> None:
    analysis = analysed(SOUND)
    assert all(contested_bytes(analysis, space) == 0 for space in analysis.spaces.values())


def test_two_small_values_in_the_same_bytes_decide_nothing() -> None:
    analysis = sharing(100)
    contested = contested_bytes(analysis, analysis.spaces[0])
    assert contested == 200
    assert not decides(contested, analysis.spaces[0])


def test_two_large_values_in_the_same_bytes_decide() -> None:
    analysis = sharing(5_000)
    assert decides(contested_bytes(analysis, analysis.spaces[0]), analysis.spaces[0])


def test_errors_in_one_memory_space_say_nothing_of_another() -> None:
    analysis = sharing(5_000, color=1)
    assert contested_bytes(analysis, analysis.spaces[0]) == 0
    assert decides(contested_bytes(analysis, analysis.spaces[1]), analysis.spaces[1])


def test_an_error_of_the_whole_dump_decides_everywhere() -> None:
    analysis = analysed(edited(SOUND, ("used: 5124", "used: 5125")))
    assert contested_bytes(analysis, analysis.spaces[0]) is None
    assert decides(None, analysis.spaces[0])


def test_more_errors_than_are_listed_decide() -> None:
    analysis = analyse(
        temporaries(*(Lives(f"step{number}", number, 299, offset=number // 2 * 64) for number in range(300)))
    )
    assert contested_bytes(analysis, analysis.spaces[0]) is None
