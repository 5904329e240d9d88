"""Files beside a dump give names and places where they are of the same module, and nothing otherwise."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.input.discover import discover
from reportgen.input.dump_contents import read_contents
from reportgen.input.dump_text import Sibling
from reportgen.model import Dump
from reportgen.parse.parser import parse_dump
from reportgen.program.join import NOTHING_JOINED, joined
from tests.support.dialects import ELEMENTS_OF_A_TUPLE
from tests.support.dumps import parsed

ROOT = Path(__file__).parents[2]
TINY = ROOT / "samples/cpu-tiny"
PROTO = ROOT / "tests/siblings/cpu-tiny.hlo.pb"
NAME = "jit_tiny_matmul_gelu"


def tiny() -> tuple[Dump, tuple[Sibling, ...]]:
    contents = read_contents(discover([TINY]).dumps[0])
    return parse_dump(contents.text), contents.siblings


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
    assert joined(dump, "jit_other", siblings) is NOTHING_JOINED


def test_a_text_without_the_instructions_of_the_dump_is_not_trusted() -> None:
    dump, siblings = tiny()
    text = next(one.data for one in siblings if one.kind == "HLO text")
    head = text[: text.index(b"ENTRY")]
    assert joined(dump, NAME, [Sibling("HLO text", "x.txt", head)]) is NOTHING_JOINED


def test_a_text_may_lack_the_elements_of_tuples_that_the_dump_names() -> None:
    dump = parsed(ELEMENTS_OF_A_TUPLE)
    text = b"HloModule jit_f\n\nENTRY %f (x: f32[8]) -> f32[8] {\n  %two = (f32[8]{0}, f32[8]{0}) custom-call()\n}\n"
    assert dump.carriers == {"gte.1", "gte.2"}
    assert joined(dump, "jit_f", [Sibling("HLO text", "x.txt", text)]).module
    assert joined(dump, "jit_f", [Sibling("HLO text", "x.txt", text.replace(b"two", b"three"))]) is NOTHING_JOINED


@pytest.mark.parametrize("data", [b"", b"\xff" * 9, b"HloModule "])
def test_damaged_files_give_nothing(data: bytes) -> None:
    dump, _ = tiny()
    assert joined(dump, NAME, [Sibling("HLO text", "x", data), Sibling("proto", "y", data)]) is NOTHING_JOINED


@pytest.mark.parametrize(("flags", "is_named"), [((), True), (("--no-siblings",), False), (("--redact",), False)])
def test_the_site_has_source_lines_unless_siblings_are_left_out(
    flags: Sequence[str], is_named: bool, tmp_path: Path
) -> None:
    assert main(["build", "-q", str(TINY), "-o", str(tmp_path), *flags]) == 0
    pages = [page.read_text(encoding="utf-8") for page in tmp_path.glob("m/*/v/*.html")]
    assert any("progs.py" in page for page in pages) == is_named
