"""Reading: whole files, compressed ones, damaged ones, and parts that lie in one log."""

import gzip
import lzma
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import UnreadableInput
from reportgen.input import reading
from reportgen.input.dump_text import TextPart
from reportgen.input.logs import LogFrame
from reportgen.input.names import read_name
from reportgen.input.reading import DumpFiles, PartFile, load_text, printable, read_available
from tests.support.folders import severities

TEXT = b"BufferAssignment:\n" + b"".join(b"allocation %d: size %d\n" % (index, index**3) for index in range(50_000))

Compress = Callable[[bytes], bytes]
xz = partial(lzma.compress, preset=0)
compressions = pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", xz)], ids=["gz", "xz"])


def dump_of(*parts: PartFile) -> DumpFiles:
    return DumpFiles(label=parts[0].label, name=read_name(parts[0].label), parts=parts, notes=None)


def whole(path: Path) -> PartFile:
    return PartFile(path, path.name, None)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("step.txt", gzip.compress(TEXT), TEXT),  # its content says how it is compressed, and its suffix does not
        ("step.txt", xz(TEXT), TEXT),
        ("step.txt.gz", TEXT, TEXT),
        (
            "step.gz",
            gzip.compress(b"Buffer") + gzip.compress(b"") + gzip.compress(b"Assignment:"),
            b"BufferAssignment:",
        ),
        ("step.xz", xz(b"Buffer") + xz(b"") + xz(b"Assignment:"), b"BufferAssignment:"),
        ("step.txt", b"", b""),
    ],
    ids=["gz", "xz", "plain", "gz streams", "xz streams", "empty"],
)
def test_a_file_is_read_as_its_text(tmp_path: Path, name: str, content: bytes, text: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert read_available(tmp_path / name) == (text, None)


@compressions
def test_cut_compression_names_the_file_and_keeps_the_beginning(
    tmp_path: Path, suffix: str, compress: Compress
) -> None:
    file = tmp_path / f"step.txt{suffix}"
    compressed = compress(TEXT)
    file.write_bytes(compressed[: len(compressed) // 2])
    text, problems = load_text(dump_of(whole(file)))
    kept = text.parts[0].data
    assert len(kept) > len(TEXT) // 4
    assert TEXT.startswith(kept)
    assert severities(problems) == [("warning", file.name)]
    assert f"{len(kept):,} bytes" in problems[0].message


@compressions
@given(data=st.data())
def test_a_cut_anywhere_leaves_a_beginning_of_the_text(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, suffix: str, compress: Compress
) -> None:
    compressed = compress(TEXT[:20_000])
    end = data.draw(st.integers(20, len(compressed)))
    file = tmp_path_factory.mktemp("damaged") / f"step{suffix}"
    file.write_bytes(compressed[:end])
    text, damage = read_available(file)
    assert TEXT.startswith(text)
    assert (damage is None) == (text == TEXT[:20_000] and end == len(compressed))


@compressions
@given(data=st.data())
def test_a_changed_byte_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, suffix: str, compress: Compress
) -> None:
    compressed = bytearray(compress(TEXT[:20_000]))
    compressed[data.draw(st.integers(0, len(compressed) - 1))] ^= data.draw(st.integers(1, 255))
    file = tmp_path_factory.mktemp("changed") / f"step{suffix}"
    file.write_bytes(compressed)
    read_available(file)


def test_a_file_that_is_not_compressed_data_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "step.txt.gz"
    file.write_bytes(bytes(range(256)))
    with pytest.raises(UnreadableInput, match=r"step\.txt\.gz.*does not begin as \.gz data"):
        load_text(dump_of(whole(file)))


def test_an_unreadable_second_part_is_left_out_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"allocations")
    text, problems = load_text(dump_of(whole(tmp_path / "a.txt"), whole(tmp_path / "gone.txt")))
    assert [part.label for part in text.parts] == ["a.txt"]
    assert severities(problems) == [("error", "gone.txt")]


def test_a_log_is_read_once_for_all_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(b"noise\nalloc\nvalues\n")
    opened: list[Path] = []
    original = reading.read_available

    def counting(path: Path, max_bytes: int) -> tuple[bytes, str | None]:
        opened.append(path)
        return original(path, max_bytes)

    monkeypatch.setattr(reading, "read_available", counting)
    text, _ = load_text(
        dump_of(
            *(PartFile(log, "run.log", LogFrame("x", *place, is_complete=True)) for place in ((6, 11, 2), (12, 18, 3)))
        )
    )
    assert opened == [log]
    assert [part.data for part in text.parts] == [b"alloc", b"values"]
    assert str(text.parts[1].location(0)) == "run.log:3:1"


def test_lines_are_found_in_any_order() -> None:
    part = TextPart("a.txt", TEXT)
    offsets = [len(TEXT), 0, 12_345, len(TEXT) // 2, 4_095, 4_096, len(TEXT) // 3, 17, 18]
    lines = [TEXT.count(b"\n", 0, offset) + 1 for offset in offsets]
    columns = [offset - TEXT.rfind(b"\n", 0, offset) for offset in offsets]
    found = [part.location(offset) for offset in offsets]
    assert [(one.line, one.column) for one in found] == list(zip(lines, columns, strict=True))


def test_a_log_that_shrank_after_discovery_is_reported(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(b"0123456789")
    text, problems = load_text(dump_of(PartFile(log, "run.log", LogFrame("x", 5, 90, 1, is_complete=True))))
    assert text.parts[0].data == b"56789"
    assert [problem.severity for problem in problems] == ["warning"]


def test_names_are_printable_whatever_their_bytes() -> None:
    assert printable(os.fsdecode(b"a\xff/\xce\xbb.txt")).encode() == "a\N{REPLACEMENT CHARACTER}/λ.txt".encode()


@pytest.mark.parametrize(
    ("suffix", "compress"), [("", bytes), (".gz", gzip.compress), (".xz", xz)], ids=["plain", "gz", "xz"]
)
def test_a_file_with_too_many_bytes_is_discarded(tmp_path: Path, suffix: str, compress: Compress) -> None:
    file = tmp_path / f"a.txt{suffix}"
    file.write_bytes(compress(TEXT))
    assert read_available(file, len(TEXT)) == (TEXT, None)
    told = f"it has more than {len(TEXT) - 1:,} bytes; --max-dump-bytes N allows more"
    assert read_available(file, len(TEXT) - 1) == (b"", told)


@pytest.mark.parametrize("compress", [gzip.compress, xz], ids=["gz", "xz"])
def test_a_decompression_bomb_is_not_read_beyond_the_limit(
    tmp_path: Path, compress: Compress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 50 MB no more are decompressed than the limit, and one piece."""
    decompressed = []
    original = reading.pieces

    def counting(path: Path) -> Iterator[bytes]:
        for piece in original(path):
            decompressed.append(len(piece))
            yield piece

    monkeypatch.setattr(reading, "pieces", counting)
    bomb = tmp_path / "a.txt.gz"
    bomb.write_bytes(compress(bytes(50_000_000)))
    with pytest.raises(UnreadableInput, match="more than 1,000,000 bytes; --max-dump-bytes"):
        load_text(replace(dump_of(whole(bomb)), max_bytes=1_000_000))
    assert sum(decompressed) <= 1_000_000 + (1 << 20)
