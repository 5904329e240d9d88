"""Say what a program computes again to need less memory, and how much of its work that is."""

from reportgen.analyse.matmul_work import Work, WorkFigures
from reportgen.reports.formats import counted, human_flops, percent
from reportgen.reports.source_words import line_words

MUCH = 0.05
"""A part of the work that is worth a warning."""

_MOST_CALLS = 3
_NOT_TIME = "FLOPs are not time."
_WHY = {True: "to fit", False: "in vain", None: "to need less memory"}


def recomputed_words(work: Work, *, fits: bool | None) -> str:
    """Return what XLA, then what checkpoints of the program compute again, in sentences; empty for nothing."""
    sentences = []
    if work.again_by_xla:
        why = _WHY[fits]
        sentences.append(f"XLA recomputes {of_all(work, work.again_by_xla)} {why}: {_places(work, 'XLA')}.")
    if work.again_by_checkpoint:
        sentences.append(f"Checkpoints recompute {of_all(work, work.again_by_checkpoint)}.")
    sentences += [_NOT_TIME] if sentences else []
    if merged := next((row for row in work.rows if not row.times), None):
        of = f" of {line_words(merged.source)}" if merged.source else ""
        sentences.append(
            f"The checkpoint{of} recomputes no matrix product: XLA merged both, or nothing needs the first."
        )
    return " ".join(sentences)


def of_all(work: WorkFigures, amount: int) -> str:
    """Return `4.33 of 14.6 TFLOP (29.6 %)`, and what the whole is without: `(29.6 %, without tpu_custom_call)`."""
    if work.matmul_flops is None:
        return human_flops(amount)
    part, whole = human_flops(amount), human_flops(work.matmul_flops)
    number, _, unit = part.partition(" ")
    shown = number if whole.endswith(f" {unit}") else part
    without = f", without {uncounted_words(work)}" if work.uncounted else ""
    return f"{shown} of {whole} ({percent(amount, work.matmul_flops)}{without})"


def uncounted_words(work: WorkFigures) -> str:
    """Return the calls and operations whose work is in no figure: the first of them, and whether there are more."""
    return f"{', '.join(work.uncounted[:_MOST_CALLS])}{', …' if len(work.uncounted) > _MOST_CALLS else ''}"


def _places(work: Work, by: str) -> str:
    """Return where most is recomputed, `3 matrix products in logits (train_step.py:68)`, and how many more places."""
    most, *others = [row for row in work.rows if row.by == by]
    line = f" ({line_words(most.source)})" if most.source else ""
    more = f", others at {counted(len(others), 'more place')}" if others else ""
    return f"{counted(most.times, 'matrix product')} in {most.scope}{line}{more}"
