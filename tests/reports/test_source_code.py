"""Suggestions as changes of one line of a file: where the change is certain, and where it is not offered."""

from dataclasses import replace

import pytest

from reportgen.advice.advice_records import SuggestionFigures
from reportgen.input.source_lines import SourceLines
from reportgen.parse.stack_frames import Frame
from reportgen.program.source_agreement import why_not_shown
from reportgen.reports.source_code import SourceEdit, source_code

FILE = "/home/u/train.py"


def suggestion(code: str, *, at: str = "", lines: str = "", arguments: tuple[str, ...] = ()) -> SuggestionFigures:
    return SuggestionFigures(
        kind="checkpoint",
        confidence="range",
        what="change it",
        after=(),
        peak_bytes=1,
        peak_low_bytes=None,
        needed_bytes=1,
        next_moment=0,
        next_largest=None,
        argument_names=arguments,
        values=(),
        value_count=0,
        lines=tuple(f"{FILE}:{number}" for number in lines.split()),
        involved_bytes=1,
        saving_bytes=1,
        saving_high_bytes=None,
        scratch_bytes=0,
        conflict_bytes=0,
        conflicts=(),
        reason=None,
        caveat="",
        code=code,
        code_lines=tuple(f"{FILE}:{number}" for number in at.split()),
    )


def edits(text: str, asked: SuggestionFigures, function: str = "step") -> list[tuple[int, str]]:
    code = source_code(text.splitlines(), [FILE])
    assert code is not None
    return [(edit.number, edit.added) for edit in code.edits(asked, function)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x, _ = jax.lax.scan(body, x, w)", "x, _ = jax.lax.scan(jax.checkpoint(body), x, w)"),
        ("é = lax.scan(lambda c, a: (c, a), x, w)", "é = lax.scan(jax.checkpoint(lambda c, a: (c, a)), x, w)"),
        ("x = lax.fori_loop(0, 8, f, x)", "x = lax.fori_loop(0, 8, jax.checkpoint(f), x)"),
        ("y = nnx.scan(body, out_axes=1)(x)", "y = nnx.scan(jax.checkpoint(body), out_axes=1)(x)"),
        ("x = scan(f, scan(g, x, w), w)", None),  # two loops
        ("x = lax.scan(*parts)", None),
        ("x = list(map(f, xs))", None),  # Python's own
        ("x = step(x)", None),
        ("x = lax.scan(\n    body, x)", "    jax.checkpoint(body), x)"),
        ("x = lax.scan(lambda c, a: (\n    c, a), x)", None),  # the body has two lines
    ],
)
def test_the_body_of_the_only_loop_at_a_line_is_wrapped(before: str, after: str | None) -> None:
    made = edits(f"import jax\n{before}", suggestion("jax.checkpoint(body)", at="2"))
    assert [added for _, added in made] == ([] if after is None else [after])


def test_a_file_without_the_module_that_the_code_names_is_not_changed() -> None:
    assert edits("from jax import lax\nx = lax.scan(f, x, w)", suggestion("jax.checkpoint(body)", at="2")) == []


def test_a_line_of_another_file_is_not_changed() -> None:
    asked = replace(suggestion("jax.checkpoint(body)"), code_lines=("/home/u/other.py:2",))
    assert edits("import jax\nx = jax.lax.scan(f, x, w)", asked) == []


def test_a_function_is_checkpointed_below_its_definition() -> None:
    text = "import jax\nif 1:\n    def mlp(x):\n        return x\n    y = mlp(1)"
    asked = suggestion("mlp = jax.checkpoint(mlp)", lines="4")
    assert edits(text, asked) == [(4, "    mlp = jax.checkpoint(mlp)")]
    assert edits(text, suggestion("mlp = jax.checkpoint(mlp)", lines="5")) == []
    assert edits(f"{text}\ndef mlp(x): pass", asked) == []


def test_a_method_is_checkpointed_below_its_class() -> None:
    text = "import equinox as eqx\nclass Block(eqx.Module):\n    def __call__(self, x):\n        return x\n"
    code = "Block.__call__ = eqx.filter_checkpoint(Block.__call__)"
    assert edits(text, suggestion(code, lines="4")) == [(4, code)]


def test_an_example_that_must_be_adapted_is_no_change() -> None:
    asked = suggestion("f = jax.checkpoint(f)  # f: what runs in layer", at="3", lines="3")
    assert edits("import jax\ndef f(x):\n    return x", asked) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("fast = jax.jit(step)", "fast = jax.jit(step, donate_argnames=('p',))"),
        (
            "fast = jax.jit(step, static_argnums=(1,),)",
            "fast = jax.jit(step, static_argnums=(1,), donate_argnames=('p',))",
        ),
        ("fast = jax.jit(step, donate_argnums=(0,))", None),
        ("fast = jax.jit(step, **options)", None),
        ("fast = jax.jit(other)", None),
        ("fast = jax.jit(step), jax.jit(step)", None),
    ],
)
def test_arguments_are_donated_in_the_only_call_that_compiles_the_function(before: str, after: str | None) -> None:
    asked = suggestion("donate_argnames=('p',)", arguments=("p",))
    made = edits(f"import jax\ndef step(p, x):\n    return p\n{before}", asked)
    assert made == ([] if after is None else [(4, after)])


@pytest.mark.parametrize(
    ("imports", "before", "after"),
    [
        ("import functools", "@jax.jit", "@functools.partial(jax.jit, donate_argnames=('p',))"),
        ("from functools import partial", "@jax.jit", "@partial(jax.jit, donate_argnames=('p',))"),
        (
            "from functools import partial",
            "@partial(jax.jit, inline=1)",
            "@partial(jax.jit, inline=1, donate_argnames=('p',))",
        ),
        ("import jax", "@jax.jit", None),
    ],
)
def test_arguments_are_donated_in_the_decorator(imports: str, before: str, after: str | None) -> None:
    asked = suggestion("donate_argnames=('p',)", arguments=("p",))
    made = edits(f"{imports}\n{before}\ndef step(p, x):\n    return p", asked)
    assert made == ([] if after is None else [(2, after)])


def test_only_parameters_of_the_function_are_donated() -> None:
    asked = suggestion("donate_argnames=('state',)", arguments=("state",))
    assert edits("import jax\ndef step(p):\n    return p\nfast = jax.jit(step)", asked) == []


def test_a_text_that_is_no_python_has_no_code() -> None:
    assert source_code(["def f(:"], [FILE]) is None
    assert source_code(["\0"], [FILE]) is None


def test_a_change_says_what_it_takes_the_place_of() -> None:
    code = source_code(["import jax", "x = jax.lax.scan(f, x)"], [FILE])
    assert code is not None
    assert code.edits(suggestion("jax.checkpoint(body)", at="2"), "step") == [
        SourceEdit(number=2, removed="x = jax.lax.scan(f, x)", added="x = jax.lax.scan(jax.checkpoint(f), x)")
    ]


def test_an_expression_is_found_where_the_dump_states_it() -> None:
    code = source_code(["é = f(a, g(b))", "h(", "1)"], [FILE])
    assert code is not None
    assert code.expression(1, (5, 15)) == (4, 14)  # bytes, of which one character takes two
    assert code.expression(1, (10, 14)) == (9, 13)
    assert code.expression(1, (5, 14)) == (0, 0)  # of an older file
    assert code.expression(2, (0, 2)) == (0, 0)
    assert code.expression(1, ()) == (0, 0)


def test_of_operations_that_begin_at_one_column_none_is_chosen() -> None:
    code = source_code(["x = f(a)[0] @ b", "y = a.b.c(d)"], [FILE])
    assert code is not None
    assert code.expression(1, (4, 8)) == (0, 0)
    assert code.expression(2, (4, 12)) == (4, 12)


SCOPES = '''"""About the module.

It has two lines."""
@partial(
    jit, static_argnames="n")
def step(x, n=width()):
    """Return x."""
    def layer(y):
        return (y
                @ x)  # a product

    # a comment
    z = layer(
        x,

    ).reshape(
        1)
    return [one
            for one in map(lambda w: w @ x, z)]


class Block:
    size = width()

    def __call__(self, x): return x @ self.w
'''


@pytest.mark.parametrize(
    ("number", "functions", "others"),
    [
        (1, "", "<module> step"),
        (3, "", "<module>"),
        (4, "<module> step", "layer Block"),
        (5, "<module> step", "step.<locals>.layer"),
        (7, "", "step <module>"),
        (8, "step step.<locals>.layer", "<module>"),
        (9, "step.<locals>.layer layer", "step <module> Block.layer"),
        (10, "layer", "step"),
        (11, "", "step"),
        (12, "", "step"),
        (13, "step <generic>", "layer <lambda> <module>"),
        (15, "", "step"),
        (17, "step", "layer"),
        (18, "step step.<locals>.<listcomp>", "step.<locals>.<lambda> <genexpr>"),
        (19, "step step.<locals>.<lambda> <listcomp>", "layer"),
        (23, "Block", "<module> __call__"),
        (25, "Block.__call__ __call__ Block", "step Other.__call__"),
        (26, "", "<module> Block"),
    ],
)
def test_a_line_is_only_of_the_function_around_it(number: int, functions: str, others: str) -> None:
    source = SourceLines("train.py", SCOPES.encode(), SCOPES.split("\n"))

    def is_doubted(function: str, columns: tuple[int, ...] = ()) -> bool:
        stated = {FILE: {(Frame(FILE, function, number), columns)}}
        return bool(why_not_shown(source, [FILE], stated))

    assert not any(map(is_doubted, functions.split()))
    assert all(map(is_doubted, others.split()))
    assert is_doubted("") != bool(functions)
    assert is_doubted("", (1, 2))


@pytest.mark.parametrize(("name", "is_refused"), [("u/7.py", True), ("ipykernel_1/7.py", False), ("u/7.cc", False)])
def test_only_a_file_of_python_must_be_python(name: str, is_refused: bool) -> None:
    source = SourceLines(name.rpartition("/")[2], b"%matplotlib inline\n", ["%matplotlib inline"])
    assert ("line 1 cannot be parsed by Python 3." in why_not_shown(source, [name], {})) == is_refused
