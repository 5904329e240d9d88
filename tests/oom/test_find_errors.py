"""Out-of-memory errors are found in real texts, completely, with sizes that hold the dumps' own."""

import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.find_errors import find_out_of_memory
from reportgen.oom.printed_size import SizeRange, read_size
from tests.support.samples import ROOT, samples
from tests.support.samples import sample_files as files_of_sample

OOM = ROOT / "tests" / "oom"
TEXTS = sorted((OOM / "texts").glob("*.txt"))
REFUSED = sorted((OOM / "refused").iterdir())
LISTED = sorted((OOM / "refused").glob("*/*.oom_top_memory_consuming_instructions"))
GIB = 1 << 30
LOGGERS = ("", "> ", "E1111 07:35:00.272763 140408571025152 error_handling.py:81] ", "        ")


class Expected(NamedTuple):
    kind: str
    buffers: int = 0
    totals: int = 0


EXPECTED = {
    "01": [Expected("compile", 1, 8)],
    "03": [Expected("compile", 2, 9)],
    "04": [Expected("fragment", 2, 8)],
    "06": [Expected("fragment", 2)],
    "07": [Expected("load", 0, 18)],
    "09": [Expected("fragment", 3)],
    "10": [Expected("fragment", 1)],
    "12": [Expected("execution", 3, 6)],
    "13": [Expected("fragment", 3), Expected("execution")],
    "15": [Expected("execution", 0, 6)],
    "17": [Expected("fragment", 2)],
    "18": [Expected("rematerialization"), Expected("execution")],
    "20": [Expected("allocator", 0, 7)],
    "21": [Expected("data"), Expected("data")],
    "23": [Expected("compile")],
    "27": [Expected("allocator", 0, 8), Expected("arguments")],
    "28": [Expected("load")],
    "29": [Expected("compile", 0, 4)],
    "30": [Expected("load")],
    "31": [Expected("compile", 0, 2)],
    "32": [Expected("compile"), Expected("allocation", 1)],
    "33": [Expected("compile"), Expected("execution")],
    "34": [Expected("compile"), Expected("allocation", 1)],
    "26": [Expected("compile"), Expected("allocation", 1), Expected("allocation", 1)],
}


def events_of(number: str) -> tuple[OutOfMemory, ...]:
    [path] = [path for path in TEXTS if path.name.startswith(number)]
    return find_out_of_memory([path.read_bytes()])


def error_of(program: str) -> OutOfMemory:
    [event] = find_out_of_memory([(OOM / "refused" / program / "error.txt").read_bytes()])
    return event


def dump_of(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*-buffer-assignment*.txt")))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_event_and_every_buffer_is_found(path: Path) -> None:
    found = find_out_of_memory([path.read_bytes()])
    assert [Expected(event.kind, len(event.buffers), len(event.totals)) for event in found] == EXPECTED[path.name[:2]]


def test_a_compiler_says_what_it_needs_and_what_there_is() -> None:
    [event] = events_of("23")
    assert (event.code, event.space, event.line) == ("E1000", "hbm", 2)
    sizes = (event.needed, event.capacity, event.excess)
    assert sizes == (read_size("215.17G"), read_size("31.25G"), read_size("183.92G"))


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("number", ["23", "28", "30", "33"])
def test_a_sentence_that_is_wrapped_is_read_as_if_it_were_not(number: str, width: int) -> None:
    [path] = [path for path in TEXTS if path.name.startswith(number)]
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    wrapped = "\n".join(textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in lines)
    found = find_out_of_memory([wrapped.encode()])
    plain = find_out_of_memory(["\n".join(lines).encode()])
    assert [event[3:9] for event in found] == [event[3:9] for event in plain]


def test_both_cores_of_a_chip_count() -> None:
    event = events_of("26")[0]
    assert event.needed is not None
    assert round((34.82 + 174.10) * GIB) in event.needed


def test_an_entry_has_all_that_is_printed() -> None:
    [event] = events_of("03")
    first, second = event.buffers
    assert (first.number, first.instruction, first.opcode) == (1, "fusion.1265.remat3", "fusion")
    assert (first.shape, first.kind, first.source_line) == ("f32[32,4096,4096]{1,2,0:T(8,128)}", "HLO temp", 1059)
    assert first.source_file.endswith("/attention_module.py")
    assert (first.is_cut, second.is_cut) == (False, True)


def test_a_list_whose_entries_have_lost_their_numbers_is_read() -> None:
    [event] = events_of("06")
    first, second = event.buffers
    assert (first.number, first.opcode, first.kind) == (None, "custom-call", "scoped")
    assert (second.number, second.is_cut) == (5, True)


def test_entry_parameters_are_told_apart() -> None:
    assert [buffer.is_parameter for buffer in events_of("12")[0].buffers] == [False, True, False]
    assert events_of("12")[0].buffers[2].size is None  # which was cut off
    assert [buffer.shape for buffer in events_of("17")[0].buffers] == ["f32[512,2048]", "f32[2048,512]"]


@pytest.mark.parametrize(
    ("number", "row", "size"),
    [
        ("07", "Currently allocated", 6_532_939_776),  # exact bytes, beside a rounded size
        ("07", "Available after request", -2_735_391_744),
        ("20", "Limit", 503_270_604),
        ("20", "NumAllocs", None),  # a count
        ("01", "arguments", None),  # unknown
    ],
)
def test_a_row_has_the_size_that_it_states(number: str, row: str, size: int | None) -> None:
    sizes = {total.name: total.size for total in events_of(number)[0].totals}
    assert sizes[row] == (None if size is None else SizeRange(size, size))


@pytest.mark.parametrize("folder", REFUSED, ids=lambda path: path.name)
def test_the_dump_has_the_instructions_of_the_text_at_sizes_in_its_ranges(folder: Path) -> None:
    dump = dump_of(folder)
    for path in (folder / "error.txt", *folder.glob("*.oom_top*")):
        for event in find_out_of_memory([path.read_bytes()]):
            for buffer in event.buffers:
                if buffer.kind == "scratch operand":  # inside a kernel, where a dump has no values
                    continue
                values = [line for line in dump.splitlines() if f" {buffer.instruction}" in line and "(size=" in line]
                sizes = [int(line.partition("(size=")[2].partition(",")[0]) for line in values]
                assert buffer.size is not None
                assert any(size in buffer.size for size in sizes), buffer


@pytest.mark.parametrize(("program", "needed"), [("out-oom", 66), ("out-oom_args", 24), ("out-oom_pad", 51)])
def test_the_range_holds_the_total_of_the_assignment(program: str, needed: int) -> None:
    event = error_of(program)
    assert event.needed is not None
    allocations = [
        int(line.partition("size ")[2].partition(",")[0])
        for line in dump_of(OOM / "refused" / program).splitlines()
        if line.startswith("allocation ") and "thread-local" not in line and "color" not in line
    ]
    assert sum(allocations) in event.needed
    assert needed * GIB in event.needed


@pytest.mark.parametrize("path", LISTED, ids=lambda path: path.parent.name)
def test_the_list_beside_a_dump_is_that_of_the_error(path: Path) -> None:
    [event] = find_out_of_memory([path.read_bytes()])
    assert event.buffers == error_of(path.parent.name).buffers


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_events_that_differ_only_in_prefixes_are_one(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    plain = find_out_of_memory(["\n".join(lines).encode()])
    if plain[0].kind == "fragment":  # a second fragment may continue the first
        return
    other = [
        [logger + line for line in lines] for logger in LOGGERS if not lines[0].startswith((">", "#", "(", "20", "I"))
    ]
    gap = ["something else"] * 60
    text = "\n".join([*lines, *gap, *(line for copy in other for line in [*copy, *gap])])
    found = find_out_of_memory([text.encode()])
    assert [len(event.lines) for event in found] == [1 + len(other)] * len(plain)


@pytest.mark.parametrize("label", sorted(samples()))
def test_a_dump_is_no_error(label: str) -> None:
    assert find_out_of_memory([b"".join(files_of_sample(label))]) == ()


def test_logs_in_which_nothing_failed_have_no_errors_and_no_figures() -> None:
    texts = {path.name: path.read_bytes() for path in sorted((OOM / "harmless").iterdir())}
    assert sum(text.count(b"\n") for text in texts.values()) > 1000
    assert {name: found for name, text in texts.items() if (found := find_out_of_memory([text]))} == {}


@pytest.mark.parametrize("folder", ["reportgen", "docs", "templates/help"])
def test_sources_and_documentation_are_no_errors(folder: str) -> None:
    for path in (ROOT / folder).rglob("*"):
        if path.suffix in (".py", ".md") and path.name not in ("forms.py", "error-texts.md"):  # the lists
            assert find_out_of_memory([path.read_bytes()]) == (), path


@given(st.integers(1 << 20, 1 << 59), st.sampled_from(["", "B", "iB"]))
def test_a_printed_size_holds_the_bytes_that_were_printed(size: int, ending: str) -> None:
    power = (size.bit_length() - 1) // 10
    printed = f"{size / 1024**power:.2f}{' KMGTPE'[power]}{ending}"
    found = read_size(printed)
    assert found is not None
    assert size in found
    assert found.high_bytes - found.low_bytes <= 1024**power / 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("66.00G", SizeRange(70_861_591_675, 70_872_329_093)),
        ("512B", SizeRange(512, 512)),
        ("0B", SizeRange(0, 0)),
        ("6291456 bytes", SizeRange(6_291_456, 6_291_456)),
        ("384", None),
        ("3.7", None),
        ("1.5B", None),
        ("many", None),
    ],
)
def test_sizes_are_ranges(text: str, expected: SizeRange | None) -> None:
    assert read_size(text) == expected


def test_the_figures_of_each_device_are_told_apart() -> None:
    lines = [f"{{'bytes_in_use': {used}, 'bytes_limit': 4096}}" for used in (1024, 2048)]
    sizes = [total.size for event in find_out_of_memory(["\n".join(lines).encode()]) for total in event.totals]
    assert sizes == [read_size(f"{size} bytes") for size in (1024, 4096, 2048, 4096)]


def test_a_list_without_a_sentence_is_its_message() -> None:
    lines = [
        "Unpadded size: 48.00M",
        "XLA label: %reshape.7 = bf16[512,16,3072]{2,1,0:T(8,128)(2,1)} reshape(bf16[6291456,4]{1,0} %fusion.4)",
        "==========================",
    ]
    [event] = find_out_of_memory(["\n".join(f"  {line}" for line in lines).encode()])
    assert event.message.split("\n") == lines
    assert [buffer.shape for buffer in event.buffers] == ["bf16[512,16,3072]{2,1,0:T(8,128)(2,1)}"]
