"""Read a dump from a proto: a file that is one, or a module in a profile."""

from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO

from reportgen.errors import UnreadableInput
from reportgen.input.dump_text import DumpText, Sibling, TextPart
from reportgen.input.reading import DumpFiles, Problem, read_available, read_shared
from reportgen.input.repeats import WithoutRepeats
from reportgen.protos.hlo_proto import read_plan
from reportgen.protos.profile import profiled_modules
from reportgen.protos.proto_messages import ProtoError


def load_proto(files: DumpFiles, *, keeps_repeats: bool) -> tuple[DumpText, Sibling, tuple[Problem, ...]]:
    """Return the text of a dump printed from its proto, its HLO text, and the problems met while reading it.

    Repeated instruction texts are cut unless `keeps_repeats`. Raises UnreadableInput.
    """
    part = files.parts[0]
    data, damage = read_shared(part.path, files.max_bytes, read_available)
    if not data and damage:
        raise UnreadableInput(f"{part.label}: {damage}")
    try:
        plan = read_plan(_module_in(data, part.proto) if part.proto else data)
        text = BytesIO() if keeps_repeats else WithoutRepeats()
        for piece in plan.dump():
            text.write(piece)
        module = Sibling("module", part.label, plan.hlo_text())
    except ProtoError as error:
        raise UnreadableInput(f"{part.label}: {damage or error}") from error
    printed = text.getvalue()
    whole_lines = text.whole_lines if isinstance(text, WithoutRepeats) else ()
    words = damage or plan.damage
    problems = (Problem("warning", part.label, f"{words}; what comes before that is used"),) if words else ()
    parts = (TextPart(part.label, printed, whole_lines, is_whole=not plan.damage),)
    return DumpText(parts, plan.live_ranges_from or "proto"), module, problems


def _module_in(profile: bytes, name: str) -> memoryview:
    """Return the HloProto of a module in a profile. Raises ProtoError."""
    modules, damage = _protos_in(profile)
    if name not in modules:
        raise ProtoError(damage or f"the profile has no module {name} any more")
    return modules[name]


# Kept, because each of the thousands of modules that a profile may have is asked for on its own.
@lru_cache(maxsize=1)
def _protos_in(profile: bytes) -> tuple[Mapping[str, memoryview], str]:
    """Return the HloProtos in a profile by the names of their modules, and why some are missing."""
    modules, damage = profiled_modules(profile)
    return {module.name: module.proto for module in modules}, damage
