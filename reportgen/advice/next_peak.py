"""Say what is held most of at the peak that a suggestion leads to, because that is what to change next."""

from collections import Counter
from dataclasses import replace

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.context import AdviceContext
from reportgen.program.scopes import pattern


def with_next(context: AdviceContext, suggestion: Suggestion) -> Suggestion:
    """Return a suggestion that says what is held most of after it."""
    return replace(suggestion, next_largest=_largest_then(context, suggestion))


def _largest_then(context: AdviceContext, suggestion: Suggestion) -> str:
    """Return the buffers of one author and shape, or the argument, that take most of the peak after a suggestion."""
    after = context.after_donation if "donate" in (suggestion.kind, *suggestion.after) else context
    cut = suggestion.outcome.edit.cuts if suggestion.outcome.edit else {}
    moment, temps = suggestion.outcome.moment, after.memory.temps
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
