"""Names in messages, each replaced by its token in one pass."""

import pytest

from reportgen.redact.quoted_names import Names
from tests.support.steps import steps

NAMES = Names({"jit_f": "program-1", "jit_f.dump": "dump-1", "my run": "folder-1", "run": "folder-2", "": "folder-3"})


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("jit_f: not read", "program-1: not read"),
        ("jit_f.dump: not read", "dump-1: not read"),
        ("jit_f.dumps", "program-1.dumps"),
        ("in my run/jit_f", "in folder-1/program-1"),
        ("jit_f2 and ajit_f", "jit_f2 and ajit_f"),
        ("rerun runs run", "rerun runs folder-2"),
        ("", ""),
    ],
)
def test_the_longest_whole_name_is_replaced(message: str, shown: str) -> None:
    assert NAMES.replaced(message) == shown


def test_other_names_cost_nothing() -> None:
    message = "not shown: zq17x-buffer-assignment.txt is missing"
    few, many = (Names({f"zq{number}x": f"dump-{number}" for number in range(count)}) for count in (20, 2_000))
    assert many.replaced(message) == "not shown: dump-17-buffer-assignment.txt is missing"
    assert steps(lambda: many.replaced(message)) == steps(lambda: few.replaced(message))
