"""Budget files: what they mean, and what is refused."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from reportgen.compare.budgets import parse_budgets
from reportgen.compare.growth import Growth, parse_growth, parse_size
from reportgen.errors import InvalidBudget


@pytest.mark.parametrize(
    ("text", "size"), [("15.5 GiB", 16642998272), ("64KiB", 65536), ("1 MB", 10**6), ("7 B", 7), ("0.5 kB", 500)]
)
def test_sizes_have_units(text: str, size: int) -> None:
    assert parse_size(text, "max") == size


@pytest.mark.parametrize("text", ["100", "GiB", "-1 GiB", "1 gib", "1e3 B", "1%", 100, "", "1 GiB 2"])
def test_a_size_without_a_known_unit_is_refused(text: object) -> None:
    with pytest.raises(InvalidBudget, match="unit"):
        parse_size(text, "max")


@pytest.mark.parametrize("read", [parse_size, parse_growth])
def test_a_size_that_no_memory_has_is_refused(read: Callable[[str, str], object]) -> None:
    with pytest.raises(InvalidBudget, match="max: '8388608 TiB' is more than any memory has"):
        read("8388608 TiB", "max")


@pytest.mark.parametrize(
    ("text", "before", "allowed"), [("1%", 1000, 10), ("0.5%", 999, 4), ("0%", 5, 0), ("2 KiB", 1, 2048)]
)
def test_growth_is_a_share_or_a_size(text: str, before: int, allowed: int) -> None:
    assert parse_growth(text, "growth").allowed(before) == allowed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[budget]]\nmax = 100", "budgets.toml:1: max: 100 is not a size with a unit"),
        ("\n[[budget]]\nmax = '1 GiB'\nmaximum = '2 GiB'", "budgets.toml:2: unknown key 'maximum'"),
        ("limit = 3", "budgets.toml:1: unknown key 'limit'"),
        ("[[budget]]\nmodule = 'x'", "a budget needs max, max-growth or max-recomputed"),
        ("[[budget]]\nmax-recomputed = '5 GiB'", "max-recomputed: '5 GiB' is not a share"),
        ("[[budget]]\nmax-recomputed = 0.05", "max-recomputed: 0.05 is not a share"),
        ("[[budget]]\nmax = '1 B'\nfigure = 'size'", "figure 'size' does not exist"),
        ("[[budget]]\nmax = '1 B'\nmodule = 3", "module is 3; a name in quotes is needed"),
        ("[[budget]]\nmax = '1 B'\nspace = true", "space is True"),
        ("new-modules = 'stop'", '"note", "warn" or "fail" is needed'),
        ("budget = 3", r"\[\[budget\]\]"),
        ("[[budget]", "not valid TOML"),
        ("[[budget]]\nmax-growth = ['1%', 5]", "5 is not a share or a size"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(InvalidBudget, match=words.replace("(", r"\(")):
        parse_budgets(text, "budgets.toml")


def test_all_keys_are_understood() -> None:
    text = """
        missing-baseline = "fail"
        [[budget]]
        module = "jit_*"
        space = 1
        backend = "tpu"
        figure = "padding"
        max = "1 KiB"
        max-growth = ["1%", "64 KiB"]
        required = false
    """
    budgets = parse_budgets(text, "reportgen.toml")
    (budget,) = budgets.budgets
    assert budgets.missing_baseline == "fail"
    assert (budget.module, budget.space, budget.backend, budget.figure) == ("jit_*", "1", "tpu", "padding")
    assert (budget.max_bytes, budget.growth[1], budget.required, budget.line) == (
        1024,
        Growth(size_bytes=65536),
        False,
        3,
    )


def test_what_xla_recomputes_is_a_budget_of_its_own() -> None:
    text = "[[budget]]\nmodule = 'jit_*'\nspace = 'HBM'\nmax = '1 GiB'\nmax-recomputed = '2.5 %'\n"
    memory, recomputed = parse_budgets(text, "reportgen.toml").budgets
    assert (memory.max_bytes, memory.max_recomputed) == (2**30, None)
    assert (recomputed.max_bytes, recomputed.max_recomputed, recomputed.space) == (None, Fraction(1, 40), None)
    assert (recomputed.title, recomputed.line) == ("jit_*, recomputed", 1)


def test_the_table_of_pyproject_is_read() -> None:
    text = "[project]\nname = 'x'\n\n[[tool.xla-reportgen.budget]]\nmax = '1 GiB'\n"
    (budget,) = parse_budgets(text, "pyproject.toml", settings=()).budgets
    assert (budget.max_bytes, budget.line) == (2**30, 4)
