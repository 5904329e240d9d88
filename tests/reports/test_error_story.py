"""What is said of an error is what its text says: needed and usable memory, the cause, nothing against its tables."""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.find_errors import find_out_of_memory
from reportgen.oom.forms import VERDICTS
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.reports.error_padding import padding_words
from reportgen.reports.error_story import listed_bytes, story_of
from reportgen.reports.formats import human_bytes, range_words
from tests.support.mutations import mutated
from tests.support.samples import ROOT

OOM = ROOT / "tests" / "oom"
FILES = [*sorted((OOM / "texts").glob("*.txt")), *sorted(OOM.glob("refused/*/error.txt"))]
EVENTS = [(path, event) for path in FILES for event in find_out_of_memory([path.read_bytes()])]

STATED = {
    "01": ["41.74 GiB needed, 16.00 GiB usable, 25.74 GiB over capacity"],
    "03": ["63.80 GiB needed, 30.75 GiB usable, 33.05 GiB over capacity"],
    "04": ["8.74 GiB needed"],
    "06": ["4.00 MiB named in this text"],
    "07": ["3.95 GiB needed, 8.00 GiB usable, 1.92 GiB free, 2.03 GiB short"],
    "09": ["250.50 MiB named in this text"],
    "10": ["1.55 GiB named in this text"],
    "12": ["6.00 MiB needed, 12.00 MiB for the whole program"],
    "13": ["288.00 MiB named in this text", "27.93 GiB needed"],
    "15": ["4.44 GiB needed, 14.44 GiB for the whole program"],
    "17": ["8.00 MiB named in this text"],
    "18": ["95.40 GiB needed, 67.69 GiB usable, 27.71 GiB over capacity", "95.40 GiB needed"],
    "20": ["479.96 MiB usable, 479.76 MiB in use"],
    "21": ["4.39 GiB needed, 2.30 GiB free, 2.09 GiB short", "196.00 MiB needed, 60.94 MiB free, 135.06 MiB short"],
    "23": ["215.17 GiB needed, 31.25 GiB usable, 183.92 GiB over capacity"],
    "26": [
        "208.92 GiB needed, 95.74 GiB usable, 113.18 GiB over capacity",
        "100.00 GiB needed, 16.00 GiB usable, 84.00 GiB over capacity",
        "128.00 MiB needed, 64.00 MiB usable, 64.00 MiB over capacity",
    ],
    "27": [
        "89.77 GiB usable, 81.00 GiB in use, 153 B left outside of its pool",
        "81.00 GiB needed, 75.60 GiB usable, 5.40 GiB over capacity",
    ],
    "28": ["6.14 GiB needed"],
    "29": ["21.95 GiB needed, 15.48 GiB usable, 6.47 GiB over capacity"],
    "30": ["6.48 GiB needed, 6.78 GiB free, 3.33 GiB of that in one piece, 3.15 GiB short in one piece"],
    "31": ["10.97 GiB needed, 7.75 GiB usable, 3.22 GiB over capacity"],
    "32": [
        "1.00 MiB usable, 1.70 KiB over capacity",
        "1.00 MiB usable, 1.65 KiB over capacity",
    ],
    "33": ["95.40 GiB needed, 67.69 GiB usable, 27.71 GiB over capacity", "4.50 GiB needed"],
    "34": [
        "18.53 MiB needed, 16.00 MiB usable, 2.53 MiB over capacity",
        "8.00 GiB needed, 7.75 GiB usable, 256.00 MiB over capacity",
    ],
}
CAUSES = {
    "01": "copy.40488 takes 32.00 GiB for 1.00 GiB of data (96.9 % padding): its last dimension of 4 is padded to 128.",
    "03": "Temporaries take nearly all of it: 63.79 GiB.",
    "04": "The arguments take 7.04 GiB of the 8.74 GiB needed (80.5 %).",
    "07": "Of the 6.08 GiB in use this program’s own arguments are 478.07 MiB and its outputs up to 5.06 GiB",
    "12": "The whole program needs 12.00 MiB, which any device has: something else holds the memory.",
    "15": "The outputs take 9.64 GiB of the 14.44 GiB allocated (66.8 %).",
    "20": "What holds it: 468.88 MiB in 124 chunks of 3.78 MiB, 4.02 MiB in 1 chunk.",
    "10": "fusion.41543 takes 1.50 GiB for 48.00 MiB of data (96.9 % padding): its last dimension of 4 is padded to",
    "30": "6.78 GiB are free, which would be enough for 6.48 GiB, but at most 3.33 GiB of that in one piece",
    "31": "98.8 % of the temporaries is padding: 10.96 GiB instead of 140.25 MiB.",
    "34": "fusion.7 takes 8.00 GiB for 128.00 MiB of data (98.4 % padding): its last dimension of 2 is padded to 128.",
    "out0.7.2-oom": "Temporaries take nearly all of it: 32.00 GiB.",
    "out0.7.2-oom_pad": "reshape.2 takes 32.00 GiB for 1.00 GiB of data (96.9 % padding): its last dimension of 4",
    "out0.9.2-oom_args": "The arguments alone take 24.00 GiB, more than the 15.75 GiB usable.",
}
SECOND = {"04": "32.9 % of the temporaries is padding: 1.67 GiB instead of 1.12 GiB."}
_SIZE = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?) ?((?:[KMGT]i)?B|bytes)\b")
_PRINTED = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[KMGT](?:i?B)?|B)?(?!\w|\.\d)")


def events_of(number: str) -> list[OutOfMemory]:
    return [event for path, event in EVENTS if path.name.startswith(number)]


@pytest.mark.parametrize("number", [path.name[:2] for path in FILES if path.parent.name == "texts"])
def test_needed_and_usable_memory_are_those_of_the_text(number: str) -> None:
    assert [story_of(event).figures for event in events_of(number)] == STATED[number]


def test_the_cause_is_named_where_the_text_has_it_and_only_there() -> None:
    named: dict[str, Sequence[str]] = {}
    for path, event in EVENTS:
        if sentences := story_of(event).causes:
            named[path.name[:2] if path.parent.name == "texts" else path.parent.name] = sentences
    assert named.keys() == CAUSES.keys()
    assert all(sentences[0].startswith(CAUSES[name]) for name, sentences in named.items())
    assert {name: sentences[1] for name, sentences in named.items() if len(sentences) > 1} == SECOND


@pytest.mark.parametrize(("path", "event"), EVENTS)
def test_no_sentence_says_a_size_that_the_text_does_not(path: Path, event: OutOfMemory) -> None:
    printed = [size for text in _PRINTED.findall(path.read_text(encoding="utf-8")) if (size := read(text))]
    printed += [event.needed] if event.needed and event.kind == "compile" else []  # of two cores together
    printed += [one - other for one in printed for other in printed if one.low_bytes > other.high_bytes]
    printed += [listed] if (listed := listed_bytes(story_of(event).event)) else []
    dense = [SizeRange(size, size) for size in (1 << 30, 128 << 20, 3 << 29)]  # of shapes alone
    for sentence in (*story_of(event).told, story_of(event).figures):
        for amount, unit in _SIZE.findall(sentence):
            words = f"{amount} {unit}"
            assert any(
                words in (range_words(size), human_bytes(size.middle))
                or words in range_words(size)
                or words == f"{size.low_bytes:,} bytes"
                for size in (*printed, *dense)
            ), words


def read(text: str) -> SizeRange | None:
    return read_size(text, needs_unit=False)


@pytest.mark.parametrize(("path", "event"), EVENTS)
def test_the_runtime_is_told_from_the_compiler(path: Path, event: OutOfMemory) -> None:
    says_compiler = VERDICTS[event.kind].startswith("The compiler refused")
    assert not (says_compiler and re.search(r"bfc_allocator|Error loading|allocating device buffer", event.message)), (
        path
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_damaged_texts_are_said_in_some_words(path: Path) -> None:
    for number in range(50):
        [damaged] = mutated([path.read_bytes()], Random(f"{path.name} {number}"))
        for event in find_out_of_memory([damaged]):
            assert all(isinstance(words, str) for words in (*story_of(event).told, story_of(event).figures))


@pytest.mark.parametrize("sizes", [("0B", "0B"), ("-5B", "-10B"), ("1B", "8B")])
def test_sizes_that_no_compiler_prints_are_no_padding(sizes: tuple[str, str]) -> None:
    size, unpadded = map(read_size, sizes)
    assert padding_words(LoggedBuffer(size=size, unpadded=unpadded)) == ""


def test_an_array_larger_than_a_device_is_not_made_at_once() -> None:
    event = events_of("26")[1]
    assert story_of(event).heading == "Do not make the whole array at once"
    assert "divide it over several devices" in story_of(event).next_step
    assert story_of(event).would_fit == "No TPU that reportgen knows has that much memory."
    assert story_of(events_of("34")[1]).heading == "Put a long dimension last"  # which is padded


def test_an_operand_that_the_start_of_a_list_would_have_is_its_cause() -> None:
    [event] = events_of("10")
    assert story_of(event).told[0].startswith(CAUSES["10"])
    assert [buffer.instruction for buffer in story_of(event).event.buffers] == ["fusion.41543", "reshape.152469"]
    assert story_of(event._replace(name="temporaries")).told == []
    # Broadcast from one number, which takes a tile and is smaller than the entries.
    assert story_of(events_of("09")[0]).told == []


def test_a_buffer_without_a_size_has_that_of_its_shape() -> None:
    [printed] = events_of("10")
    event = printed._replace(buffers=(printed.buffers[0]._replace(made_from=()),))
    assert story_of(event).figures == "48.00 MiB named in this text"
    assert story_of(event).unknown[0] == "The total is not in this text."
    unknown = event._replace(buffers=(event.buffers[0]._replace(shape="bf16[512,16,3072]"),))
    assert (story_of(unknown).figures, story_of(unknown).unknown[0]) == ("", "No size is in this text.")
    assert "The total is not in this text." not in story_of(events_of("26")[1]).unknown
