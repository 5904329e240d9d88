"""A cell says how bytes are related to the argument or operation that it names."""

import pytest

from reportgen.program.author import Author, Rule
from reportgen.render.html.links import origin_cell

NAME = "p['w']"


def text(*authors: Author, name: str = "") -> str:
    return origin_cell(authors, name).striptags()


def of_argument(rule: Rule, scope: str = "") -> Author:
    return Author(argument=NAME, scope=scope, rule=rule)


@pytest.mark.parametrize(
    ("author", "words"),
    [
        (of_argument("argument"), NAME),
        (of_argument("new value", "jit(f)/sub"), f"new value of {NAME}"),
        (of_argument("moved"), f"a copy of {NAME}"),
        (of_argument("in place"), f"a copy of {NAME}"),
        (Author(argument="argument 3", scope="jit(f)/sub", rule="new value"), "jit(f)/sub"),
        (Author(argument="argument 3", scope="jit(f)/dot", rule="read"), "read by jit(f)/dot"),
        (Author(scope="jit(f)/dot", rule="moved"), "jit(f)/dot"),
        (Author(operation="fusion.14"), "fusion.14"),
    ],
)
def test_an_argument_its_copy_and_its_new_value_are_told_apart(author: Author, words: str) -> None:
    assert text(author) == words


def test_a_group_has_only_the_words_that_hold_for_all_of_it() -> None:
    old, new = of_argument("argument"), of_argument("new value", "jit(f)/sub")
    assert text(new, new, name="p[#]") == "new value of p[#]"
    assert text(old, new, name="p[#]") == "p[#]"
