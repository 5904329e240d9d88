"""Why XLA's printed peak differs, in words; and what a missing section means for the page."""

from reportgen.analyse.xla_peak import ALIASES, BIRTHS, LEAVES, PADDING, SPACES, UNEXPLAINED

SENTENCES = {
    LEAVES: (
        "A value inside a tuple is counted as the tuple's table of pointers, 8 bytes for each element, when the"
        " moment is chosen, and in builds before 2025-04-14 also in the printed rows."
    ),
    PADDING: "Padding is ignored: sizes are dense, while tiled layouts and rounding take more.",
    BIRTHS: "What is born at a moment is added before what died just before is subtracted, so both are counted.",
    ALIASES: "Bytes that one value hands to the next are counted twice in the moment where both are live.",
    SPACES: "Memory spaces are added together, although each has a peak of its own.",
}
BRIDGE = {
    LEAVES: "values inside tuples, by their own size",
    PADDING: "padding of layouts, and slices larger than the value",
    ALIASES: "bytes under more than one live value, counted once",
    UNEXPLAINED: "rows that are printed otherwise than XLA's own rule has them",
}
MISSING_SECTIONS = ("no-live-ranges", "no-used-values", "no-instructions", "no-allocations")
