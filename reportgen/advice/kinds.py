"""The kinds of suggestions: all that is said of one and all that orders it, in one record for each.

A new kind is a slug and a record here, a finder in `finders`, and a section of the glossary. What is said of it never
promises more than the confidence of a suggestion allows, and never says that the reader did something wrong.
"""

from collections.abc import Mapping
from typing import Literal

from reportgen.record import record

Kind = Literal[
    "donate",
    "batch",
    "recomputed-early",
    "checkpoint",
    "checkpoint-loop",
    "made-early",
    "copy",
    "padding",
    "unreturned-result",
    "family",
    "attention",
    "logits",
    "carry",
    "offload",
    "type",
    "shard",
]
"""A kind of suggestion. The glossary has a section for each."""


@record
class SuggestionKind:
    """What all suggestions of a kind have in common.

    `caveat` is what the compiler or the caller may do otherwise, and `phrase` the name among others that are combined;
    empty for a kind that never is. `without` says how the buffers would be after it; it is given where the peak is that
    of the same schedule without them. What is no change, by `is_change`, says what is so, and not what to do.

    `kept_part` is the part of such promises that recompiled programs kept, where the confidence of a suggestion does
    not tell it. A change that `adds_no_work` multiplies no more matrices. One that `is_free` comes before one that
    costs work and saves as much. One that `trains_otherwise` leads to another program, so that half of its saving
    counts, and it is not combined with others. One that `is_of_caller` changes what the caller holds, and no
    temporaries. A kind that is `joined_with` another counts as it, so that the best of both stands for them.
    """

    caveat: str
    phrase: str = ""
    without: str = ""
    is_change: bool = True
    kept_part: float | None = None
    adds_no_work: bool = False
    is_free: bool = False
    trains_otherwise: bool = False
    is_of_caller: bool = False
    joined_with: Kind | None = None


KINDS: Mapping[Kind, SuggestionKind] = {
    "donate": SuggestionKind(
        phrase="donation",
        caveat="Do not use these arrays afterwards; JAX pairs equal shapes in order.",
        adds_no_work=True,
        is_free=True,
        is_of_caller=True,
    ),
    "batch": SuggestionKind(
        phrase="a smaller batch",
        caveat="All shapes must follow the batch, also those of other inputs.",
        trains_otherwise=True,
    ),
    "recomputed-early": SuggestionKind(
        caveat="The compiler decides when a checkpoint recomputes; its memory is only known on this backend.",
        without="freed while idle",
        is_change=False,
        adds_no_work=True,
    ),
    "checkpoint": SuggestionKind(
        phrase="the checkpoint",
        caveat="What is dropped is computed twice; the compiler may schedule the rest differently.",
    ),
    "checkpoint-loop": SuggestionKind(
        phrase="the checkpoint",
        caveat="What is dropped is computed twice; the compiler may schedule the rest differently.",
        joined_with="checkpoint",
    ),
    "made-early": SuggestionKind(
        caveat="The compiler decides on the order: a loop instead of unrolled code changes it; an optimization barrier "
        "does not on CPU.",
        without="freed while idle",
        is_change=False,
        adds_no_work=True,
    ),
    "copy": SuggestionKind(
        phrase="fewer copies",
        caveat="The compiler chooses layouts, and a loop that changes an array needs one of its own.",
        without="not there",
        adds_no_work=True,
    ),
    "padding": SuggestionKind(
        phrase="no padding",
        caveat="Only if these dimensions are stored as one; a larger size of a dimension needs more. The compiler "
        "chooses the order of dimensions itself.",
        adds_no_work=True,
    ),
    "unreturned-result": SuggestionKind(
        caveat="Only if nobody needs this output.",
        is_change=False,
        adds_no_work=True,
    ),
    "family": SuggestionKind(
        caveat="If nothing else changes; a rewritten program is scheduled anew.",
        without="not there",
        is_change=False,
    ),
    "attention": SuggestionKind(
        phrase="no scores of attention",
        caveat="Only if the scores are computed again in the backward pass, which takes longer.",
    ),
    "logits": SuggestionKind(
        phrase="the loss in chunks",
        caveat="Only with a checkpoint around each chunk; with a small vocabulary the loss may need more.",
    ),
    "carry": SuggestionKind(
        phrase="the carry",
        caveat="Only if the compiler updates the array in place; where it has to copy it, the program needs more.",
        adds_no_work=True,
    ),
    "offload": SuggestionKind(
        phrase="the offload",
        caveat="Stream one array at a time, and send its new value back; all at once needs more.",
        # Four of one program: 0.65, and three that needed more. What they leave open, 0.17 to 0.19, orders most right.
        kept_part=0.18,
    ),
    "type": SuggestionKind(
        caveat="The compiler may convert back.",
        # Three: 0.79, 0.08 and 0 of what they were about.
        kept_part=0.4,
        trains_otherwise=True,
        is_of_caller=True,
    ),
    "shard": SuggestionKind(
        phrase="the division",
        caveat="Only with activations that stay divided as the batch is: if state alone is divided, XLA may keep the "
        "whole batch on each device, which needs more. What the gradient reads is gathered again.",
    ),
}
"""Each kind by its slug, which JSON, the glossary and addresses of pages call it by."""
