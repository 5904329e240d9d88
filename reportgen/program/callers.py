"""Recognise instructions that call a computation.

XLA schedules the called computation before its caller, so the caller's own uses come late.
"""

from collections.abc import Mapping

from reportgen.program.definitions import Definition

_CALLERS = ("while", "call", "conditional")


def calls_computations(definitions: Mapping[str, Definition], name: str) -> bool:
    """Return whether an instruction calls a computation, from its opcode or else from XLA's naming habits."""
    definition = definitions.get(name)
    return name.startswith(_CALLERS) if definition is None else definition.opcode in _CALLERS
