"""Tell each failure once: the warning, the status and the exception of one request, and what is printed again."""

from collections.abc import Iterable, Sequence

from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.forms import SIZES

_ONE_REQUEST = frozenset({"execution", "attempt"})
_FIELDS = (*SIZES, "module", "space", "device", "code", "totals", "buffers")
"""What one telling of a failure may leave out and another has."""


def told_once(events: Iterable[OutOfMemory]) -> tuple[OutOfMemory, ...]:
    """Return each failure with all the lines that tell it, in the order of the text."""
    kept: list[OutOfMemory] = []
    for event in sorted(events, key=lambda event: event.line):
        place = next((place for place, other in enumerate(kept) if _are_one(other, event)), None)
        if place is None:
            kept.append(event)
        else:
            kept[place] = _joined(kept[place], event)
    return tuple(kept)


def _are_one(first: OutOfMemory, second: OutOfMemory) -> bool:
    """Return whether two events are one failure: nothing that both state differs, and a size or all is the same."""
    if first.kind == second.kind == "other":
        return first.form.says == second.form.says
    if first.form.backend != second.form.backend and (first.form.backend and second.form.backend):
        return False
    is_request = {first.kind, second.kind} <= _ONE_REQUEST and first.needed and second.needed
    if not is_request:
        if first.name != second.name or first.words != second.words:
            return False
        if not any(getattr(first, size) and getattr(second, size) for size in SIZES):
            return first._replace(lines=(), message="") == second._replace(lines=(), message="")
    sizes = [(getattr(first, name), getattr(second, name)) for name in SIZES]
    words = [(first.module, second.module), (first.space, second.space)]
    lists: Sequence[tuple[object, object]] = [(first.totals, second.totals), (first.buffers, second.buffers)]
    return all(
        one.low_bytes <= other.high_bytes and other.low_bytes <= one.high_bytes for one, other in sizes if one and other
    ) and all(one == other for one, other in (*words, *lists) if one and other)


def _joined(first: OutOfMemory, second: OutOfMemory) -> OutOfMemory:
    """Return one event of two: a failure rather than a warning of it, with what either states."""
    best, other = (second, first) if first.kind == "attempt" != second.kind else (first, second)
    missing = {name: getattr(other, name) for name in _FIELDS if not getattr(best, name)}
    lines = tuple(sorted({*first.lines, *second.lines}))
    words = tuple(dict((*other.words, *best.words)).items())
    return best._replace(**missing, lines=lines, words=words)
