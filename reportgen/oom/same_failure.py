"""Tell each failure once: the warning, the status and the exception of one request, and what is printed again."""

from collections.abc import Iterable

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.forms import SIZES
from reportgen.oom.printed_size import SizeRange

_ONE_REQUEST = ({"execution", "attempt"}, {"host"})  # kinds in which sentences with one size are of one request
_RETRY, _MOST_RETRIES = 0.9, 30  # what part of a refused size an allocator asks for next, and how often
_MOST_COMPARED = 50  # failures before an event that it may tell again in other words
_SAME = (*SIZES, "module", "space", "totals", "buffers")  # which one telling may leave out, and which do not differ


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
            kept[place] = filled(*sorted((kept[place], event), key=lambda one: one.kind == "attempt"))
        places[bare] = place
        lines[place].update(event.lines)
    return tuple(event._replace(lines=tuple(sorted(own))) for event, own in zip(kept, lines, strict=True))


def _are_one(first: OutOfMemory, second: OutOfMemory) -> bool:
    """Return whether two events are one failure: nothing that both state differs, and a size or all is the same."""
    is_request = first.needed and second.needed and any({first.kind, second.kind} <= one for one in _ONE_REQUEST)
    is_unsure = first.kind == "fragment" and not (first.needed and second.needed)  # which may be of any two programs
    if is_unsure or (not is_request and (first.name, first.words) != (second.name, second.words)):
        return False
    if first.kind == second.kind and first.needed and second.needed and _is_retry(first.needed, second.needed):
        return True
    stated = [(one, other) for name in _SAME if (one := getattr(first, name)) and (other := getattr(second, name))]
    return all(one.overlaps(other) if isinstance(one, SizeRange) else one == other for one, other in stated)


def _is_retry(first: SizeRange, second: SizeRange) -> bool:
    """Return whether an allocator has asked for less after a failure (tsl `BFCAllocator::Extend`: for nine tenths)."""
    steps = range(1, _MOST_RETRIES)
    return any(abs(second.middle - first.middle * _RETRY**step) < second.middle / 1000 for step in steps)


def filled(event: OutOfMemory, other: OutOfMemory) -> OutOfMemory:
    """Return an event with what only the other says of the same failure."""
    missing = {name: getattr(other, name) for name in (*_SAME, "device", "code") if not getattr(event, name)}
    return event._replace(**missing, words=tuple(dict((*other.words, *event.words)).items()))
