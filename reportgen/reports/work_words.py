"""Say what a program computes again to need less memory, and how much of its work that is."""

from reportgen.analyse.matmul_work import Recomputed, Work, WorkFigures
from reportgen.reports.formats import counted, human_flops, percent
from reportgen.reports.source_words import line_words

MUCH = 0.05
"""A part of the work that is worth a warning."""

_MOST_NAMED = 2
_WHY = {True: "to fit", False: "in vain", None: "to need less memory"}


def recomputed_words(work: Work, *, fits: bool | None) -> str:
    """Return what XLA, then what checkpoints of the program compute again, in sentences; empty for nothing."""
    sentences = []
    if work.again_by_xla:
        why = _WHY[fits]
        sentences.append(f"XLA recomputes {of_all(work, work.again_by_xla)} {why}: {_places(work, 'XLA')}.")
    if work.again_by_checkpoint:
        sentences.append(f"Checkpoints recompute {of_all(work, work.again_by_checkpoint)}.")
    return " ".join(sentences)


def of_all(work: WorkFigures, amount: int) -> str:
    """Return `4.33 of 14.6 TFLOP of matrix work (29.6 %)`."""
    if work.matmul_flops is None:
        return f"{human_flops(amount)} of matrix work"
    part, whole = human_flops(amount), human_flops(work.matmul_flops)
    number, _, unit = part.partition(" ")
    shown = number if whole.endswith(f" {unit}") else part
    return f"{shown} of {whole} of matrix work ({percent(amount, work.matmul_flops)})"


def _places(work: Work, by: str) -> str:
    """Return the places that most is recomputed at: `3 products in logits (train_step.py:68), 12 in mlp`."""
    first, *others = [row for row in work.rows if row.by == by]
    places = [f"{counted(first.times, 'product')} in {_place(first)}"]
    places += [f"{row.times:,} in {_place(row)}" for row in others[: _MOST_NAMED - 1]]
    if rest := others[_MOST_NAMED - 1 :]:
        places.append(f"others at {counted(len(rest), 'more place')}")
    return ", ".join(places)


def _place(row: Recomputed) -> str:
    return f"{row.scope} ({line_words(row.source)})" if row.source else row.scope
