"""Say what is held most of at the peak that a suggestion leads to, because that is what to change next."""

from collections import Counter
from dataclasses import replace

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.context import AdviceContext
from reportgen.advice.memory import PeakAfter
from reportgen.program.scopes import pattern


def with_next(context: AdviceContext, suggestion: Suggestion) -> Suggestion:
    """Return a suggestion that says what is held most of after it."""
    after = context.after_donation if "donate" in (suggestion.kind, *suggestion.after) else context
    return replace(suggestion, next_largest=largest_at(after, suggestion.outcome))


def largest_at(after: AdviceContext, peak: PeakAfter) -> str:
    """Return the buffers of one author and shape, or the argument, that take most of a peak."""
    cut = peak.edit.cuts if peak.edit else {}
    moment, temps = peak.moment, after.memory.temps
    sizes: Counter[tuple[str, str]] = Counter()
    largest: dict[tuple[str, str], int] = {}
    seen: set[tuple[object, int, int]] = set()
    for number in after.large:
        held = temps[number]
        is_live = held.first <= moment <= held.last
        is_cut = any(first <= moment <= last for first, last in cut.get(number, ()))
        place = (held.allocation, held.low, held.high)
        if is_cut or not is_live or place in seen:
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
