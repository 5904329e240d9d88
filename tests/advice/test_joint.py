"""What several suggestions lead to together, on programs that were recompiled."""

from collections.abc import Iterator
from itertools import combinations, permutations

import pytest

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.advise import Advice
from tests.advice.recompiled_programs import advice, names


def pairs(made: Advice) -> Iterator[tuple[Suggestion, Suggestion, Suggestion]]:
    """Yield two of the first suggestions and what they lead to together."""
    for one, other in combinations(made.best[:4], 2):
        if together := made.together((one, other)):
            yield one, other, together


@pytest.mark.parametrize("name", names())
def test_the_order_of_suggestions_does_not_matter(name: str) -> None:
    made = advice(name)
    for chosen in combinations(made.best[:4], 3):
        found = [made.together(order) for order in permutations(chosen)]
        assert len({each and (each.peak_bytes, each.least_peak_bytes, each.confidence) for each in found}) == 1


@pytest.mark.parametrize("name", names())
def test_two_suggestions_save_at_least_as_much_as_one(name: str) -> None:
    for one, other, together in pairs(advice(name)):
        assert together.least_peak_bytes <= min(one.least_peak_bytes, other.least_peak_bytes)
        assert all(together.peak_bytes <= each.peak_bytes for each in (one, other) if each.confidence != "up to")


@pytest.mark.parametrize(
    ("name", "kinds", "peak_bytes"),
    [
        ("evoformer", {"checkpoint-loop", "attention"}, 1905708320),
        ("vO_ssd", {"checkpoint-loop", "logits"}, 6177805792),
    ],
)
def test_the_peak_of_a_program_with_both_changes_is_in_the_range(name: str, kinds: set[str], peak_bytes: int) -> None:
    made = advice(name)
    together = made.together([suggestion for suggestion in made.best if suggestion.kind in kinds])
    assert together
    assert together.least_peak_bytes <= peak_bytes <= together.peak_bytes
    assert (together.saving_high_bytes or 0) <= 1.5 * together.saving_bytes


def test_what_is_not_known_is_not_combined() -> None:
    made = advice("gnn")
    (unknown,) = [suggestion for suggestion in made.best if not suggestion.is_computed]
    assert made.together((made.best[0], unknown)) is None
