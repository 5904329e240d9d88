"""Dumps in other texts: quoted, fenced, behind the prefix of a logger, in JSON, or only a piece of one."""

import json
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path

import pytest

from reportgen.input.discover import Discovered, discover
from reportgen.input.reading import load_text
from reportgen.redact.vocabulary import redact_message
from tests.support.samples import sample_files, sample_labels, samples
from tests.support.sound import BLOCK, RANGES, SOUND, TOTAL, USED

STEM = "module_0001.jit_f.cpu_after_optimizations"
HLO = (
    "HloModule jit_neg, is_scheduled=true\n\nENTRY %main.4 (p0: f32[8]) -> f32[8] {\n"
    "  ROOT %p0 = f32[8]{0} parameter(0)\n}\n"
)

Quote = Callable[[Sequence[str]], str]


def behind(*prefixes: str, other: str = "") -> Quote:
    """Return what writes prefixes in turn before the lines of a dump, and now and then a line of another program."""

    def quote(lines: Sequence[str]) -> str:
        written = []
        for number, line in enumerate(lines):
            written.append(prefixes[number % len(prefixes)] + line)
            written += [other] if other and number % 3 == 1 else []
        return "\n".join(written) + "\n"

    return quote


def stripped(lines: Sequence[str]) -> str:
    return "\n".join(f"> {line}".rstrip() for line in lines) + "\n\nIs that right?\n"


QUOTES: dict[str, Quote] = {
    "fence": lambda lines: "\n".join(["The dump:", "", "```text", *lines, "```", "", "Is that right?", ""]),
    "tildes": lambda lines: "\n".join(["The dump:", "", "~~~", *lines, "~~~", "and more", ""]),
    "quotation": stripped,
    "quotation of a quotation": behind("> > "),
    "fence in a quotation": lambda lines: behind("> ")(["```", *lines, "```"]) + "\nyes\n",
    "indentation": lambda lines: "The dump:\n\n" + behind("    ")(lines) + "\nIs that right?\n",
    "rank": behind("3: ", other="0: loss 0.5"),
    "ray": behind("\x1b[36m(fit pid=5, ip=10.0.0.3)\x1b[0m ", other="step 1"),
    "kubernetes": behind("2026-01-02T03:04:05.000000007Z ", "2026-01-02T03:04:05.12Z ", "2026-01-03T00:00:00Z "),
    "logger": behind("[2026-01-02 03:04:05,123: INFO/Main] ", "[2026-01-02 03:04:06,001: INFO/Main] "),
    "glog": behind("I0102 03:04:05.000123     77 dump.cc:12] ", "I0102 03:04:05.100123     77 dump.cc:12] "),
    "aligned times": behind("[    9.500000] ", "[   10.000001] ", "[  110.000001] "),
    "colors": lambda lines: "\n".join(f"\x1b[32m{line}\x1b[0m" for line in lines) + "\n",
    "a string": lambda lines: json.dumps({"ts": 1.5, "msg": "\n".join(lines) + "\n", "rank": 0}) + "\n",
    "a string for each line": lambda lines: (
        "\n".join(json.dumps({"log": f"{line}\n", "time": number}) for number, line in enumerate(lines)) + "\n"
    ),
    "a string of Python": lambda lines: "stdout: " + repr("\n".join(lines)) + "\n",
    "fields of a journal": lambda lines: "\n".join(json.dumps({"MESSAGE": line}) for line in lines) + "\n",
    "other output on the first line": lambda lines: "loss 3.14" + "\n".join(lines) + "\n",
    "byte order mark": lambda lines: "\ufeff" + "\n".join(lines) + "\n",
    "Windows": lambda lines: "\r\n".join(["```", *lines, "```", ""]),
}


def found_in(folder: Path, text: str, name: str = "pasted.md") -> Discovered:
    (folder / name).write_bytes(text.encode())
    return discover([folder / name])


def text_in(folder: Path, text: str) -> list[str]:
    """Return the text of each part of the only dump in a text."""
    (dump,) = found_in(folder, text).dumps
    return [part.data.decode() for part in load_text(dump)[0].parts]


@pytest.mark.parametrize("label", [label for label in sample_labels() if not label.startswith("v5e")])
@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_a_quoted_dump_is_read_as_it_is(label: str, quote: Quote, tmp_path: Path) -> None:
    whole = b"\n".join(sample_files(label)).decode()
    assert "".join(text_in(tmp_path, quote(whole.removesuffix("\n").split("\n")))).rstrip() == whole.rstrip()


@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_places_are_those_of_the_file(quote: Quote, tmp_path: Path) -> None:
    quoted = quote(SOUND.removesuffix("\n").split("\n"))
    text, _ = load_text(found_in(tmp_path, quoted).dumps[0])
    base, place = 0, text.parts[0].data.index(b" value: <2 b")
    location = text.locate(base + place)
    (line,) = [line for line in quoted.split("\n") if "value: <2 b" in line]
    assert location.line == quoted.split("\n").index(line) + 1
    if "\\n" not in line and not line.startswith("\x1b[32m"):  # a string has only lines, and a color none of the dump
        assert location.column == len(line[: line.index(" value: <2 b")].encode()) + 1


def test_lines_of_others_are_counted(tmp_path: Path) -> None:
    text = behind("3: ", other="0: loss 0.5")(BLOCK.rstrip().split("\n"))
    (dump,) = found_in(tmp_path, text + "done\n").dumps
    (problem,) = load_text(dump)[1]
    count = text[: text.rindex("3: ")].count("0: loss")
    words = f"{count} lines between those of the dump are left out, because others begin with something else"
    assert (problem.severity, problem.message) == ("warning", words)
    assert redact_message(problem.message) == words


def test_the_sections_of_a_dump_may_be_in_several_fences(tmp_path: Path) -> None:
    text = "\n".join(
        f"{title}:\n\n```\n{part}```\n" for title, part in zip("abc", (BLOCK, TOTAL + "\n" + USED, RANGES), strict=True)
    )
    assert text_in(tmp_path, text) == [BLOCK, TOTAL + "\n" + USED, RANGES]


def test_several_dumps_in_fences_are_several_modules(tmp_path: Path) -> None:
    found = found_in(tmp_path, f"before\n```\n{SOUND}```\nafter\n```\n{BLOCK}\n{TOTAL}```\n")
    assert [len(load_text(dump)[0].parts[0].data) for dump in found.dumps] == [
        len(SOUND.encode()),
        len(f"{BLOCK}\n{TOTAL}"),
    ]


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_two_dumps_in_one_text_are_both_shown_whatever_their_order(order: Sequence[int], tmp_path: Path) -> None:
    labels = [label for label in sample_labels() if len(sample_files(label)) == 3][:2]
    parts = [[sample_files(label)[part] for part in order] for label in labels]
    for texts in (parts[0] + parts[1], [text for pair in zip(*parts, strict=True) for text in pair]):
        found = found_in(tmp_path, b"\n".join(texts).decode())
        read = [b"".join(part.data for part in load_text(dump)[0].parts) for dump in found.dumps]
        assert len(read) == 2
        for own, text in zip(parts, read, strict=True):
            assert sorted(text.split()) == sorted(b"\n".join(own).split())


def test_the_dumps_of_two_processes_that_write_at_once_are_kept_apart(tmp_path: Path) -> None:
    label = sample_labels()[0]
    lines = ["starting"]
    for part, data in zip(samples()[label].parts, sample_files(label), strict=True):
        lines += [f"*** Begin {part.path.name} ***", *data.decode().split("\n"), f"*** End {part.path.name} ***"]
    both = "\n".join(f"{rank}: {line}" for line in lines for rank in (0, 3)) + "\n"
    found = found_in(tmp_path, both, "two.log")
    for dump in found.dumps:
        assert [part.data for part in load_text(dump)[0].parts] == sample_files(label)
    assert len(found.dumps) == 2


def test_nothing_is_searched_for_quoted_dumps_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"```\n{SOUND}```\n")
    (tmp_path / "train.log").write_text(behind("3: ")(SOUND.split("\n")))
    assert "no dump found" in discover([tmp_path]).why_none


def test_words_of_a_dump_alone_are_no_dump(tmp_path: Path) -> None:
    prose = "The largest is allocation 2: size 33554432, preallocated-temp:\nof BufferAssignment:\n```\nno\n```\n"
    assert "no dump found" in found_in(tmp_path, prose).why_none


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (
            HLO,
            "x.txt",
            "this is the HLO text of module jit_neg: it has shapes but no memory plan; the plan",
        ),
        (behind("3: ")(HLO.split("\n")), "x.log", "this is the HLO text of module jit_neg"),
        (HLO, f"{STEM}.txt", f"the plan is in {STEM}-buffer-assignment.txt"),
        (RANGES, "x.txt", "these are the live ranges of a program of 8 instructions, without sizes"),
        (RANGES, f"{STEM}-live-range.txt", f"the plan is in {STEM}-buffer-assignment.txt"),
        (f"```\n{RANGES}```\n", "x.md", "the file of the same stem that ends in -buffer-assignment.txt"),
        (
            f"\n{TOTAL}\n{USED}",
            "x.txt",
            "these are the used values of a dump, without sizes; the plan is in",
        ),
        (USED, "x.txt", "these are the used values of a dump, without sizes; the plan is in the file"),
    ],
)
def test_what_has_no_plan_is_named(text: str, name: str, words: str, tmp_path: Path) -> None:
    why = found_in(tmp_path, text, name).why_none
    assert words in why
    assert "Looked for" not in why
    assert "*** Begin" not in why


def test_sections_without_allocations_beside_a_dump_are_reported(tmp_path: Path) -> None:
    found = found_in(tmp_path, f"```\n{SOUND}```\n```\n{RANGES}```\n")
    assert [redact_message(problem.message) for problem in found.problems] == [
        "line 96: not shown: its allocations are missing"
    ]
