"""Laws for all regular expressions of the package: linear time, little memory, the same matches on every Python."""

import re
from typing import Any

import pytest

from reportgen.patterns import STRING, STRING_OR_REST, repeated
from tests.support import matching
from tests.support.patterns import Used, faults, is_slow, parsed, patterns_of_package, slow_texts

KEEPS = "keeps something for each round of a group, which only a possessive repeat does not"

SLOW = {
    "an end that never comes": r"[ ,](?:calls|condition)=(?:\{([^}]*)\}|%?([^\s,)}]+))",
    "a beginning in what is repeated": r', metadata=\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*+\}',
    "two repeats of the same letters": r"\{devices=\[([\d,]+)\]([^{}]*(?:\{[^{}]*\})?[^{}]*)\}",
    "a beginning that the repeat takes, too": r"(?<![^\s(])/?(?:[^\s/:]+/)++(?=[^\s/:]+:\d)",
    "a string that never ends": STRING,
    "digits before a sign": r"(\d+) \{file_location_id=(\d+)",
    "an end of the text": r"(?:\.(?:\d+|clone|remat\d*))++$",
    "spaces before an end": r"^(.*?)\s*\{#([a-z0-9\-]+)\}\s*$",
}
KEEPING = {
    "empty lines": r"(?:\r?\n)+",
    "a string": r'"(?:[^"\\]|\\.)*"',
    "a round for as few as possible": r"(?:\([^)\n]*\))+?",
    "within a group": r", sharding=(\{(?:[^{}]|\{[^{}]*\})*\})",
}


def test_the_patterns_of_the_package_are_found() -> None:
    places = {used.place: used.is_searched for used in patterns_of_package()}
    assert places["reportgen.parse.line_shapes.USED_ENTRY"] is False
    assert places["reportgen.parse.module_text._CALL"] is True
    assert places["reportgen.oom.error_event.FORM_OF"] is True  # within a mapping, compiled when it is used
    assert any(re.fullmatch(r"reportgen\.program\.dimensions:\d+", place) for place in places)  # within a function


@pytest.mark.parametrize("pattern", KEEPING.values(), ids=KEEPING)
def test_repeated_groups_that_keep_something_are_noticed(pattern: str) -> None:
    assert KEEPS in faults(parsed(re.compile(pattern)))


@pytest.mark.parametrize("pattern", [r"(?:ab?c)*+", r"(?:,\d{1,3}){0,3}+", r"(?:\{[^{}]*\}|[^{}])*+", r"(?:(a)|b|)*+"])
def test_what_older_pythons_read_wrongly_is_noticed(pattern: str) -> None:
    assert [*faults(parsed(re.compile(pattern)))]


@pytest.mark.parametrize("pattern", SLOW.values(), ids=SLOW)
def test_slow_patterns_are_noticed(pattern: str) -> None:
    used = Used("here", re.compile(pattern), is_searched=True)
    assert is_slow(used, slow_texts(parsed(used.pattern), is_searched=True))


def test_slow_patterns_that_are_tried_at_a_place_are_noticed() -> None:
    used = Used("here", re.compile(SLOW["two repeats of the same letters"]), is_searched=False)
    assert is_slow(used, slow_texts(parsed(used.pattern), is_searched=False))


def test_no_pattern_keeps_memory_or_is_read_differently_by_another_python() -> None:
    found = {used.place: fault for used in patterns_of_package() for fault in faults(parsed(used.pattern))}
    assert not found, "reportgen.patterns.repeated makes a repeat that is right"


@pytest.mark.slow
def test_every_pattern_takes_linear_time() -> None:
    texts = {used: slow_texts(parsed(used.pattern), is_searched=used.is_searched) for used in patterns_of_package()}
    slow = {used.place: is_slow(used, some) for used, some in texts.items()}
    assert {place: text for place, text in slow.items() if text} == {}


@pytest.mark.slow
def test_the_matches_whose_steps_are_counted_are_those_of_re(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MOST", 1 << 20)
    for used in patterns_of_package():
        for text in slow_texts(parsed(used.pattern), is_searched=used.is_searched)[:5]:
            whole: Any = text.of_rounds(8)
            found = [*matching.Matching(used.pattern).spans(whole, range(len(whole) + 1))]
            whole = whole.encode("latin-1") if isinstance(used.pattern.pattern, bytes) else whole
            assert found == [match.span() for match in used.pattern.finditer(whole)], (used.place, text)


@pytest.mark.parametrize(
    ("part", "text", "length"),
    [
        ("ab?c", "acabcab", 5),
        (r"\([^()]*\)", "(a)(b", 3),
        (r"\{[^{}]*\}|[^{}]", "ab{c{", 2),
        ("a(?:bx|cx)", "abxacxab", 6),
        (r"  \w+(?: \{\d*\})?\n", "  a {1}\n  b {2\n", 8),
    ],
)
def test_a_repeat_ends_before_the_first_round_that_fails(part: str, text: str, length: int) -> None:
    for found in (re.match(repeated(part), text), re.match(repeated(part.encode()), text.encode())):
        assert found is not None
        assert found.end() == length
    assert bool(re.match(repeated(part, 2), text)) is bool(re.match(f"(?:{part}){{2}}", text))


def test_a_string_that_never_ends_has_all_that_follows() -> None:
    assert re.findall(STRING_OR_REST, r'a "b\"c" d "e\" f') == [r'"b\"c"', r'"e\" f']
