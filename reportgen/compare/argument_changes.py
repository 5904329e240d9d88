"""Say what changed in the arguments of a function between two builds, which may be why it needs more memory."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile

from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.figures import FIGURES
from reportgen.compare.history import Amounts, Arguments, PeakOrigin
from reportgen.record import record
from reportgen.reports.formats import STEP, UNITS, counted, distinct_bytes, human_bytes, signed_bytes

_STATIC, _TEMPORARY, _SLACK = FIGURES.index("static"), FIGURES.index("peak_temp"), FIGURES.index("slack")
_NEEDED = FIGURES.index("needed")
_PART = re.compile(r"\[[^\]]*\]?|\{[^}]*\}?|\.?[^\[.{]+")
_MOST_NAMES, _MOST_SHAPES = 2, 3
_LEAST_PART = 1000

_ByName = Mapping[str, Sequence[SiblingArguments]]


@record(kw_only=False)
class _ArgumentChange:
    """What changed in some arguments, and whether that alone adds memory (1), frees some (-1), or may do either (0).

    `most_bytes` is what it adds or frees at most; None where temporaries follow it, as they follow a batch.
    """

    words: str
    direction: int
    most_bytes: int | None = None

    def explains(self, change_bytes: int) -> bool:
        """Return whether this may be why a peak changed by so many bytes, or at least by half of them."""
        is_enough = self.most_bytes is None or 2 * self.most_bytes >= abs(change_bytes)
        return is_enough and self.direction * change_bytes >= 0


def argument_changes(before: Arguments, after: Arguments) -> Sequence[str]:
    """Return what is new, gone, of another shape and donated or no longer; empty where the arguments are not known."""
    return [change.words for change in _changes(before, after)]


def argument_causes(before: Arguments, after: Arguments, change_bytes: int) -> Sequence[str]:
    """Return the changes of the arguments that may explain why a peak grew or shrank; all for one that did not."""
    return [change.words for change in _changes(before, after) if change.explains(change_bytes)]


def shape_change(before: Arguments, after: Arguments) -> str:
    """Return the first argument of another shape with that shape, `batch s32[2,2049]`; empty if none has."""
    old, new = _by_name(before), _by_name(after)
    return next((f"{_plain(name)} {', '.join(_shapes(new[name]))}" for name in _reshaped(old, new)), "")


def cause_words(
    before: Arguments,
    after: Arguments,
    amounts: tuple[Amounts, Amounts],
    origins: tuple[PeakOrigin, PeakOrigin],
    main_change_bytes: int = 0,
) -> Sequence[str]:
    """Return what changed between two builds, and by how much memory of the caller, temporaries and slack then did.

    `amounts` are the figures of a memory space before and after, and `origins` where their peaks come from. What was
    done to the program is the same in every space: it explains `main_change_bytes`, by which the main memory changed,
    or if that is 0 the change of this space. The main causes come first: changes of the arguments that may explain it,
    and what other shapes did against them. Without these, it is the memory that changed. What is not named is said
    where figures do not add up.
    """
    known, moved = argument_changes(before, after), _moved(*amounts)
    change = sum(moved.values())
    explained = main_change_bytes or change
    causes = list(argument_causes(before, after, explained))
    parts = _part_words(moved, (amounts[1][_NEEDED] or 0) - (amounts[0][_NEEDED] or 0))
    if causes:
        old, new = _by_name(before), _by_name(after)
        resized = (change.words for change in _resized(_reshaped(old, new), old, new))
        causes += [words for words in resized if words not in causes]
    else:
        causes, parts = parts, []
    others = [words for words in known if words not in causes]
    if before and after and not known:
        others = ["arguments unchanged"]
    others += _checkpoints(*origins)
    return list(filter(None, ["; ".join(causes), _largest_line(*origins, change), "; ".join([*parts, *others])]))


def _part_words(moved: Mapping[str, int], total: int) -> list[str]:
    """Return the parts of a change, the largest first, and the rest, with digits enough that they add up as rounded."""
    parts = dict(sorted(moved.items(), key=lambda part: -abs(part[1])))
    if parts and signed_bytes(total) != signed_bytes(sum(parts.values())):
        parts["everything else"] = total - sum(parts.values())
    more_digits = int(signed_bytes(sum(map(_rounded, parts.values()))) != signed_bytes(total))
    unit = human_bytes(abs(total))[-3:]
    return [
        f"{words} {signed_bytes(size, more_digits if human_bytes(abs(size)).endswith(unit) else 0)}"
        for words, size in parts.items()
    ]


def _rounded(size: int) -> int:
    """Return the bytes that a size in words stands for."""
    number, unit = human_bytes(abs(size)).replace(",", "").split()
    return round(float(number) * float(STEP) ** ("B", *UNITS).index(unit)) * (1 if size > 0 else -1)


def _checkpoints(before: PeakOrigin, after: PeakOrigin) -> Iterator[str]:
    """Yield that checkpoints were added or removed; whether what changed is in their scopes, no figure says."""
    flops = before.again_flops, after.again_flops
    if None not in flops and 0 in flops and flops[0] != flops[1]:
        yield f"checkpoints {'added' if flops[1] else 'removed'}"


def _largest_line(before: PeakOrigin, after: PeakOrigin, change_bytes: int) -> str:
    """Return which source line has the most bytes of each peak; empty where that is unknown or against the change."""
    line_change = after.size_bytes - before.size_bytes
    if not before.line or not after.line or line_change * change_bytes <= 0:
        return ""
    sizes = distinct_bytes(before.size_bytes, after.size_bytes)
    # The number of a line may change with the program, so lines are not paired.
    if before.line == after.line:
        return f"largest line {after.line}: {' → '.join(sizes)}"
    return f"largest line: {before.line} {sizes[0]} → {after.line} {sizes[1]}"


def shape_words(arguments: Arguments) -> str:
    """Return the largest arguments with their shapes, and how many others there are."""
    largest = sorted(arguments, key=lambda group: (-group.size_bytes, group.name, group.shape))
    words = [
        (f"{group.arrays:,} × " if group.arrays > 1 else "") + f"{_plain(group.name)} {group.shape}"
        for group in largest[:_MOST_SHAPES]
    ]
    if rest := sum(group.arrays for group in largest[_MOST_SHAPES:]):
        words.append(f"{rest:,} more")
    return ", ".join(words)


def _changes(before: Arguments, after: Arguments) -> Iterator[_ArgumentChange]:
    """Yield what is new, gone, more or fewer, of another shape, and donated or no longer."""
    if not before or not after:
        return
    old, new = _by_name(before), _by_name(after)
    both = [name for name in new if name in old]
    yield from _set_changes("new", 1, [group for name in new if name not in old for group in new[name]])
    yield from _set_changes("gone", -1, [group for name in old if name not in new for group in old[name]])
    yield from _count_changes([(name, _arrays(old[name]), _arrays(new[name])) for name in both])
    yield from _resized(_reshaped(old, new), old, new)
    donated = [sum(group.donated_bytes for group in groups) for groups in (before, after)]
    sizes = " → ".join(distinct_bytes(*donated))
    donated_before, donated_after = _donated(old), _donated(new)
    for words, direction, names in (
        ("now donated", -1, donated_after - donated_before),
        ("no longer donated", 1, donated_before - donated_after),
    ):
        if names := names & set(both):
            yield _ArgumentChange(
                f"{words}: {_whole(sorted(names))} ({sizes})", direction, abs(donated[1] - donated[0])
            )


def _by_name(arguments: Arguments) -> _ByName:
    ordered = sorted(arguments, key=lambda group: group.name)
    return {name: list(groups) for name, groups in groupby(ordered, key=lambda group: group.name)}


def _set_changes(word: str, direction: int, groups: Sequence[SiblingArguments]) -> Iterator[_ArgumentChange]:
    if groups:
        size = sum(group.size_bytes for group in groups)
        arrays = counted(_arrays(groups), "argument")
        names = _whole([group.name for group in groups])
        yield _ArgumentChange(f"{word}: {arrays} of {human_bytes(size)}, {names}", direction, size)


def _count_changes(changes: Sequence[tuple[str, int, int]]) -> Iterator[_ArgumentChange]:
    """Yield for each pair of numbers which arguments there are more or fewer of."""
    by_numbers = sorted((before, after, name) for name, before, after in changes if before != after)
    for (before, after), group in groupby(by_numbers, key=lambda change: change[:2]):
        words = f"{before:,} → {after:,} arrays of {_named([name for *_, name in group])}"
        yield _ArgumentChange(words, 1 if after > before else -1)


def _reshaped(old: _ByName, new: _ByName) -> Sequence[str]:
    return [name for name in new if name in old and _shapes(old[name]) != _shapes(new[name])]


def _resized(names: Sequence[str], old: _ByName, new: _ByName) -> Iterator[_ArgumentChange]:
    """Yield the arguments of another shape: the one with its shapes, or several with their bytes."""
    if not names:
        return
    before, after = (", ".join(_shapes(side[names[0]])) for side in (old, new))
    old_bytes, new_bytes = (sum(group.size_bytes for name in names for group in side[name]) for side in (old, new))
    words = f"shape changed: {_plain(names[0])} {before} → {after}"
    if len(names) > 1:
        sizes = " → ".join(distinct_bytes(old_bytes, new_bytes))
        words = f"{len(names):,} arguments of another shape: {_whole(names)} ({sizes})"
    yield _ArgumentChange(words, (new_bytes > old_bytes) - (new_bytes < old_bytes))


def _arrays(groups: Sequence[SiblingArguments]) -> int:
    return sum(group.arrays for group in groups)


def _shapes(groups: Sequence[SiblingArguments]) -> Sequence[str]:
    return sorted({group.shape for group in groups})


def _donated(groups: _ByName) -> frozenset[str]:
    return frozenset(name for name, of_name in groups.items() if any(group.donated_bytes for group in of_name))


def _named(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(map(_plain, names)))
    words = different[:_MOST_NAMES]
    if len(different) > _MOST_NAMES:
        words.append(f"{len(different) - _MOST_NAMES:,} more")
    return ", ".join(words)


def _plain(name: str) -> str:
    """Return the name of arguments that differ in numbers, `opt_state[…].mu`, without a number at its end."""
    return name.removesuffix("[#]").replace("#", "…")


def _whole(names: Iterable[str]) -> str:
    """Return what these arguments are parts of, `state['mu']` for `state['mu']['w']` and `state['mu']['b']`."""
    by_top: dict[str, list[list[str]]] = {}
    for name in names:
        parts = _PART.findall(name) or [name]
        by_top.setdefault(parts[0], []).append(parts)
    # Up to the first part that differs.
    common = (takewhile(lambda column: len(set(column)) == 1, zip(*paths, strict=False)) for paths in by_top.values())
    return _named(["".join(column[0] for column in columns) for columns in common])


def _moved(before: Amounts, after: Amounts) -> Mapping[str, int]:
    """Return by how many bytes the memory of the caller, the temporaries and slack changed, without what is tiny."""
    moved = {}
    parts = (_STATIC, "arguments, outputs and constants"), (_TEMPORARY, "temporaries"), (_SLACK, "slack")
    for place, words in parts:
        old, new = before[place], after[place]
        if old is not None and new is not None and old != new:
            moved[words] = new - old
    most = max(map(abs, moved.values()), default=0)
    return {words: change for words, change in moved.items() if abs(change) * _LEAST_PART >= most}
