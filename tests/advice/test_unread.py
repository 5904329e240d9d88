"""Instructions that nobody can read lower what is claimed by the bytes that come from them."""

import lzma
from pathlib import Path

import pytest

from reportgen.advice.advise import advise
from reportgen.analyse.contested import decides, unread_bytes
from reportgen.program.opcodes import is_known
from tests.advice.recompiled import largest
from tests.advice.recompiled_programs import PROGRAMS


@pytest.mark.parametrize(
    ("opcode", "is_large"),
    [
        ("log", False),  # of 8,192 rows, alone
        ("or", False),  # within a fusion, whose result is in another memory
        ("exponential", True),  # of the logits, within fusions
        ("tuple", True),
    ],
)
def test_what_few_bytes_come_from_lowers_nothing(opcode: str, is_large: bool, tmp_path: Path) -> None:
    for path in (PROGRAMS / "vjp_ce+naive").iterdir():
        text = lzma.decompress(path.read_bytes())
        is_hlo = path.name.endswith("optimizations.txt.xz")
        newer = text.replace(f" {opcode}(".encode(), b" sinc(") if is_hlo else text
        assert (newer != text) == is_hlo
        (tmp_path / path.name.removesuffix(".xz")).write_bytes(newer)
    analysis = largest(tmp_path)
    assert analysis is not None
    assert analysis.program.dialect.unread
    space = analysis.spaces[0]
    assert decides(unread_bytes(analysis, space), space) == is_large
    claims = {suggestion.confidence for suggestion in advise(analysis)[0].suggestions}
    assert (claims == {"up to", "unknown"}) == is_large


@pytest.mark.parametrize("opcode", ["mulhi", "exp2", "log2", "collective-reduce", "shuffle", "collective-reduce-start"])
def test_the_opcodes_of_random_numbers_and_of_new_compilers_are_known(opcode: str) -> None:
    assert is_known(opcode)
