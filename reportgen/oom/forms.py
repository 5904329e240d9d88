"""Read `forms.toml`, which declares every sentence about memory that XLA, its runtimes and its allocators print.

A new one is a form there, a text in `tests/oom/cases.toml`, and a row in `docs/error-texts.md`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

from reportgen.record import record

Kind = Literal[
    "compile",
    "allocation",
    "kernel",
    "load",
    "data",
    "execution",
    "host",
    "library",
    "autotuning",
    "memory",
    "allocator",
    "compiled",
    "device",
    "attempt",
    "rematerialization",
    "arguments",
    "sharding",
    "donation",
    "fragment",
    "other",
]
"""What happened, and when: see docs/error-texts.md."""

VERDICTS: Mapping[Kind, str] = {
    "compile": "The compiler refused the program",
    "allocation": "One buffer is larger than the memory",
    "kernel": "One kernel needs more on-chip memory than there is",
    "load": "The program compiled, but could not be loaded",
    "data": "Data could not be put on the device",
    "execution": "The program ran out of memory while it was running",
    "host": "The host ran out of memory for the program",
    "library": "A library or driver of the GPU failed outside of XLA’s pool",
    "autotuning": "Memory ran out at compile time, while algorithms were tried",
    "memory": "Memory ran out, in words that reportgen does not know",
    "allocator": "Buffers in the runtime’s allocator when memory ran out",
    "compiled": "Figures of a compiled program",
    "device": "Figures of a device",
    "attempt": "A warning: an allocation failed, which is no failure of the program by itself",
    "rematerialization": "A warning: recomputing values does not make the program small enough",
    "arguments": "A warning: arguments and outputs alone exceed the limit of the compiler",
    "sharding": "A warning: a tensor is replicated on all devices to change its sharding",
    "donation": "A warning: donated arguments were not used",
    "fragment": "Out of memory (the start of the message is missing)",
    "other": "A message that is not XLA’s",
}

WARNINGS: frozenset[Kind] = frozenset({"attempt", "rematerialization", "arguments", "sharding", "donation"})
"""Kinds that a program survives."""

FIGURES: frozenset[Kind] = frozenset({"compiled", "device", "allocator", "other"})
"""Kinds that are no failure of a program of XLA by themselves."""

OF_COMPILER: frozenset[Kind] = frozenset({"compile", "allocation"})

OF_ONE_REQUEST: frozenset[Kind] = frozenset({"execution", "attempt", "data", "allocator"})
"""Kinds that state the size of the one allocation that failed, and not of all that a program holds."""

WITHOUT_PLAN: frozenset[Kind] = frozenset({"kernel", "host", "library", "autotuning", "attempt", "device", "other"})
"""Kinds that no dump explains: the memory is not that of an XLA program, or no plan was made."""

SIZES = ("needed", "capacity", "excess", "free", "reservable", "held")

UNIT = r"(?:[ ]?[KMGTPE](?:i?B)?|[ ]?B|[ ]bytes)\b"
SIZE = rf"-?\d++(?:\.\d++)?{UNIT}"
"""A printed size. Without its unit it was cut off."""

_OF_OTHER = ("This is a message of ", "; reportgen reads XLA’s.")
_SLOT = re.compile(r"\{([a-z]\w*)(#?)\}")
_NUMBER = r"\d++(?:\.\d++)?(?: ?[KMGT]?i?B\b)?"
_SLOTS = {
    "space": r"(?i:hbm|vmem|smem|cmem|sflag|spmem|tilespmem|host|device)\b",
    "kernel": r"[\w.-]{1,300}",
    "device": r"[\w/][\w/:.-]{0,100}(?<![.:])",
}


def _of_slot(slot: re.Match[str]) -> str:
    """Return a group for a slot: a name, a size or, with `#`, a number of bytes; any other is kept as it stands."""
    name, is_bare = slot[1], bool(slot[2])
    is_size = name in SIZES or name.endswith("_size")
    pattern = r"-?\d++" if is_bare else _SLOTS.get(name, SIZE if is_size else _NUMBER)
    # A space that is not known is a word all the same.
    return rf"(?:(?P<space>{pattern})|\w+)" if name == "space" else f"(?P<{name}>{pattern})"


@record(slots=False)
class Form:
    """A sentence: where it begins, what it states, and how a report words it, as `forms.toml` declares it."""

    name: str
    kind: Kind
    sign: str = ""
    rest: str = ""
    before: str = ""
    needs: str = ""
    also: Sequence[str] = ()
    says: Sequence[str] = ()
    next: str = ""
    backend: Literal["tpu", "gpu", "cpu", ""] = ""
    space: str = ""
    bytes_per_unit: int = 1
    rows: str = ""
    lines: int = 0
    holds: Sequence[str] = ()
    yields_to: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.sign) + _SLOT.sub(_of_slot, self.rest), re.DOTALL)

    @cached_property
    def pattern_before(self) -> re.Pattern[str]:
        return re.compile(f"(?:{_SLOT.sub(_of_slot, self.before)})$")

    @cached_property
    def pattern_needed(self) -> re.Pattern[str]:
        return re.compile(self.needs)

    @cached_property
    def patterns_beside(self) -> Sequence[re.Pattern[str]]:
        return [re.compile(_SLOT.sub(_of_slot, one)) for one in self.also]

    @cached_property
    def pattern_of_rows(self) -> re.Pattern[str]:
        return re.compile(self.rows)

    @property
    def owner(self) -> str:
        """Whose message it is, of one that is not XLA’s."""
        return self.says[0].removeprefix(_OF_OTHER[0]).removesuffix(_OF_OTHER[1])

    @property
    def next_step(self) -> str:
        return STEPS[self.next] if self.next else ""

    @property
    def has_plan(self) -> bool:
        """Whether a dump of XLA can explain it."""
        return self.kind not in WITHOUT_PLAN

    def gives_way_to(self, other: "Form") -> bool:
        """Return whether the other form says more where both are in one sentence."""
        return self.yields_to in ("*", other.name) and other is not self


_DECLARED: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("forms.toml").read_text(encoding="utf-8"))
STEPS: Mapping[str, str] = _DECLARED["steps"]
WORDS: Mapping[str, Mapping[str, Any]] = _DECLARED
"""What is said beside the sentences of a form, by its table: `causes`, `fragmented`, `kinds`, `lacks`, `spaces`."""

OTHERS: Sequence[Form] = [
    Form(
        name=f"other-{number}",
        kind="other",
        sign=sign,
        needs="".join(needs),
        says=(name.join(_OF_OTHER),),
    )
    for number, (sign, name, *needs) in enumerate(_DECLARED["others"]["messages"], start=1)
]
"""Messages of others than XLA, which are named and not read."""

FORMS: Sequence[Form] = [
    *(
        Form(**{"name": name, "kind": kind, "backend": "" if backend == "any" else backend, **shared, **form})
        for kind, backends in _DECLARED["form"].items()
        for backend, table in backends.items()
        for shared in [{key: value for key, value in table.items() if not isinstance(value, dict)}]
        for name, form in table.items()
        if isinstance(form, dict)
    ),
    *OTHERS,
]

FRAGMENT = Form(name="fragment", kind="fragment")
"""A list or a table whose beginning is missing."""

STATE = Form(name="state", kind="allocator", backend="gpu")
"""The statistics of an allocator, which begin without a sentence."""

STATISTICS = Form(
    name="statistics",
    kind="compiled",
    says=("They are the statistics of a buffer assignment: sums of allocations, and no buffer by its name.",),
)
"""The statistics of a buffer assignment, as compilers log them."""

FORM_OF: Mapping[str, Form] = {form.name: form for form in (*FORMS, FRAGMENT, STATE, STATISTICS)}

OF_TABLES = (
    " usage >=",
    " requirement ",
    "Largest program allocations in ",
    "BufferAssignment stats:",
    "Peak buffers:",
    "XLA label: ",
    "XLA Label: ",
    "Entry Parameter Subshape: ",
    "MaxInUse: ",
    " Chunks of size ",
)
"""Signs of tables and lists, which may be all that is left of an error."""
