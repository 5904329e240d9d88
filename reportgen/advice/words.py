"""Define the words of each kind of move: what the compiler or the caller may do otherwise.

None of them promises more than the claim allows, and none says that the reader did something wrong.
"""

from collections.abc import Mapping

from reportgen.advice.advice_records import Kind

CAVEATS: Mapping[Kind, str] = {
    "donate": "The caller must not use these arrays afterwards; JAX pairs equal shapes in order.",
    "batch": "All shapes must follow the batch, also those of other data that the caller passes in.",
    "recomputed-early": "The compiler decides when a checkpoint recomputes; its memory is only known on this backend.",
    "checkpoint": "What is dropped is computed twice; the compiler may schedule the rest differently.",
    "checkpoint-loop": "What is dropped is computed twice; the compiler may schedule the rest differently.",
    "made-early": "The compiler decides on the order: a loop instead of unrolled code changes it; an optimization "
    "barrier does not on CPU.",
    "copy": "The compiler chooses layouts, and a loop that changes an array needs one of its own.",
    "padding": "Only if the array is held with these dimensions as one; a larger size of a dimension needs more. The "
    "compiler chooses the order of dimensions itself.",
    "unreturned-result": "Only if nobody needs this result.",
    "attention": "Only if the scores are computed again in the backward pass, which takes longer.",
    "logits": "Only with a checkpoint around each chunk; the loss of a small vocabulary may need more then.",
    "carry": "Only if the compiler updates the array in place; where it has to copy it, the program needs more.",
    "offload": "Only if each array comes back when it is updated, and its new value leaves again; moved all at once, "
    "they need more.",
    "shard": "Only with activations that stay divided as the batch is: if state alone is divided, XLA may hold the "
    "whole batch on each device, which needs more. What the gradient reads is gathered again.",
    "type": "What it saves is not computed: the program is another one then, and the compiler may convert back.",
    "family": "If nothing else changes; a rewritten program is scheduled anew.",
}

NARROWER_STATE = (
    "The caller holds half as much of it; the program computes in the wider type as before, and its results change."
)

NARROWER_MOMENT = "In optax, `mu_dtype` narrows `mu` alone, for about half of this."

CPU_CHECKPOINT = (
    "XLA on CPU merges the second computation with the first, up to jaxlib 0.11.0: a checkpoint outside of a loop does "
    "not lower the peak here. Test its effect on memory on the device that the program is for."
)

WITHHELD_RANGES = "The dump has no live ranges, so nothing is known about what is held when."
WITHHELD_USES = "The dump does not say who reads which value, so no change can be followed through."
WITHHELD_ERRORS = "The dump has errors in too many bytes of this memory, so numbers that rest on it could be wrong."
WITHHELD_MISSING = "Allocations are missing, so it is not known what is held when."
WITHHELD_LENGTH = "The dump states a schedule that is longer than that of any program."
WITHHELD_NAMES = "The names of operations and arguments are redacted, and advice rests on them."
WITHHELD_SPACE = "The compiler fills this memory on purpose; only the main memory is worth saving."
