"""Say in a few words why a peak changed: what happened to how many buffers, and where most of that is."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from reportgen.compare.argument_changes import argument_causes, argument_changes
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison, TermGroup
from reportgen.compare.terms import JoinedStep, Kind, Term
from reportgen.parse.stack_frames import Frame
from reportgen.program.scopes import REMATERIALIZED, path
from reportgen.record import record
from reportgen.reports.formats import counted, end_of, human_flops, signed_bytes, signed_percent
from reportgen.reports.source_words import line_words

_LONGEST_NAME = 40
_LEAST_PART = 20
"""What changed most in a step is named if it is at least this part of it."""


class Reason(NamedTuple):
    """A step as a phrase, such as `35 temporary buffers are gone`, or a change of the arguments, which is no step.

    `largest` is the part of the program that changed most in it, None where nothing is known, and `note` what else is
    to be said of it.
    """

    words: str
    change_bytes: int
    step: JoinedStep | None = None
    largest: TermGroup | None = None
    note: str = ""

    @property
    def kind(self) -> Kind | None:
        """Return the kind that names the step."""
        return self.step.kind if self.step else None

    @property
    def most(self) -> str:
        """Return what stands before the largest part: it may be less than half."""
        size, line = (self.largest.change_bytes, self.largest.line) if self.largest else (0, "")
        share = "mainly" if 2 * abs(size) >= abs(self.change_bytes) else "the largest part"
        return f"{share} in" if line else share

    @property
    def short(self) -> str:
        """Return the last parts of the name of the largest part."""
        return end_of(self.largest.name, _LONGEST_NAME) if self.largest else ""

    @property
    def sentence(self) -> str:
        """Return `35 temporary buffers are gone (−3.00 GiB), mainly in attention (step.py:41)`."""
        place = f"{self.short} ({self.largest.line})" if self.largest and self.largest.line else self.short
        most = f", {self.most} {place}" if self.largest else ""
        size = f" ({signed_bytes(self.change_bytes)})" if self.step else ""
        return f"{self.words}{size}{most}"


@record(kw_only=False)
class Recomputation:
    """A change of the work that is done again: `XLA recomputes 4.33 TFLOP more`, `+42.0 % matrix work`.

    The share is of the work before, without what XLA computed again, as that of a suggestion is.
    """

    words: str
    share: str
    change_flops: int
    cause: str = ""
    """What was done to the program: `checkpoints added`, or `more is checkpointed` in one that does the same work."""

    @property
    def sentence(self) -> str:
        """Return the words with the share."""
        return f"{self.words} ({self.share})" if self.share else self.words


@record
class Why:
    """Why the need of the main memory space changed; `reason` is the first change of the arguments that may explain it.

    Without one, it is the first of the `steps`: the largest in the direction of the change, or two where that is less
    than half of it. The first has the checkpoints that may have made it. `likely` is how much more or less is
    recomputed if that may explain the change, and `others` if not. None and empty where nothing is known.
    """

    reason: Reason | None
    steps: Sequence[Reason]
    likely: Sequence[Recomputation]
    others: Sequence[Recomputation]

    @property
    def net(self) -> str:
        """Return how much less or more is recomputed in all, `3.71 TFLOP less in all`; empty for one change or none."""
        changes = [each.change_flops for each in (*self.likely, *self.others)]
        net = sum(changes)
        return f"{human_flops(abs(net))} {'more' if net > 0 else 'less'} in all" if len(changes) > 1 and net else ""


def causes(module: ModuleComparison) -> Sequence[str]:
    """Return the main cause and how recomputation changed, the likeliest first; empty where nothing is known."""
    known = why(module)
    main = [known.reason.sentence] if known.reason else []
    return [*(change.sentence for change in known.likely), *main, *(change.sentence for change in known.others)]


def why(module: ModuleComparison) -> Why:
    """Return why the need of the main memory space changed."""
    likely, others = recomputation(module)
    steps = _main_steps(module, likely)
    before, after = module.figures
    change = module.main_needs[1] - module.main_needs[0]
    words = argument_causes(before.arguments, after.arguments, change)[:1] if before and after else ()
    reasons = [Reason(first, change) for first in words]
    return Why(reason=next(iter([*reasons, *steps]), None), steps=steps, likely=likely, others=others)


def recomputation(module: ModuleComparison) -> tuple[Sequence[Recomputation], Sequence[Recomputation]]:
    """Return how much more or less is recomputed: what may explain the change of the need, and what does not.

    Recomputing more lowers the need. What is unknown in either build is left out.
    """
    likely, others = list[Recomputation](), list[Recomputation]()
    before, after = module.figures
    if before is None or after is None:
        return likely, others
    change_of_need = module.main_needs[1] - module.main_needs[0]
    by_xla = before.work.again_by_xla, after.work.again_by_xla
    by_checkpoint = before.work.again_by_checkpoint, after.work.again_by_checkpoint
    flops = before.work.matmul_flops or 0, after.work.matmul_flops or 0
    for who, again, rest in ("XLA recomputes", by_xla, by_checkpoint), ("checkpoints recompute", by_checkpoint, by_xla):
        if again[0] is None or again[1] is None or again[0] == again[1]:
            continue
        change = again[1] - again[0]
        of_all = flops[1] - (rest[1] or 0) - flops[0] + (rest[0] or 0)
        if not min(of_all, 0) <= change <= max(of_all, 0):
            continue  # because the programs differ in other work, too
        own = flops[0] - (by_xla[0] or 0)
        share = signed_percent(own, own + change)
        words = f"{who} {human_flops(abs(change))} {'more' if change > 0 else 'less'}"
        cause, is_likely = "", change * change_of_need < 0
        if who == "checkpoints recompute":
            is_likely = is_likely and _is_of_checkpoints(module, int(change > 0))
            if 0 in again:
                cause = f"checkpoints {'added' if change > 0 else 'removed'}"
            elif of_all == change:
                cause = f"{'more' if change > 0 else 'less'} is checkpointed"
        (likely if is_likely else others).append(
            Recomputation(words, f"{share} matrix work" if share else "", change, cause)
        )
    return likely, others


def _is_of_checkpoints(module: ModuleComparison, side: int) -> bool:
    """Return whether half of the largest step is made in the scopes and functions that checkpoints of a side run again.

    Where the steps are not known, nothing says that it is not.
    """
    step = next(iter(_largest_steps(module)), None)
    if module.comparison is None or step is None or step.step is None:
        return True
    running, making = (module.comparison.graphs[at].analysis for at in (side, 1 - side))
    again = {
        _part(op_name, running.program.stack(name))
        for name, op_name in zip(running.dump.schedule.names, running.program.op_names, strict=True)
        if REMATERIALIZED in op_name
    }
    made = ((term.before if side else term.after, abs(term.change_bytes)) for term in step.step.terms)
    found = ((making.authors.of(value), size) for value, size in made if value is not None)
    inside = sum(size for author, size in found if _part(author.scope, author.stack) in again)
    return 2 * inside >= abs(step.change_bytes)


def _part(op_name: str, stack: Sequence[Frame]) -> tuple[Sequence[str], str]:
    """Return the scopes of an operation and the user's function that it is in."""
    return path(op_name), next((frame.function for frame in stack if not frame.is_of_library), "")


def _largest_steps(module: ModuleComparison) -> list[Reason]:
    """Return the largest step in the direction of the change, or two where it is less than half of it."""
    change, space = module.main_needs[1] - module.main_needs[0], module.main_space
    if module.comparison is None or space is None:
        return []
    slack = slack_reason(space)
    steps: list[JoinedStep | Reason] = [step for step in space.steps if step.change_bytes]
    if slack and slack.change_bytes * change > 0:
        steps.append(slack)
    steps.sort(key=lambda step: (step.change_bytes * change < 0, -abs(step.change_bytes)))
    is_half = not steps or 2 * abs(steps[0].change_bytes) >= abs(change)
    largest = steps[:1] + [step for step in steps[1:2] if not is_half and step.change_bytes * change > 0]
    # Only these are described, because that takes as long as a step has terms.
    return [step if isinstance(step, Reason) else step_reason(module.comparison, space, step) for step in largest]


def _main_steps(module: ModuleComparison, likely: Sequence[Recomputation]) -> Sequence[Reason]:
    """Return the largest steps, the first with what was done to the program if that is known."""
    steps = _largest_steps(module)
    made_by = next((again.cause for again in likely if again.cause), "")
    if made_by and steps and steps[0].step and steps[0].step.is_of_temporaries:
        steps[0] = steps[0]._replace(words=f"{made_by}: {steps[0].words}")
    return steps


def space_reasons(comparison: DumpComparison, space: SpaceComparison) -> list[Reason]:
    """Return the steps from one need of a memory space to the other, slack among them, the largest first."""
    slack = slack_reason(space)
    steps = [step_reason(comparison, space, step) for step in space.steps]
    return sorted([*steps, *([slack] if slack else [])], key=lambda step: -abs(step.change_bytes))


def slack_reason(space: SpaceComparison) -> Reason | None:
    """Return the change of slack, which is needed above the peak; None where it is the same or a peak is unknown."""
    if space.change_bytes is None or space.need_change_bytes == space.change_bytes:
        return None
    change = space.need_change_bytes - space.change_bytes
    words = f"{'more' if change > 0 else 'less'} slack above the peak"
    return Reason(words, change, note="alignment and gaps between buffers")


def other_facts(module: ModuleComparison, known: Why) -> Sequence[str]:
    """Return what else is known of two builds: whether the arguments changed, and recomputation that explains nothing.

    The first change of the arguments is left out where it is the main reason.
    """
    before, after = module.figures
    arguments: Sequence[str] = ()
    if before and after and before.arguments and after.arguments:
        arguments = argument_changes(before.arguments, after.arguments) or ["arguments unchanged"]
    again = [change.sentence for change in known.others]
    return [*(words for words in arguments if known.reason is None or words != known.reason.words), *again]


def step_reason(comparison: DumpComparison, space: SpaceComparison, step: JoinedStep) -> Reason:
    """Return a step of a memory space with its largest group, unless that is only a small part of it.

    A peak that moved has none: the place to which it moved is in the words.
    """
    named = () if step.has_moved else comparison.groups(step.terms)
    largest = next((group for group in named if group.change_bytes * step.change_bytes >= 0), None)
    if largest and abs(largest.change_bytes) * _LEAST_PART < abs(step.change_bytes):
        largest = None
    return Reason(_words(comparison, space, step), step.change_bytes, step, largest)


def _words(comparison: DumpComparison, space: SpaceComparison, step: JoinedStep) -> str:
    if step.kind == "to another space":
        return f"{counted(len(step.terms), 'buffer')} moved {_route(comparison, step)}"
    if step.has_moved:
        return f"{step.sentence}{_place_of_peak(comparison, space)}"
    return step.sentence


def _place_of_peak(comparison: DumpComparison, space: SpaceComparison) -> str:
    """Return where in the program the peak is now, ` to attention at step.py:41`; empty where nothing names it."""
    value = value_at_peak(comparison, space, 1)
    labels = None if value is None else comparison.graphs[1].labels(value)
    if labels is None or not labels.part:
        return ""
    line = line_words(labels.line)
    return f" to {labels.part} at {line}" if line else f" to {labels.part}"


def value_at_peak(comparison: DumpComparison, space: SpaceComparison, side: int) -> int | None:
    """Return what the instruction at the peak of a side writes; None where no graph has it."""
    of_side, graph = (space.before, space.after)[side], comparison.graphs[side]
    peak = of_side.peak_resident if of_side else None
    if peak is None or peak.moment not in graph.moments:
        return None
    return next(iter(graph.leaves[graph.moments.index(peak.moment)]), None)


def _route(comparison: DumpComparison, step: JoinedStep) -> str:
    """Return where buffers moved: `to host`, `from VMEM`, `to and from VMEM`, or both."""
    ways = Counter[tuple[str, str]]()
    for term in step.terms:
        is_leaving = term.kind == "to another space"
        way, side, value = ("to", 1, term.after) if is_leaving else ("from", 0, term.before)
        ways[way, _space(comparison, side, value, term)] += abs(term.change_bytes)
    most = [way for way, _ in ways.most_common(2)]
    if len({space for _, space in most}) < len(most):
        return f"to and from {most[0][1]}"
    return " and ".join(f"{way} {space}" for way, space in most)


def _space(comparison: DumpComparison, side: int, value: int | None, term: Term) -> str:
    """Return the memory space of a value, or of the partner of one that the other side has."""
    if value is None:
        matches = comparison.matching.before if side else comparison.matching.after
        own = term.before if side else term.after
        match = matches[own] if own is not None else None
        value = match.value if match else None
    if value is None:
        return "another memory space"
    measured = comparison.after if side else comparison.before
    color = measured.dump.allocations[measured.dump.values.allocations[value]].color
    return measured.spaces[color].name
