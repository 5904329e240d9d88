"""Say in a few words why a peak changed: what happened to how many buffers, and where most of that is."""

from collections import Counter
from collections.abc import Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.matmul_work import WorkFigures
from reportgen.compare.argument_changes import argument_changes
from reportgen.compare.builds import ModuleComparison
from reportgen.compare.dump_comparison import DumpComparison
from reportgen.compare.terms import JoinedStep, Kind, Term
from reportgen.record import record
from reportgen.reports.formats import counted, end_of, human_flops, percent, signed_bytes

_MOST = 3
_LONGEST_NAME = 40
_LEAST_PART = 20
"""A reason is worth a sentence if it is at least this part of the largest."""


@record
class Reason:
    """A step as a phrase, such as `35 temporary buffers are gone`; `kind` is that of the step.

    `subject` is the group of values that changed most in it, `short` its last parts, with its bytes and source line;
    empty where nothing is known.
    """

    kind: Kind
    words: str
    change_bytes: int
    subject: str
    short: str
    subject_bytes: int
    line: str


def argument_words(module: ModuleComparison) -> Sequence[str]:
    """Return what changed in the arguments of a module, such as `now donated: cache (0 B → 1.00 GiB)`."""
    before, after = module.figures
    return argument_changes(before.arguments, after.arguments) if before and after else ()


def causes(module: ModuleComparison) -> Sequence[str]:
    """Return the main cause and how recomputation changed, the likeliest first; empty where nothing is known."""
    likely, others = recomputation(module)
    return [*likely, *filter(None, [_main_cause(module)]), *others]


def recomputation(module: ModuleComparison) -> tuple[Sequence[str], Sequence[str]]:
    """Return how much more or less is recomputed: what may explain the change of the peak, and what does not.

    Recomputing more lowers the peak. Each is a phrase, such as `XLA recomputes 4.33 TFLOP more (0 % → 29.6 % of the
    matrix work)`; what is unknown in either build is left out.
    """
    likely, others = list[str](), list[str]()
    before, after = module.figures
    if before is None or after is None:
        return likely, others
    old, new = module.peaks.get(module.main_color or MAIN_SPACE, (0, 0))
    for who, again in (
        ("XLA recomputes", (before.work.again_by_xla, after.work.again_by_xla)),
        ("checkpoints recompute", (before.work.again_by_checkpoint, after.work.again_by_checkpoint)),
    ):
        if again[0] is None or again[1] is None or again[0] == again[1]:
            continue
        change = again[1] - again[0]
        shares = f"{_share(again[0], before.work)} → {_share(again[1], after.work)} of the matrix work"
        words = f"{who} {human_flops(abs(change))} {'more' if change > 0 else 'less'} ({shares})"
        (likely if change * (new - old) < 0 else others).append(words)
    return likely, others


def _share(flops: int, work: WorkFigures) -> str:
    """Return a part of the matrix work."""
    return percent(flops, work.matmul_flops or 0) if flops else "0 %"


def _main_cause(module: ModuleComparison) -> str:
    """Return the first change of the arguments or, without one, the largest step; empty where nothing is known."""
    if arguments := argument_words(module):
        return arguments[0]
    reason = next(iter(reasons(module)), None)
    if reason is None:
        return ""
    where = f" at {reason.line}" if reason.line else ""
    most = f", mainly {reason.short}{where}" if reason.subject else ""
    return f"{reason.words} ({signed_bytes(reason.change_bytes)}){most}"


def reasons(module: ModuleComparison) -> Sequence[Reason]:
    """Return the largest steps of the main memory space."""
    color = module.main_color
    if module.comparison is None or color is None or color not in module.comparison.spaces:
        return ()
    steps = sorted(module.comparison.spaces[color].steps, key=lambda step: -abs(step.change_bytes))
    largest = abs(steps[0].change_bytes) if steps else 0
    worth = [step for step in steps[:_MOST] if step.change_bytes and abs(step.change_bytes) * _LEAST_PART >= largest]
    return [_reason(module.comparison, step) for step in worth]


def _reason(comparison: DumpComparison, step: JoinedStep) -> Reason:
    """Return a step with its largest group, unless that is only a small part of it."""
    groups = comparison.named_terms(step.terms)
    largest = max(groups, key=lambda group: (abs(group.change_bytes), group.name), default=None)
    if largest and abs(largest.change_bytes) * _LEAST_PART < abs(step.change_bytes):
        largest = None
    subject = largest.name if largest else ""
    return Reason(
        kind=step.kind,
        words=_words(comparison, step),
        change_bytes=step.change_bytes,
        subject=subject,
        short=end_of(subject, _LONGEST_NAME),
        subject_bytes=largest.change_bytes if largest else 0,
        line=_line(comparison, largest.terms[0]) if largest else "",
    )


def _words(comparison: DumpComparison, step: JoinedStep) -> str:
    if step.kind == "to another space":
        return f"{counted(len(step.terms), 'buffer')} moved {_route(comparison, step)}"
    return step.sentence


def _route(comparison: DumpComparison, step: JoinedStep) -> str:
    """Return where buffers moved: `to host`, `from VMEM`, or both."""
    ways = Counter[str]()
    for term in step.terms:
        is_leaving = term.kind == "to another space"
        way, side, value = ("to", 1, term.after) if is_leaving else ("from", 0, term.before)
        ways[f"{way} {_space(comparison, side, value, term)}"] += abs(term.change_bytes)
    return " and ".join(way for way, _ in ways.most_common(2))


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


def _line(comparison: DumpComparison, term: Term) -> str:
    """Return the source line of a term, without the folders of its file."""
    subject = comparison.subject(term)
    if subject is None:
        return ""
    graph, value = subject
    return graph.labels(value).line.rpartition("/")[2]
