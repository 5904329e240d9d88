"""Read `forms.toml`, which declares every sentence about memory that XLA, its runtimes and its allocators print.

A new one is a form there, a text in `tests/oom/cases.toml`, and a row in `docs/error-texts.md`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

from reportgen.record import record

Kind = Literal[
    "compile", "allocation", "kernel", "load", "data", "execution", "host", "library", "autotuning", "memory",
    "allocator", "compiled", "device", "attempt", "rematerialization", "arguments", "sharding", "donation", "fragment",
    "other",
]  # fmt: skip
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

SIZE = r"-?\d++(?:\.\d++)?(?:[ ]?[KMGTPE](?:i?B)?|[ ]?B|[ ]bytes|[ ]words)\b"
"""A printed size. Without its unit it was cut off."""

_SLOT = re.compile(r"\{([a-z]\w*)(#?)\}")
_SLOTS = {
    "space": r"(?i:hbm|vmem|smem|cmem|sflag|spmem|tilespmem|host|device)\b",
    "kernel": r"[\w.-]{1,300}(?<!\.)",
    "device": r"[\w/][\w/:.-]{0,100}(?<![.:])",
}
_FIELD = r"""\b(?P<name>NAME)(?: size)?["']?\s*[=:]\s*(?P<size>SIZE|\d++(?![.\w]))""".replace("SIZE", SIZE)


def _of_slot(slot: re.Match[str]) -> str:
    """Return a group for a slot: a name, a size or, with `#`, a number of bytes; any other is kept as it stands."""
    name, is_bare = slot[1], bool(slot[2])
    size = SIZE if name in SIZES else rf"{SIZE}|\d++(?:\.\d++)?"
    pattern = r"0x[0-9a-f]++|-?\d++" if is_bare else _SLOTS.get(name, size)
    # A space that is not known is a word all the same.
    return rf"(?:(?P<space>{pattern})|\w+)" if name == "space" else f"(?P<{name}>{pattern})"


@record(slots=False)
class Form:
    """A sentence: what it states, and how a report words it, as `forms.toml` declares it."""

    name: str
    kind: Kind
    text: str
    backend: Literal["tpu", "gpu", ""] = ""
    also: Sequence[str] = ()
    says: Sequence[str] = ()
    next_step: str = ""
    space: str = ""
    fields: str = ""
    rows: str = ""
    yields_to: str = ""

    @property
    def sign(self) -> str:
        return re.split("[«»]", self.text)[1]

    @cached_property
    def patterns(self) -> Sequence[re.Pattern[str]]:
        """The sign with what is behind it, what is right before it, and all that may be anywhere around it."""
        before, sign, behind = re.split("[«»]", self.text)
        expressions = (re.escape(sign) + behind, f"(?:{before})$", *self.also)
        return [re.compile(_SLOT.sub(_of_slot, one), re.DOTALL) for one in expressions]

    @cached_property
    def row(self) -> re.Pattern[str] | None:
        """What the lines after it have."""
        rows = _FIELD.replace("NAME", self.fields) if self.fields else self.rows
        return re.compile(rows) if rows else None

    @property
    def has_plan(self) -> bool:
        """Whether a dump of XLA can explain it."""
        return self.kind not in WITHOUT_PLAN

    def gives_way_to(self, other: "Form") -> bool:
        """Return whether the other form says more where both are in one sentence."""
        return other is not self and fnmatchcase(other.name, self.yields_to)


def _forms(table: Mapping[str, Any], shared: Mapping[str, Any]) -> Iterator[Form]:
    """Yield the forms in a table and in the tables in it, each with what is shared by all in its table."""
    shared = {**shared, **{key: value for key, value in table.items() if not isinstance(value, dict)}}
    for name, inner in table.items():
        if isinstance(inner, dict) and "text" in inner:
            yield Form(**{**shared, **inner, "name": name})
        elif isinstance(inner, dict):
            group = {"backend": name} if name in ("tpu", "gpu") else {}
            yield from _forms(inner, {"kind": name, **shared, **group})


_DECLARED: dict[str, Any] = tomllib.loads(files(__package__).joinpath("forms.toml").read_text(encoding="utf-8"))

OF_TABLES: Sequence[str] = _DECLARED.pop("tables")

WORDS: Mapping[str, Mapping[str, Any]] = _DECLARED.pop("words")
"""What is said beside the sentences of a form, by its table: `causes`, `fragmented`, `kinds`, `lacks`, `spaces`."""

_OTHERS = [
    Form(name=owner, kind="other", text=text, says=[f"This is a message of {owner}; reportgen reads XLA’s."])
    for owner, texts in _DECLARED.pop("other").items()
    for text in texts
]
_EVERY = [*_forms(_DECLARED, {}), *_OTHERS]

FORMS: Sequence[Form] = [form for form in _EVERY if form.sign]
"""The sentences; messages of others than XLA are named after these."""

FORM_OF: Mapping[str, Form] = {form.name: form for form in _EVERY}
"""The form of each name, also of what begins without a sentence."""
