"""Sort opcodes by what they do with the bytes of their operands."""

CALLERS = frozenset(("while", "call", "conditional"))
"""Opcodes that run computations and return their results."""

WRITES_NOTHING = CALLERS | {"parameter", "tuple", "get-tuple-element"}
"""Opcodes that define values which other instructions have written."""

ASYNC = ("-start", "-update", "-done")
"""The endings of the opcodes of asynchronous operations."""

RENAMES = frozenset(
    (
        "add-dependency", "async-update", "bitcast", "call-update", "custom-call-update", "domain", "fusion-update",
        "get-tuple-element", "opt-barrier", "tuple",
    )
)  # fmt: skip
"""Opcodes that rename bytes of an operand and write none."""

UPDATES = frozenset(("dynamic-update-slice", "scatter", "set-dimension-size"))
"""Opcodes that update their first operand in place."""

COPIES = (RENAMES - {"tuple", "add-dependency"}) | {
    "all-gather-done", "all-reduce-done", "async-done", "async-start", "copy", "copy-done", "copy-start", "slice-done",
    "slice-start",
}  # fmt: skip
"""Opcodes that pass on an array, or a slice of it, under another name or in another place."""

MOVES = RENAMES | COPIES | {
    "all-gather-start", "all-reduce-start", "bitcast-convert", "collective-permute-done", "collective-permute-start",
    "recv", "recv-done", "send", "send-done",
}  # fmt: skip
"""Opcodes that pass on what another instruction computed, perhaps to other devices."""

SHAPING = frozenset(
    (
        "all-gather", "all-to-all", "broadcast", "collective-permute", "concatenate", "convert", "dynamic-slice", "pad",
        "reduce-precision", "reshape", "slice", "transpose",
    )
)  # fmt: skip
"""Opcodes that pass on what another instruction computed, unless they carry a name of the program."""

ZEROS = frozenset(("constant", "iota"))
"""Opcodes that fill bytes with data that says nothing about the program."""

_OF_XLA = """
    abs acos acosh add add-dependency after-all all-gather all-reduce all-to-all and asin asinh async atan2 atanh
    batch-norm-grad batch-norm-inference batch-norm-training bitcast bitcast-convert broadcast call cbrt ceil cholesky
    clamp collective-broadcast collective-permute collective-reduce compare complex concatenate conditional constant
    convert convolution copy cosine cosh count-leading-zeros custom-call divide domain dot dynamic-reshape dynamic-slice
    dynamic-update-slice erf exp2 exponential exponential-minus-one fft floor fusion gather get-dimension-size
    get-tuple-element imag infeed iota is-finite log log-plus-one log2 logistic map maximum minimum mulhi multiply
    negate not opt-barrier or outfeed pad parameter partition-id popcnt power ragged-all-to-all ragged-dot real recv
    reduce reduce-precision reduce-scatter reduce-window remainder replica-id reshape reverse rng rng-bit-generator
    rng-get-and-update-state round-nearest-afz round-nearest-even rsqrt scaled-dot scan scatter select
    select-and-scatter send set-dimension-size shift-left shift-right-arithmetic shift-right-logical shuffle sign sine
    sinh slice sort sqrt stochastic-convert subtract tan tanh topk transpose triangular-solve tuple while xor
"""
"""The opcodes of XLA (`xla/hlo/ir/hlo_opcode.h`), each also with an ending for asynchronous operations."""

NAMES_ONLY = COPIES | CALLERS | {"parameter", "tuple"}
"""Opcodes that compute nothing themselves."""

_KNOWN = frozenset(_OF_XLA.split())


def is_known(opcode: str) -> bool:
    """Return whether an opcode is one of XLA's, also of an asynchronous operation that is printed by what it wraps."""
    return opcode in _KNOWN or (opcode.endswith(ASYNC) and opcode.rpartition("-")[0] in _KNOWN)
