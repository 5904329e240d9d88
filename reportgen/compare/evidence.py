"""Records of a comparison: which values were recognised and why, and the terms between two peaks."""

from typing import Literal, NamedTuple

from reportgen.record import record

Tier = Literal[
    "boundary",
    "content",
    "exact",
    "operation",
    "resized",
    "retyped",
    "reopcoded",
    "relabelled",
    "relabelled and resized",
    "dimensions",
]
How = Literal["path", "number", "result", "content", "graph", "unique", "name", "order"]
Grade = Literal["sure", "likely", "in its place"]
"""How far a pair of values can be trusted."""

_SURE = frozenset({("exact", "graph"), ("operation", "name")})
_LIKELY = frozenset(
    {
        ("exact", "unique"),
        ("operation", "graph"),
        ("operation", "unique"),
        ("operation", "order"),
        ("resized", "graph"),
        ("resized", "unique"),
        ("retyped", "graph"),
        ("retyped", "unique"),
        ("reopcoded", "graph"),
    }
)
"""As measured by `tests/compare/accuracy.py` on pairs with a known truth."""


class Match(NamedTuple):
    """A value's partner, and the evidence: what is equal, and how one of several candidates was chosen."""

    value: int
    tier: Tier
    how: How

    @property
    def grade(self) -> Grade:
        """Return how far the pair can be trusted."""
        if self.tier in {"boundary", "content"} or (self.tier, self.how) in _SURE:
            return "sure"
        return "likely" if (self.tier, self.how) in _LIKELY else "in its place"


@record(kw_only=False)
class Matching:
    """For each value of either side its partner on the other, or None. Pairs are one to one."""

    before: tuple[Match | None, ...]
    after: tuple[Match | None, ...]
