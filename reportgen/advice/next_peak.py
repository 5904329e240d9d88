"""Say what is held most of at the peak that a move leads to, because that is what to change next."""

from collections import Counter
from dataclasses import replace

from reportgen.advice.advice_records import Move
from reportgen.advice.situation import Situation
from reportgen.program.scopes import pattern


def with_next(situation: Situation, move: Move) -> Move:
    """Return a move that says what is held most of after it."""
    return replace(move, next_largest=_largest_then(situation, move))


def _largest_then(situation: Situation, move: Move) -> str:
    """Return the buffers of one author and shape, or the argument, that take most of the peak after a move."""
    after = situation.after_donation if "donate" in (move.kind, *move.after) else situation
    cut = move.outcome.edit.cuts if move.outcome.edit else {}
    moment, temps = move.outcome.moment, after.memory.temps
    sizes: Counter[tuple[str, str]] = Counter()
    largest: dict[tuple[str, str], int] = {}
    seen: set[tuple[object, int, int]] = set()
    for number in after.large:
        held = temps[number]
        is_cut = any(first <= moment <= last for first, last in cut.get(number, ()))
        place = (held.allocation, held.low, held.high)
        if is_cut or not held.first <= moment <= held.last or place in seen:
            continue
        seen.add(place)
        key = pattern(after.analysis.authors.of(number).name), after.program.shape(number)
        sizes[key] += held.size_bytes
        largest.setdefault(key, number)
    of_arguments: Counter[str] = Counter()
    for argument in after.arguments:
        of_arguments[argument.name] += argument.size_bytes
    most = max(sizes, key=lambda key: (sizes[key], key), default=None)
    name = max(of_arguments, key=lambda name: (of_arguments[name], name), default="")
    if most is None or of_arguments[name] > sizes[most]:
        return f"the argument {name}" if name else ""
    return after.described((largest[most],))
