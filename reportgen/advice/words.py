"""Define the words of each kind of suggestion: what the compiler or the caller may do otherwise.

None of them promises more than the confidence allows, and none says that the reader did something wrong.
"""

from collections.abc import Mapping

from reportgen.advice.advice_records import Kind

CAVEATS: Mapping[Kind, str] = {
    "donate": "Do not use these arrays afterwards; JAX pairs equal shapes in order.",
    "batch": "All shapes must follow the batch, also those of other inputs.",
    "recomputed-early": "The compiler decides when a checkpoint recomputes; its memory is only known on this backend.",
    "checkpoint": "What is dropped is computed twice; the compiler may schedule the rest differently.",
    "checkpoint-loop": "What is dropped is computed twice; the compiler may schedule the rest differently.",
    "made-early": "The compiler decides on the order: a loop instead of unrolled code changes it; an optimization "
    "barrier does not on CPU.",
    "copy": "The compiler chooses layouts, and a loop that changes an array needs one of its own.",
    "padding": "Only if these dimensions are stored as one; a larger size of a dimension needs more. The "
    "compiler chooses the order of dimensions itself.",
    "unreturned-result": "Only if nobody needs this output.",
    "attention": "Only if the scores are computed again in the backward pass, which takes longer.",
    "logits": "Only with a checkpoint around each chunk; with a small vocabulary the loss may need more.",
    "carry": "Only if the compiler updates the array in place; where it has to copy it, the program needs more.",
    "offload": "Stream one array at a time, and send its new value back; all at once needs more.",
    "shard": "Only with activations that stay divided as the batch is: if state alone is divided, XLA may keep the "
    "whole batch on each device, which needs more. What the gradient reads is gathered again.",
    "type": "The compiler may convert back.",
    "family": "If nothing else changes; a rewritten program is scheduled anew.",
}

NARROWER_STATE = "It takes half the memory; the program computes in the wider type as before, and its results change."

NARROWER_MOMENT = "In optax, `mu_dtype` narrows `mu` alone, for about half of this."

CPU_CHECKPOINT = (
    "XLA on CPU merges the second computation with the first, up to jaxlib 0.11.0: a checkpoint outside of a loop does "
    "not lower the peak here. Test its effect on memory on the device that the program is for."
)

WITHHELD_RANGES = "The dump has no live ranges, so what is live when is unknown."
WITHHELD_USES = "Who reads which value is not in the dump, so the effect of a change is unknown."
WITHHELD_ERRORS = "The dump has errors in too many bytes of this memory, so the numbers could be wrong."
WITHHELD_MISSING = "Allocations are missing, so what is live when is unknown."
WITHHELD_LENGTH = "The schedule in the dump is longer than that of any program."
WITHHELD_NAMES = "The names of operations and arguments are redacted, and suggestions depend on them."
WITHHELD_SPACE = "The compiler fills this memory on purpose; only the main memory is worth saving."
