"""Files beside a dump give names and places where they are of the same module, and nothing otherwise."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.input.discover import discover
from reportgen.input.dump_contents import read_contents
from reportgen.input.dump_text import Sibling
from reportgen.model import Dump
from reportgen.parse.parser import parse_dump
from reportgen.program.join import Join, joined
from tests.support.commands import Run
from tests.support.dialects import ELEMENTS_OF_A_TUPLE
from tests.support.dumps import parsed

ROOT = Path(__file__).parents[2]
TINY = ROOT / "samples/cpu-tiny"
PROTO = ROOT / "tests/siblings/cpu-tiny.hlo.pb"
NAME = "jit_tiny_matmul_gelu"


def tiny() -> tuple[Dump, tuple[Sibling, ...]]:
    contents = read_contents(discover([TINY]).dumps[0])
    return parse_dump(contents.text), contents.siblings


def nothing_is_from(join: Join) -> bool:
    """Return whether a comparison gave nothing but its result."""
    return (join.module, join.frames, join.label, join.division) == (None, None, "", None)


def test_the_text_of_the_module_is_joined() -> None:
    dump, siblings = tiny()
    join = joined(dump, NAME, siblings)
    assert join.module
    assert join.frames
    assert join.label.endswith(".cpu_after_optimizations.txt")


def test_the_proto_gives_source_lines_where_there_is_no_text() -> None:
    dump, siblings = tiny()
    with_text = joined(dump, NAME, siblings)
    with_proto = joined(dump, NAME, [Sibling("proto", "x.hlo.pb", PROTO.read_bytes())])
    assert with_proto.module is None
    assert with_proto.frames == with_text.frames


def test_a_text_of_another_module_is_not_trusted() -> None:
    dump, siblings = tiny()
    assert nothing_is_from(joined(dump, "jit_other", siblings))


def test_a_text_without_the_instructions_of_the_dump_is_not_trusted() -> None:
    dump, siblings = tiny()
    text = next(one.data for one in siblings if one.kind == "HLO text")
    head = text[: text.index(b"ENTRY")]
    assert nothing_is_from(joined(dump, NAME, [Sibling("HLO text", "x.txt", head)]))


def test_a_text_may_lack_the_elements_of_tuples_that_the_dump_names() -> None:
    dump = parsed(ELEMENTS_OF_A_TUPLE)
    text = (
        b"HloModule jit_f\n\nENTRY %f (x: f32[8]) -> f32[8] {\n  ROOT %two = (f32[8]{0}, f32[8]{0}) custom-call()\n}\n"
    )
    assert dump.carriers == {"gte.1", "gte.2"}
    assert joined(dump, "jit_f", [Sibling("HLO text", "x.txt", text)]).module
    assert nothing_is_from(joined(dump, "jit_f", [Sibling("HLO text", "x.txt", text.replace(b"two", b"three"))]))


def edited(siblings: Sequence[Sibling], old: bytes, new: bytes, age: int = 0) -> Sibling:
    """Return the HLO text with one change, written `age` seconds before the dump."""
    text = next(one for one in siblings if one.kind == "HLO text")
    assert text.data.count(old) == 1
    return replace(text, data=text.data.replace(old, new), older_seconds=age)


LINE = b"2 {file_name_id=2 function_name_id=2 line=11", b"2 {file_name_id=2 function_name_id=2 line=17"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            b'general" stack_frame_id=3}, b',
            b'" stack_frame_id=3}, b',
            "op_name jit(tiny_matmul_gelu)/dot_ of ynn_fusion",
        ),
        (b"stack_frame_id=3}, b", b"stack_frame_id=2}, b", "stack_frame_id 2 of ynn_fusion"),
        (
            b"%ynn_fusion = f32[128,512]{1,0}",
            b"%ynn_fusion = f32[128,512]{0,1}",
            "shape f32[128,512]{0,1} of ynn_fusion",
        ),
        (b"fusion(%ynn_fusion)", b"copy(%ynn_fusion)", "opcode copy of multiply_multiply_fusion"),
        (b"fusion(%ynn_fusion)", b"fusion(%x.1)", "operand %x.1 of multiply_multiply_fusion, the dump %ynn_fusion"),
    ],
)
def test_a_text_that_states_something_else_of_an_instruction_is_not_trusted(old: bytes, new: bytes, words: str) -> None:
    dump, siblings = tiny()
    text = edited(siblings, old, new)
    join = joined(dump, NAME, [text])
    assert nothing_is_from(join)
    [difference] = [one for row in join.agreements[text.label] for one in row.differences]
    assert words in difference


def test_what_only_one_of_them_states_is_no_contradiction() -> None:
    dump, siblings = tiny()
    text = edited(siblings, b' metadata={op_name="x"}', b' metadata={op_name="x" source_file="train.py"}')
    assert joined(dump, NAME, [text]).module


@pytest.mark.parametrize(
    ("ages", "trusted"), [((0, 0), ""), ((9_000, 9_000), ""), ((9_000, 0), "proto"), ((0, 9_000), "HLO text")]
)
def test_of_two_tables_of_source_lines_only_the_newer_is_trusted(ages: tuple[int, int], trusted: str) -> None:
    dump, siblings = tiny()
    text, proto = edited(siblings, *LINE, ages[0]), Sibling("proto", "x.hlo.pb", PROTO.read_bytes(), ages[1])
    join = joined(dump, NAME, [text, proto])
    assert join.label == {"": "", "proto": proto.label, "HLO text": text.label}[trusted]


@pytest.mark.parametrize(
    ("seconds", "age"),
    [
        (299, ""),
        (300, "5 minutes before"),
        (7_200, "2 hours before"),
        (200_000, "2 days before"),
        (-400, "6 minutes after"),
    ],
)
def test_the_age_of_the_file_that_the_lines_are_from_is_told(seconds: int, age: str) -> None:
    dump, siblings = tiny()
    assert joined(dump, NAME, [edited(siblings, *LINE, seconds)]).age == (f"{age} the dump" if age else "")


def test_lines_of_an_older_text_are_said_to_be_from_it(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "dumps"
    shutil.copytree(ROOT / "samples/v5e-train-step", folder)
    [text] = folder.glob("*optimizations.txt.xz")
    os.utime(text, (0, text.stat().st_mtime - 86_400 * 3.5))
    words = f"The lines are from {text.name}, written 3 days before the dump; the code may have changed."
    assert words in " ".join(run("explain", str(folder))[1].split())
    assert main(["build", "-q", str(folder), "-o", str(tmp_path / "site")]) == 0
    [page] = (tmp_path / "site").glob("m/*/index.html")
    assert "written 3 days before the dump" in page.read_text(encoding="utf-8")
    assert main(["check", "--strict", str(folder)]) == 0


@pytest.mark.parametrize("data", [b"", b"\xff" * 9, b"HloModule "])
def test_damaged_files_give_nothing(data: bytes) -> None:
    dump, _ = tiny()
    assert nothing_is_from(joined(dump, NAME, [Sibling("HLO text", "x", data), Sibling("proto", "y", data)]))


@pytest.mark.parametrize(("flags", "is_named"), [((), True), (("--redact",), False)])
def test_the_site_has_source_lines_unless_it_is_redacted(flags: Sequence[str], is_named: bool, tmp_path: Path) -> None:
    assert main(["build", "-q", str(TINY), "-o", str(tmp_path), *flags]) == 0
    pages = [page.read_text(encoding="utf-8") for page in tmp_path.glob("m/*/explore.html")]
    assert any("progs.py" in page for page in pages) == is_named
