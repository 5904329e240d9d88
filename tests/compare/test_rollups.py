"""Roll-ups of a change as trees, worked out by hand."""

from reportgen.compare.dump_comparison import compare_dumps
from reportgen.compare.rollups import Grouping, rollup
from reportgen.render.compare.comparison_views import rollups_of
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

Rows = list[tuple[str | None, int, int, int, int]]


def rows(grouping: Grouping) -> Rows:
    comparison = compare_dumps(measured(BEFORE), measured(AFTER))
    found = rollup(comparison, comparison.spaces[0], grouping)
    return [(row.label, row.depth, row.change_bytes, row.increase_bytes, row.decrease_bytes) for row in found]


def test_scopes_and_the_paths_of_arguments_are_trees() -> None:
    # What changes its shape has a gross decrease and a gross increase.
    assert rows("scope") == [
        ("x['w']", 0, -2097152, 2097152, 4194304),
        ("jit(f)/a", 0, -2097148, 2097160, 4194308),
        ("b", 1, -2097152, 2097152, 4194304),
        ("c", 1, 4, 8, 4),
    ]


def test_lines_are_below_their_files() -> None:
    assert rows("line") == [
        (None, 0, -2097152, 2097152, 4194304),
        ("m.py", 0, -2097148, 2097160, 4194308),
        ("3", 1, -4194304, 0, 4194304),
        ("4", 1, 2097152, 2097152, 0),
        ("9", 1, 4, 8, 4),
    ]


def test_arguments_are_trees_and_all_else_has_no_label() -> None:
    assert rows("argument") == [
        ("x['w']", 0, -2097152, 2097152, 4194304),
        (None, 0, -2097148, 2097160, 4194308),
    ]


def test_classes_have_no_parts() -> None:
    assert [row[:3] for row in rows("class")] == [
        ("parameter", 0, -2097152),
        ("temporary", 0, -2097152),
        ("output", 0, 4),
    ]


def test_a_page_shows_lines_under_their_whole_names_and_no_files() -> None:
    comparison = compare_dumps(measured(BEFORE), measured(AFTER))
    lines = rollups_of(comparison, comparison.spaces[0])["line"]
    assert [(row.label, row.depth, row.change_bytes) for row in lines.rows] == [
        ("m.py:3", 0, -4194304),
        (None, 0, -2097152),
        ("m.py:4", 0, 2097152),
        ("m.py:9", 0, 4),
    ]
    assert (lines.left_out, lines.decrease_bytes, lines.whole_bytes) == (0, 4194304, 4194304 + 2097152)
