"""Sort opcodes by what they do with the bytes of their operands."""

CALLERS = frozenset(("while", "call", "conditional"))
"""They run computations, and their results are those of the computations."""

WRITES_NOTHING = CALLERS | {"parameter", "tuple", "get-tuple-element"}
"""They define values that other instructions have written."""

ASYNC = ("-start", "-update", "-done")
"""How the opcodes of asynchronous operations end."""

RENAMES = frozenset(
    (
        "add-dependency", "async-update", "bitcast", "call-update", "custom-call-update", "domain", "fusion-update",
        "get-tuple-element", "optimization-barrier", "tuple",
    )
)  # fmt: skip
"""They name bytes of an operand anew and write none."""

UPDATES = frozenset(("dynamic-update-slice", "scatter", "set-dimension-size"))
"""They write into their first operand in place."""

COPIES = (RENAMES - {"tuple", "add-dependency"}) | {
    "all-gather-done", "all-reduce-done", "async-done", "async-start", "copy", "copy-done", "copy-start", "slice-done",
    "slice-start",
}  # fmt: skip
"""They hand on an array, or a slice of it, under another name or in another place."""

MOVES = RENAMES | COPIES | {
    "all-gather-start", "all-reduce-start", "bitcast-convert", "collective-permute-done", "collective-permute-start",
    "recv", "recv-done", "send", "send-done",
}  # fmt: skip
"""They hand on what another instruction computed, perhaps to other devices."""

SHAPING = frozenset(
    (
        "all-gather", "all-to-all", "broadcast", "collective-permute", "concatenate", "convert", "dynamic-slice", "pad",
        "reduce-precision", "reshape", "slice", "transpose",
    )
)  # fmt: skip
"""They hand on what another instruction computed, unless they carry a name of the program."""

ZEROS = frozenset(("constant", "iota"))
"""They fill bytes with what says nothing about the program."""

NAMES_ONLY = COPIES | CALLERS | {"parameter", "tuple"}
"""They compute nothing themselves."""
