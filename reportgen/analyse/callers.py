"""Recognise instructions that call a computation.

XLA schedules the called computation before its caller, so the caller's own uses come late.
"""

from reportgen.model import Dump

_CALLERS = (b" while(", b" call(", b" conditional(")


def calls_computations(dump: Dump, name: str) -> bool:
    """Return whether an instruction calls a computation, from its text or else from XLA's naming habits."""
    text = dump.instruction_text(name)
    if text is None:
        return name.startswith(("while", "call", "conditional"))
    return any(opcode in text for opcode in _CALLERS)
