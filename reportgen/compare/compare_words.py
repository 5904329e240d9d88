"""The words for a module in two builds and for the evidence, the same in the terminal, in Markdown and on pages."""

from collections.abc import Mapping, Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.evidence import Match
from reportgen.compare.verdicts import Overall
from reportgen.reports.formats import change_words, human_bytes, signed_bytes

OVERALL_WORDS: Mapping[Overall, str] = {
    "over": "over budget or capacity",
    "grown": "more than allowed",
    "cannot judge": "cannot be judged",
    "unsound": "cannot be judged, a dump is unsound",
}
"""What follows a headline where the builds do not pass."""

_MOST_FLAGS = 5


def headline(module: ModuleComparison) -> str:
    """Return one line: by how much the need of the main space changed, and of one that changed even more, if any."""
    before, after = module.figures
    if before is None:
        return "new"
    if after is None:
        return "missing"
    unknown = unknown_words(module)
    if module.status == "same":
        return f"no known figure changed; {unknown}" if unknown else "no change"
    color, most = module.main_color, module.most_changed
    # A module that changed has a memory space.
    assert color is not None
    assert most is not None
    old, new = module.needs[color]
    if old == new:
        same = f"the same need in {_space_name(module, color)}"
        return f"{same}; {unknown}" if unknown else f"{same}, with other contents"
    words = f"{change_words(old, new)} in {_space_name(module, color)}"
    old, new = module.needs[most]
    if most != color:
        words += f", {signed_bytes(new - old)} in {_space_name(module, most)}"
    return f"{words}; {unknown}" if unknown else words


def unknown_words(module: ModuleComparison) -> str:
    """Return on which side a peak is not known; empty where all are, or where both sides have the same content."""
    if module.paired_by == "content":
        return ""
    unknown = [
        side is not None and any(space.peak_resident_bytes is None for space in side.spaces.values())
        for side in module.figures
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


def _space_name(module: ModuleComparison, color: int) -> str:
    """Return the name of a space; one that is gone has that from before."""
    return next(side.spaces[color].name for side in reversed(module.figures) if side and color in side.spaces)


def fit_words(module: ModuleComparison) -> tuple[str, bool]:
    """Return whether the module fits its device now, and whether it does not; empty where nothing says so.

    What counts is what it needs, as everywhere, and that the compiler accepts it.
    """
    before, after = module.device_fits
    fit = after.fits.get(MAIN_SPACE)
    if after.fits_device is None or module.figures[1] is None:
        return "", False
    if after.fits_device:
        left = f": {human_bytes(-fit.excess_bytes)} left" if fit else ""
        now = " now" if before.fits_device is False else ""
        return f"fits{now}{left}", False
    over = next((space_fit for space_fit in after.fits.values() if space_fit.is_over), None)
    how = f", by {human_bytes(over.excess_bytes)}" if over else ": the compiler refused it"
    start = {True: "no longer fits", False: "still does not fit", None: "does not fit"}[before.fits_device]
    return f"{start}{how}", True


def with_fit(words: str, module: ModuleComparison) -> str:
    """Return words about a module, and whether it fits its device now, if that is known."""
    fits, _ = fit_words(module)
    return f"{words}; {fits}" if fits else words


def input_words(module: ModuleComparison) -> str:
    """Return what differs in the input of the two compilations, as far as files beside the dumps say."""
    difference = module.input_difference
    if difference is None:
        return ""
    words = []
    if difference.same_program is not None:
        words.append("the same program" if difference.same_program else "a different program")
    if difference.differing_flags is not None:
        words.append(_flag_words(difference.differing_flags))
    if difference.same_compiler is not None:
        words.append("the same compiler" if difference.same_compiler else "a different compiler")
    if all(word.startswith("the same") for word in words) and len(words) == 3 and module.status != "same":
        words.append("so the compiler is not deterministic here")
    text = ", ".join(words)
    return text[:1].upper() + text[1:]


def _flag_words(differing: Sequence[str]) -> str:
    """Return how many flags differ, with the names of the first."""
    if not differing:
        return "the same flags"
    differ = "1 flag differs" if len(differing) == 1 else f"{len(differing)} flags differ"
    names = ", ".join(differing[:_MOST_FLAGS])
    more = ", …" if len(differing) > _MOST_FLAGS else ""
    return f"{differ} ({names}{more})"


def matched_words(module: ModuleComparison) -> str:
    """Return how many values were recognised, in one sentence."""
    if module.comparison is None:
        return ""
    matching = module.comparison.matching
    counts, total = matching.grades, len(matching.before)
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
    "retyped": "same operation, op_name and number of elements, another shape",
    "reopcoded": "same op_name and number of elements, another operation",
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
