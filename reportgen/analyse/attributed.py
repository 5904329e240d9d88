"""Count how many bytes of a peak are known to belong to an argument or an operation of the program."""

from reportgen.analyse.records import Analysis, Measured, Share, Space
from reportgen.document import Bytes, document


@document()
class Attributed:
    """The bytes of a resident peak whose origin is known."""

    scope_bytes: Bytes
    """Bytes of values whose operation or argument has a name, also through loops, fusions and copies."""
    source_bytes: Bytes
    """Bytes of values with a source line, and those reserved for such."""
    reserved_bytes: Bytes
    """Bytes of allocations in which no value is live, reserved for a value with a name; not in `scope_bytes`."""

    def unnamed_bytes(self, peak_bytes: int) -> int:
        """Return how many bytes of the peak the program has no name for."""
        return peak_bytes - self.scope_bytes - self.reserved_bytes


def attributed(analysis: Analysis, space: Space) -> Attributed:
    """Return the bytes of a space's peak that have a name, and those that have a source line."""
    numbers = [(share, held_for(analysis, share)) for share in space.composition]
    authored = [(share, analysis.authors.of(number)) for share, number in numbers if number is not None]
    named = [share for share, author in authored if author.is_named]
    return Attributed(
        scope_bytes=sum(share.size_bytes for share in named if share.value is not None),
        source_bytes=sum(share.size_bytes for share, author in authored if author.source),
        reserved_bytes=sum(share.size_bytes for share in named if share.value is None),
    )


def held_for(analysis: Measured, share: Share) -> int | None:
    """Return the value that owns a share of a peak or, where none is live, the value that it is reserved for."""
    return reserved_for(analysis, share.allocation) if share.value is None else share.value


def reserved_for(analysis: Measured, allocation: int) -> int | None:
    """Return the value that an allocation is reserved for while none is live in it: the last one that it holds."""
    facts = analysis.facts
    last = max(
        analysis.occupants[allocation],
        key=lambda number: (facts.ends[number], facts.values.sizes[number], -number),
        default=None,
    )
    return last if last is not None and facts.ends[last] >= 0 else None
