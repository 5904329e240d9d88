"""Define the caveats of some suggestions of a kind, and why there are none."""

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
