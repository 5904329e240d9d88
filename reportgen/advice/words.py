"""Define the caveats of some suggestions of a kind."""

NARROWER_STATE = "It takes half the memory; the program computes in the wider type as before, and its results change."

NARROWER_MOMENT = "In optax, `mu_dtype` narrows `mu` alone, for about half of this."

CPU_CHECKPOINT = (
    "XLA on CPU merges the second computation with the first, up to jaxlib 0.11.0: a checkpoint outside of a loop does "
    "not lower the peak here. Test its effect on memory on the device that the program is for."
)
