"""Count how many bytes of a peak are known to belong to an argument or an operation of the program."""

from reportgen.analyse.records import Analysis, Measured, Space
from reportgen.record import record


@record(kw_only=False)
class Attributed:
    """The bytes of a peak whose buffers have a name of the program and a source line, and those reserved for such.

    `reserved_bytes` belong to no live value, and so are not among the others.
    """

    scope_bytes: int
    source_bytes: int
    reserved_bytes: int


def attributed(analysis: Analysis, space: Space) -> Attributed:
    """Return how much of the peak of a space has a name and a line."""
    author_of = analysis.authors.of
    found = [(share, author_of(share.value)) for share in space.composition if share.value is not None]
    reserved = [(share, reserved_for(analysis, share.allocation)) for share in space.composition if share.value is None]
    return Attributed(
        scope_bytes=sum(share.size_bytes for share, author in found if author.is_named),
        source_bytes=sum(share.size_bytes for share, author in found if author.source),
        reserved_bytes=sum(
            share.size_bytes for share, number in reserved if number is not None and author_of(number).is_named
        ),
    )


def reserved_for(analysis: Measured, allocation: int) -> int | None:
    """Return the value that an allocation is reserved for while none is live in it: the last one that it holds."""
    facts = analysis.facts
    last = max(
        analysis.occupants[allocation],
        key=lambda number: (facts.ends[number], facts.values.sizes[number], -number),
        default=None,
    )
    return last if last is not None and facts.ends[last] >= 0 else None
