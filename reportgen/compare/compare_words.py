"""The words and amounts of a comparison, the same in the terminal, in Markdown and on pages."""

import re
from collections.abc import Iterable, Mapping, Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.evidence import Grade, Match
from reportgen.compare.graph import Graph, plain_op_name
from reportgen.compare.terms import Term
from reportgen.compare.verdicts import Overall
from reportgen.input.inputs import differing_flags
from reportgen.reports.formats import change_words, human_bytes, signed_bytes

_NUMBERS = re.compile(r"\d+")

OVERALL_WORDS: Mapping[Overall, str] = {
    "over": "over budget or capacity",
    "grown": "more than allowed",
    "cannot judge": "cannot be judged",
    "unsound": "cannot be judged, a dump is unsound",
}
"""What follows a headline where the builds do not pass."""


def headline(module: ModuleComparison) -> str:
    """Return one line: the change of the main space, and of one that changed even more, or that nothing changed."""
    before, after = module.figures
    if before is None:
        return "new"
    if after is None:
        return "missing"
    unknown = unknown_words(module)
    if module.status == "same":
        return f"no known figure changed; {unknown}" if unknown else "no change"
    color = main_color(module)
    if color is None or (unknown and MAIN_SPACE not in module.peaks):
        return f"changed; {unknown}"
    old, new = module.peaks[color]
    if old == new:
        return f"the same peak in {space_name(module, color)}, with other contents"
    words = f"{change_words(old, new)} in {space_name(module, color)}"
    most = _most_changed(module)
    if most is None or most == color:
        return words
    return f"{words}, {signed_bytes(_change(module, most))} in {space_name(module, most)}"


def unknown_words(module: ModuleComparison) -> str:
    """Return on which side a peak is not known; empty where all are, or where both sides have the same content."""
    if module.paired_by == "content":
        return ""
    unknown = [
        one is not None and any(space.peak_resident_bytes is None for space in one.spaces.values())
        for one in module.figures
    ]
    match unknown:
        case [True, True]:
            return "the peaks are unknown, because neither build has live ranges"
        case [True, False]:
            return "the peak before is unknown, because that build has no live ranges"
        case [False, True]:
            return "the peak now is unknown, because this build has no live ranges"
        case _:
            return ""


def space_name(module: ModuleComparison, color: int) -> str:
    """Return the name of a space; one that is gone has that from before."""
    return next(one.spaces[color].name for one in reversed(module.figures) if one and color in one.spaces)


def main_color(module: ModuleComparison) -> int | None:
    """Return the main memory of the device if its peak changed, else the space whose peak changed most."""
    if MAIN_SPACE in module.peaks and _change(module, MAIN_SPACE):
        return MAIN_SPACE
    return _most_changed(module)


def _most_changed(module: ModuleComparison) -> int | None:
    """Return the space whose peak changed most, of equal ones the one with the largest peak."""
    peaks = module.peaks
    return max(peaks, key=lambda color: (abs(_change(module, color)), max(peaks[color]), -color), default=None)


def _change(module: ModuleComparison, color: int) -> int:
    before, after = module.peaks[color]
    return after - before


def fit_words(module: ModuleComparison) -> tuple[str, bool]:
    """Return whether the module fits its device now, and whether it does not; empty where nothing says so.

    What counts is what it needs, as everywhere, and that the compiler accepts it.
    """
    before, after = module.rooms
    fit = after.fits.get(MAIN_SPACE)
    if after.fits_device is None or module.figures[1] is None:
        return "", False
    if after.fits_device:
        left = f": {human_bytes(-fit.excess_bytes)} left" if fit else ""
        return f"fits{' now' if before.fits_device is False else ''}{left}", False
    over = next((one for one in after.fits.values() if one.is_over), None)
    how = f"{human_bytes(over.excess_bytes)} over capacity" if over else "the compiler refused it"
    start = {True: "no longer fits", False: "still does not fit", None: "does not fit"}[before.fits_device]
    return f"{start}: {how}", True


def input_words(module: ModuleComparison) -> str:
    """Return what differs in the input of the two compilations, as far as files beside the dumps say."""
    if module.inputs is None:
        return ""
    before, after = module.inputs
    words = []
    if before.program and after.program:
        words.append("the same program" if before.program == after.program else "a different program")
    if before.flags is not None and after.flags is not None:
        flags = differing_flags(before, after)
        names = ", ".join([*flags[:5], *["…"] * (len(flags) > 5)])
        differ = "1 flag differs" if len(flags) == 1 else f"{len(flags)} flags differ"
        words.append(f"{differ} ({names})" if flags else "the same flags")
    if before.changelist and after.changelist:
        words.append("the same compiler" if before.changelist == after.changelist else "a different compiler")
    if all(word.startswith("the same") for word in words) and len(words) == 3 and module.status != "same":
        words.append("so the compiler is not deterministic here")
    text = ", ".join(words)
    return text[:1].upper() + text[1:]


def grade_counts(module: ModuleComparison) -> dict[Grade, int]:
    """Return how many values were recognised, by grade."""
    counts: dict[Grade, int] = {"sure": 0, "likely": 0, "in its place": 0}
    for match in module.comparison.matching.before if module.comparison else ():
        if match is not None:
            counts[match.grade] += 1
    return counts


def matched_words(module: ModuleComparison) -> str:
    """Return how many values were recognised, in one sentence."""
    if module.comparison is None:
        return ""
    counts, total = grade_counts(module), len(module.comparison.matching.before)
    return (
        f"{counts['sure'] + counts['likely']:,} of {total:,} values recognised: {counts['sure']:,} sure,"
        f" {counts['likely']:,} likely; {counts['in its place']:,} by place."
    )


_TIERS = {
    "boundary": "",
    "content": "the dumps are equal",
    "exact": "everything about it is the same",
    "operation": "same operation, shape and op_name",
    "resized": "same operation and op_name, another size",
    "retyped": "same operation and op_name, another shape",
    "reopcoded": "same op_name, another operation",
    "relabelled": "same operation and shape, another op_name",
    "relabelled and resized": "same operation, another op_name and size",
    "dimensions": "same dimensions",
}
_HOWS = {
    "path": "the same argument path",
    "number": "the same place among the arguments",
    "result": "the same place in the output",
    "content": "",
    "graph": "its readers and operands agree",
    "unique": "nothing else is like it",
    "name": "and the same name",
    "order": "paired in order with others like it",
}


def reason_words(match: Match) -> str:
    """Return why two values were taken for the same."""
    return "; ".join(words for words in (_TIERS[match.tier], _HOWS[match.how]) if words)


def evidence_words(match: Match) -> tuple[str, str]:
    """Return what is equal of two values, and how one of several candidates was chosen."""
    return _TIERS[match.tier] or "an argument or an output", _HOWS[match.how]


def named_groups(graphs: tuple[Graph, Graph], terms: Iterable[Term]) -> Mapping[str, Sequence[Term]]:
    """Return the terms that are about something with a name, by that name."""
    groups: dict[str, list[Term]] = {}
    for term in terms:
        if name := group_name(graphs, term):
            groups.setdefault(name, []).append(term)
    return groups


def group_name(graphs: tuple[Graph, Graph], term: Term) -> str:
    """Return what a term is about, with a star for each number: the author of its value after or before.

    The same operation of another layer differs in numbers alone, so those terms form one group.
    """
    for graph, value in ((graphs[1], term.after), (graphs[0], term.before)):
        if value is not None:
            return _NUMBERS.sub("*", plain_op_name(graph.labels(value).name))
    return ""
