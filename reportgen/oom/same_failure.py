"""Tell each failure once: the warning, the status and the exception of one request, and what is printed again."""

from collections.abc import Iterable, Sequence

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.forms import SIZES
from reportgen.oom.printed_size import SizeRange

_ONE_REQUEST = ({"execution", "attempt"}, {"host"})
"""Kinds in which two sentences with one size are of one request."""
_RETRY, _MOST_RETRIES = 0.9, 30
"""What part of a refused size an allocator asks for next, and how often at most."""
_MOST_COMPARED = 50
"""Failures before an event that it may tell again in other words."""
_FIELDS = (*SIZES, "module", "space", "device", "code", "totals", "buffers")
"""What one telling of a failure may leave out and another has."""


def told_once(events: Iterable[OutOfMemory]) -> tuple[OutOfMemory, ...]:
    """Return each failure with all the lines that tell it, in the order of the text."""
    kept: list[OutOfMemory] = []
    lines: list[set[int]] = []
    places: dict[OutOfMemory, int] = {}
    for event in sorted(events, key=lambda event: event.line):
        bare = event._replace(lines=(0,), message="")
        recent = range(max(0, len(kept) - _MOST_COMPARED), len(kept))
        place = places.get(bare, next((place for place in recent if _are_one(kept[place], event)), len(kept)))
        if place == len(kept):
            kept.append(event)
            lines.append(set())
        elif bare not in places:
            kept[place] = _joined(kept[place], event)
        places[bare] = place
        lines[place].update(event.lines)
    return tuple(event._replace(lines=tuple(sorted(own))) for event, own in zip(kept, lines, strict=True))


def _are_one(first: OutOfMemory, second: OutOfMemory) -> bool:
    """Return whether two events are one failure: nothing that both state differs, and a size or all is the same."""
    if first.kind == second.kind == "other":
        return first.form.says == second.form.says
    if first.form.backend != second.form.backend and (first.form.backend and second.form.backend):
        return False
    is_request = first.needed and second.needed and any({first.kind, second.kind} <= one for one in _ONE_REQUEST)
    if not is_request:
        if first.name != second.name or first.words != second.words:
            return False
        if not any(getattr(first, size) and getattr(second, size) for size in SIZES):
            return first._replace(lines=(), message="") == second._replace(lines=(), message="")
    if first.kind == second.kind and first.needed and second.needed and _is_retry(first.needed, second.needed):
        return True
    sizes = [(getattr(first, name), getattr(second, name)) for name in SIZES]
    words = [(first.module, second.module), (first.space, second.space)]
    lists: Sequence[tuple[object, object]] = [(first.totals, second.totals), (first.buffers, second.buffers)]
    return all(
        one.low_bytes <= other.high_bytes and other.low_bytes <= one.high_bytes for one, other in sizes if one and other
    ) and all(one == other for one, other in (*words, *lists) if one and other)


def _is_retry(first: SizeRange, second: SizeRange) -> bool:
    """Return whether an allocator has asked for less after a failure (tsl `BFCAllocator::Extend`: for nine tenths)."""
    steps = range(1, _MOST_RETRIES)
    return any(abs(second.middle - first.middle * _RETRY**step) < second.middle / 1000 for step in steps)


def _joined(first: OutOfMemory, second: OutOfMemory) -> OutOfMemory:
    """Return one event of two: a failure rather than a warning of it, with what either states."""
    best, other = (second, first) if first.kind == "attempt" != second.kind else (first, second)
    missing = {name: getattr(other, name) for name in _FIELDS if not getattr(best, name)}
    words = tuple(dict((*other.words, *best.words)).items())
    return best._replace(**missing, words=words)
