"""What people paste is answered: each text is read as its form, and the answer has its figures, cause and next step."""

import re
import tomllib
from collections.abc import Sequence
from itertools import product
from math import prod
from pathlib import Path
from random import Random

import pytest

from reportgen.analyse.logged_errors import LoggedError
from reportgen.build import build
from reportgen.oom.find_errors import find_out_of_memory
from reportgen.oom.forms import FORMS
from reportgen.options import BuildOptions
from reportgen.reports.error_story import story_of
from reportgen.reports.explain_sections import sections
from reportgen.reports.explain_text import explanation_lines
from tests.support.samples import ROOT
from tests.support.site import link_problems, read_page, read_pages, tree

FILE = ROOT / "tests" / "oom" / "cases.toml"
CASES = tomllib.loads(FILE.read_text(encoding="utf-8"))["case"]
TEXTS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "oom" / "texts").glob("*.txt"))]
MUTATIONS = 200

_SIZE = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?) ?((?:[KMGTPE]i)?B)\b")
_DIMENSIONS = re.compile(r"\[([\d,]+)\]")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d[\d,]*(?:\.\d+)?(?: ?(?:[KMGTPE](?:i?B)?|kB|B))?")


def answer(text: str, width: int = 200) -> str:
    """Return what `explain` says of a text, on one line."""
    errors = [LoggedError("text", event) for event in find_out_of_memory([text.encode()])]
    lines = explanation_lines(sections((), errors), width)
    return " ".join(" ".join(span.text for span in line) for line in lines)


def stated(text: str) -> str:
    """Return what an answer says of a text itself, without devices and what to do."""
    stories = map(story_of, find_out_of_memory([text.encode()]))
    return " ".join(words for story in stories for words in (*story.told, story.figures))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_answer_has_what_a_user_expects_to_read(case: dict[str, Sequence[str]]) -> None:
    said = " ".join(answer(str(case["text"])).split())
    assert [words for words in case["contains"] if words not in said] == []
    assert [words for words in case.get("lacks", ()) if words in said] == []


def test_each_form_has_a_text() -> None:
    texts = [*TEXTS, *(case["text"] for case in CASES)]
    read = {event.name for text in texts for event in find_out_of_memory([text.encode()])}
    assert [form.name for form in FORMS if form.name not in read and form.kind != "other"] == []


def test_the_pages_of_all_texts_say_the_same(tmp_path: Path) -> None:
    for case in CASES:
        (tmp_path / f"{case['name']}.log").write_text(case["text"], encoding="utf-8")
    site = tmp_path / "site"
    options = BuildOptions(paths=tuple(sorted(tmp_path.glob("*.log"))), output=site, redaction=None)
    build(options, lambda *_: None)
    assert link_problems(read_pages(site), frozenset(tree(site))) == []
    pages = [" ".join(read_page(path.read_text(encoding="utf-8")).text.split()) for path in (site / "oom").iterdir()]
    for case in CASES:
        own = " ".join(page for page in pages if f"{case['name']}.log" in page)
        assert [words for words in case["contains"] if words not in own] == [], case["name"]
        assert [words for words in case.get("lacks", ()) if words in own] == [], case["name"]


LAUNCHERS = (
    "(fit pid=5150, ip=10.0.0.7) ",
    "12: ",
    "[1,3]<stderr>: ",
    "[rank3]: ",
    "2026-03-02T08:11:45.120458113Z stderr F ",
    "trainer-0  | ",
    "[pod/train-0/main] ",
    "net-train-0-x8k2d worker ",
    "2026-03-02 08:11:45,120 - train - ERROR - ",
    "[2026-03-02 08:11:45,120][__main__][ERROR] - ",
    "2026-03-02 08:11:45.120 | ERROR    | train:main:12 - ",
    "ERROR 06-03 07:41:11 [core.py:1184] ",
    "Mar  2 08:11:45 host7 python[123]: ",
    "\x1b[36m(Worker pid=7)\x1b[0m ",
    "> > ",
    "E       ",
)
PREFIXED = [case for case in CASES if case["name"] in ("same-share", "weights-full", "load-holds", "gpu-results")]


@pytest.mark.parametrize("prefix", LAUNCHERS)
@pytest.mark.parametrize("case", PREFIXED, ids=lambda case: case["name"])
def test_what_a_launcher_writes_before_each_line_changes_no_answer(case: dict[str, str], prefix: str) -> None:
    lines = case["text"].strip("\n").split("\n")
    assert answer("\n".join(prefix + line for line in lines)) == answer("\n".join(lines))


@pytest.mark.parametrize("case", PREFIXED, ids=lambda case: case["name"])
def test_lines_of_two_ranks_are_told_apart(case: dict[str, str]) -> None:
    lines = case["text"].strip("\n").split("\n")
    both = [f"{rank}: {line}" for line in lines for rank in (0, 1)]
    [first, *others] = find_out_of_memory(["\n".join(both).encode()])
    assert (len(first.lines), others) == (2, [])


@pytest.mark.parametrize("number", range(MUTATIONS))
def test_a_damaged_text_has_no_figure_that_is_not_in_it(number: int) -> None:
    random = Random(number)
    text = mutation(random.choice([*TEXTS, *(case["text"] for case in CASES)]), random)
    printed = [size_of(found) for found in _NUMBER.findall(text)]
    known = (
        {round(one) for one in printed} | {round(4 * one) for one in printed} | {round(1024 * one) for one in printed}
    )
    pairs = {abs(one - other) for one in known for other in known} | {one + other for one in known for other in known}
    for amount, unit in _SIZE.findall(stated(text)):
        shown = float(amount.replace(",", "")) * 1024 ** " KMGTPE".index(unit[0] if len(unit) > 1 else " ")
        near = any(abs(size - shown) <= shown / 50 + 1 for size in (*known, *pairs, *elements(text), *sums(printed)))
        assert near, (amount, unit, text)


def elements(text: str) -> set[int]:
    """Return the bytes of the arrays whose shapes a text has, for elements of up to 16 bytes."""
    shapes = [[int(one) for one in found.split(",") if one] for found in _DIMENSIONS.findall(text)]
    return {prod(shape) * width for shape in shapes for width in (1, 2, 4, 8, 16)}


def sums(printed: Sequence[float]) -> set[float]:
    """Return what the figures of a compiled program can add up to, each added, subtracted or left out."""
    return {sum(signs) for signs in product(*((-one, 0, one) for one in list(dict.fromkeys(printed))[:8]))}


def mutation(text: str, random: Random) -> str:
    """Return a text as loggers, editors and people change it."""
    lines = text.split("\n")
    match random.randrange(7):
        case 0:
            return "\n".join(random.choice(LAUNCHERS) + line for line in lines)
        case 1:
            return random.choice([text.lower(), text.upper(), text.swapcase()])
        case 2:
            return text[: random.randrange(len(text) + 1)]
        case 3:
            return " ".join(line.strip() for line in lines)
        case 4:
            return re.sub(r"(?<=\d)[KMGT]\b", lambda _: random.choice(["KiB", "MB", "T", "B", ""]), text)
        case 5:
            return re.sub(r"\d+", lambda found: found[0] * random.randrange(1, 9), text)
    start = random.randrange(len(lines))
    return "\n".join([*lines[:start], *random.sample(lines, len(lines)), *lines[start:]])


def size_of(printed: str) -> float:
    if printed.startswith("0x"):
        return int(printed, 16)
    found = re.match(r"([\d.,]+) ?([kKMGTPE]?)", printed)
    assert found
    unit: int = 1024 ** " KMGTPE".index(found[2].upper() or " ")
    return float(found[1].replace(",", "")) * unit
