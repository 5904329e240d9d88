"""Which instructions call computations: those are scheduled before their caller, so uses by it come late."""

from reportgen.model import Dump

_CALLERS = (b" while(", b" call(", b" conditional(")


def calls_computations(dump: Dump, name: str) -> bool:
    """By the instruction's own text where it defines a value, else by XLA's habit of naming it."""
    text = dump.instruction_text(name)
    if text is None:
        return name.startswith(("while", "call", "conditional"))
    return any(opcode in text for opcode in _CALLERS)
