"""What advice said of a change to a program, beside what the change really did to its peak.

Which change separates two programs is read off their dumps: arguments that became donated, operations that became
recomputed, other shapes. Pairs that differ in more than one way are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.arguments import Argument, results
from reportgen.advice.context import AdviceContext
from reportgen.advice.donation import donate
from reportgen.advice.memory import memory_of
from tests.advice.recompiled import Variant

_XLA_PEAK = "peak_memory_in_bytes"
_PRODUCT = "dot_general"
_NOTHING_PART = 10_000
OTHER_ORDER = "another order of dimensions"


@dataclass(frozen=True, slots=True)
class Row:
    """What advice said of a change, and what it really did. `high` is the most of a range; sizes are bytes."""

    change: str
    case: str
    peak: int
    naive: int
    predicted: int | None
    high: int | None
    actual: int
    note: str = ""

    @property
    def error(self) -> float | None:
        """The distance of the actual saving from what was predicted, as a part of the peak."""
        if self.predicted is None:
            return None
        high = self.predicted if self.high is None else self.high
        nearest = min(max(self.actual, self.predicted), high)
        return (nearest - self.actual) / self.peak

    def cells(self) -> tuple[str, ...]:
        error = self.error
        nothing = "nothing promised"
        range_end = "" if self.high is None else f" … {_mib(self.high)}"
        predicted = nothing if self.predicted is None else _mib(self.predicted) + range_end
        of_saving = (
            ""
            if error is None or abs(self.actual) * _NOTHING_PART < self.peak
            else f"{error * self.peak / abs(self.actual):+.1%}"
        )
        of_peak = "" if error is None else f"{error:+.2%}"
        return (
            self.change, self.case, _mib(self.peak), _mib(self.naive), predicted, _mib(self.actual), of_saving, of_peak,
            self.note,
        )  # fmt: skip


def rows(found: Sequence[Variant]) -> Iterator[Row]:
    """Compare all variants of each case in pairs, and yield those that one change separates."""
    for before, after in permutations(found, 2):
        cases = sorted((before.case, after.case))
        if before.backend == after.backend and cases[1].removeprefix(cases[0]) in ("", "2"):
            yield from _of_pair(before, after)


def _of_pair(before: Variant, after: Variant) -> Iterator[Row]:
    donated = after.donated - before.donated
    is_recomputed = bool(after.recomputed) and not before.recomputed
    if before.donated - after.donated or (before.recomputed and not after.recomputed):
        return
    if before.shapes != after.shapes:
        if not donated and not is_recomputed and before.loops == after.loops:
            yield from _of_shapes(before, after)
    elif before.result_shapes != after.result_shapes:
        if not donated and before.is_alike(after):
            yield from _of_results(before, after)
    elif is_recomputed:
        if before.loops == after.loops:
            yield from _joint(before, after, donated) if donated else _checkpoint(before, after)
    elif donated:
        yield from _donation(before, after, donated)
    elif before.name == "base":
        yield from _of_order(before, after)


def _row(before: Variant, after: Variant, change: str, suggestion: Suggestion | None, note: str = "") -> Row:
    actual = before.peak_bytes - after.peak_bytes
    stated = before.figures.get(_XLA_PEAK, 0) - after.figures.get(_XLA_PEAK, 0)
    is_like_ours = abs(before.figures.get(_XLA_PEAK, 0) - before.peak_bytes) * 100 <= before.peak_bytes
    if before.backend == "gpu" and is_like_ours and abs(stated - actual) * 100 > before.peak_bytes:
        note = "; ".join(filter(None, (note, f"by XLA's own figures {_mib(stated)}")))
    return Row(
        change=change,
        case=f"{before.backend} {before.case}/{before.name} → {after.name}",
        peak=before.peak_bytes,
        naive=suggestion.involved_bytes if suggestion else 0,
        predicted=suggestion.saving_bytes if suggestion else None,
        high=suggestion.saving_high_bytes if suggestion else None,
        actual=actual,
        note=note,
    )


def _donation(before: Variant, after: Variant, donated: frozenset[str]) -> Iterator[Row]:
    """Predict the donation of the arguments that the second program donates and the first does not."""
    names = {argument.name for argument in before.arguments if argument.path in donated}
    suggestions = [suggestion for suggestion in before.advice.suggestions if suggestion.kind == "donate"]
    suggestion = next((suggestion for suggestion in suggestions if set(suggestion.argument_names) == names), None)
    if suggestion is None and suggestions:
        memory = memory_of(before.analysis, before.space)
        chosen = [argument for argument in before.arguments if argument.name in names]
        donation = donate(memory, chosen, results(before.analysis, before.space), copies_early=False)
        saving = memory.peak.peak_bytes - donation.after.peak.peak_bytes
        suggestion = replace(suggestions[0], saving_bytes=saving, involved_bytes=donation.matching_bytes, reason="")
    reason = suggestion.reason if suggestion and not suggestion.saving_bytes else ""
    yield _row(before, after, f"donate {', '.join(sorted(names))}", suggestion, reason)


def _best_checkpoint(suggestions: Sequence[Suggestion]) -> Suggestion | None:
    """Return the checkpoint that advice puts first: around whole layers, or the body of the loop over them."""
    return next(
        (suggestion for suggestion in suggestions if suggestion.kind in ("checkpoint", "checkpoint-loop")), None
    )


def _checkpoint(before: Variant, after: Variant) -> Iterator[Row]:
    """Predict checkpoints around whole parts; a policy that keeps some operations is another change."""
    suggestion = None if _has_policy(before, after) else _best_checkpoint(before.advice.suggestions)
    early = next((m for m in after.advice.suggestions if m.kind == "recomputed-early"), None)
    note = "a policy keeps the matrix products" if _has_policy(before, after) else ""
    if early and before.backend == "cpu":
        note = f"after it, {len(early.buffers)} recomputed buffers wait over the peak: {_mib(early.saving_bytes)} of it"
    yield _row(before, after, suggestion.what if suggestion else "checkpoint", suggestion, note)


def _has_policy(before: Variant, after: Variant) -> bool:
    """Return whether a checkpoint keeps matrix products, as its variant's name says, or because none is recomputed."""
    is_named = any(word in after.name for word in ("dots", "policy", "saveable"))
    has_products = any(_PRODUCT in name for name in before.operations)
    return is_named or (has_products and not any(_PRODUCT in name for name in after.recomputed))


def _joint(before: Variant, after: Variant, donated: frozenset[str]) -> Iterator[Row]:
    """Compare the sequence, computed on the changed model, with the sum of its suggestions alone."""
    names = {argument.name for argument in before.arguments if argument.path in donated}
    sequence = before.advice.combined
    kinds = {suggestion.kind for suggestion in sequence[:2]}
    if kinds not in ({"donate", "checkpoint"}, {"donate", "checkpoint-loop"}) or _has_policy(before, after):
        return
    donation = next(suggestion for suggestion in before.advice.suggestions if suggestion.kind == "donate")
    if set(donation.argument_names) != names:
        return
    alone = _best_checkpoint(before.advice.suggestions)
    least = sequence[1].saving_bytes
    total = donation.saving_bytes + (alone.saving_bytes if alone else 0)
    suggestion = replace(sequence[1], involved_bytes=total)
    actual = before.peak_bytes - after.peak_bytes
    is_nearer = abs(least - actual) < abs(total - actual)
    note = f"naive: the sum of both; the joint one is {'nearer' if is_nearer else '**not nearer**'}"
    yield _row(before, after, "donate + checkpoint", suggestion, note)


def _of_results(before: Variant, after: Variant) -> Iterator[Row]:
    """Predict a result that is not returned any more; one that is new is the same change backwards."""
    left = list(before.result_shapes)
    for shape in after.result_shapes:
        if shape not in left:
            return
        left.remove(shape)
    found = [suggestion for suggestion in before.advice.suggestions if suggestion.kind == "unreturned-result"]
    suggestion = next(
        (suggestion for suggestion in found if left == [before.program.shape(suggestion.buffers[0])]), None
    )
    yield _row(before, after, f"do not return {', '.join(left)}", suggestion)


def _of_shapes(before: Variant, after: Variant) -> Iterator[Row]:
    """Predict another batch, another size of a padded dimension, or nothing for another order of dimensions."""
    if len(before.result_shapes) != len(after.result_shapes):
        return
    factor = _batch_factor(before, after) if before.is_alike(after) else None
    if factor:
        yield _of_batch(before, after, factor)
        return
    pairs = zip(sorted(before.arguments, key=_path), sorted(after.arguments, key=_path), strict=False)
    changed = [(one, other) for one, other in pairs if one.shape != other.shape]
    if not changed or [path for path, _ in before.shapes] != [path for path, _ in after.shapes]:
        return
    padding = next((suggestion for suggestion in before.advice.suggestions if suggestion.kind == "padding"), None)
    if any(one.shape.partition("[")[0] != other.shape.partition("[")[0] for one, other in changed):
        yield _row(before, after, "another element type", None)
    elif all(before.program.dimensions(one.number) == after.program.dimensions(other.number) for one, other in changed):
        yield _row(before, after, OTHER_ORDER, None)
    elif padding and before.space.padding_bytes > after.space.padding_bytes:
        yield _row(before, after, "another size of a padded dimension", padding, "at least")


def _path(argument: Argument) -> tuple[str, int]:
    return argument.path, argument.parameter


def _batch_factor(before: Variant, after: Variant) -> float | None:
    """Return by how much the first dimension of some arguments grew, all others being equal."""
    ratios = set()
    for (path, one), (other_path, other) in zip(before.shapes, after.shapes, strict=False):
        sizes, others = _sizes(one), _sizes(other)
        if one.partition("[")[0] != other.partition("[")[0]:
            return None
        if path != other_path or len(sizes) != len(others) or sizes[1:] != others[1:]:
            return None
        if sizes != others and sizes[0]:
            ratios.add(others[0] / sizes[0])
    return ratios.pop() if len(ratios) == 1 and len(before.shapes) == len(after.shapes) else None


def _sizes(shape: str) -> list[int]:
    return [int(size) for size in shape.partition("[")[2].rstrip("]").split(",") if size.isdigit()]


def _of_batch(before: Variant, after: Variant, factor: float) -> Row:
    found = AdviceContext(before.analysis, before.space).batch
    suggestion = next((suggestion for suggestion in before.advice.suggestions if suggestion.kind == "batch"), None)
    if found and suggestion:
        suggestion = replace(suggestion, saving_bytes=before.peak_bytes - found.peak(factor).peak_bytes)
    return _row(before, after, f"batch × {factor:g}", suggestion)


def _of_order(before: Variant, after: Variant) -> Iterator[Row]:
    """Show what was made early in programs whose change does not show in what they take and return."""
    early = next((suggestion for suggestion in before.advice.suggestions if suggestion.kind == "made-early"), None)
    if early and "barrier" in after.name:
        note = f"{len(early.buffers)} buffers made early; a finding of this schedule, no promise for a barrier"
        yield replace(_row(before, after, "optimization_barrier", None, note), naive=early.saving_bytes)


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):,.2f}"
