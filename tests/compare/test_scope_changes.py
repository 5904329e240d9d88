"""The tree of the scopes that changed, worked out by hand."""

from reportgen.compare.dump_comparison import compare_dumps
from reportgen.compare.scope_changes import scope_changes
from tests.compare.texts import NOT_IN_PLACE, measured
from tests.support.dumps import edited

# The array is half as large and comes from another line; the counter, which runs first, has twice the bytes.
BEFORE = (
    edited(
        NOT_IN_PLACE,
        ("1:exp_fusion.1\n    2:counter", "1:counter\n    2:exp_fusion.1"),
        ("counter{}:2-3", "counter{}:1-3"),
        ("exp_fusion.1{}:1-2", "exp_fusion.1{}:2-3"),
        ("s32[] fusion(%exp_fusion.1), kind=kLoop", "s32[] iota(), iota_dimension=0"),
        ("  counter, operand 0", "  (none)"),
    )
    .replace('op_name="jit(f)/exp"', 'op_name="jit(f)/a/b/exp" source_file="m.py" source_line=3')
    .replace('op_name="jit(f)/while"', 'op_name="jit(f)/a/c/while" source_file="m.py" source_line=9')
    .replace('op_name="x"', r'op_name="x[\'w\']"')
)
AFTER = (
    BEFORE.replace("4194304", "2097152")
    .replace("1048576", "524288")
    .replace("source_line=3", "source_line=4")
    .replace("@0> (size=4,offset=0): s32[]", "@0> (size=8,offset=0): s32[2]{0}")
    .replace("%counter = s32[]", "%counter = s32[2]{0}")
    .replace("size 4,", "size 8,")
)


def test_scopes_and_the_paths_of_arguments_are_trees() -> None:
    # What changes its shape has a gross decrease and a gross increase.
    comparison = compare_dumps(measured(BEFORE), measured(AFTER))
    rows = scope_changes(comparison, comparison.spaces[0])
    assert [(row.label, row.depth, row.change_bytes, row.increase_bytes, row.decrease_bytes) for row in rows] == [
        ("x['w']", 0, -2097152, 2097152, 4194304),
        ("jit(f)/a", 0, -2097148, 2097160, 4194308),
        ("b", 1, -2097152, 2097152, 4194304),
        ("c", 1, 4, 8, 4),
    ]
