"""Say what a program computes again to need less memory, and how much of its work that is."""

from reportgen.analyse.matmul_work import Recomputed, Work
from reportgen.reports.formats import human_flops, percent
from reportgen.reports.source_words import line_words

MUCH = 0.05
"""A part of the work that is worth a warning."""

_MOST_NAMED = 2


def xla_words(work: Work, *, fits: bool) -> str:
    """Return what XLA computes again, in a sentence; empty for nothing, and where it is not known."""
    if not work.again_by_xla:
        return ""
    why = "to fit" if fits else "and the program still does not fit"
    return f"XLA recomputes {_of_all(work, work.again_by_xla)} {why}: {_places(work, 'XLA')}."


def checkpoint_words(work: Work) -> str:
    """Return what the program's own checkpoints compute again, in a sentence; empty for nothing."""
    if not work.again_by_checkpoint:
        return ""
    return f"Its checkpoints recompute {_of_all(work, work.again_by_checkpoint)}: {_places(work, 'checkpoint')}."


def _of_all(work: Work, amount: int) -> str:
    """Return `4.33 of 14.6 TFLOP (29.6 % of the matrix work)`."""
    if work.matmul_flops is None:
        return f"{human_flops(amount)} of matrix work"
    part, whole = human_flops(amount), human_flops(work.matmul_flops)
    number, _, unit = part.partition(" ")
    shown = number if whole.endswith(f" {unit}") else part
    return f"{shown} of {whole} ({percent(amount, work.matmul_flops)} of the matrix work)"


def _places(work: Work, by: str) -> str:
    """Return the places that most is recomputed at: `logits 3 × (train_step.py:68)`."""
    rows = [row for row in work.rows if row.by == by]
    places = ", ".join(map(_place, rows[:_MOST_NAMED]))
    return f"{places} and {len(rows) - _MOST_NAMED:,} more" if len(rows) > _MOST_NAMED else places


def _place(row: Recomputed) -> str:
    line = f" ({line_words(row.source)})" if row.source else ""
    return f"{row.scope} {row.times:,} ×{line}"
