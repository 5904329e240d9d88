"""Join a dump with the HLO text or proto beside it, which know the loops, fusions and source lines of the module.

They give names and places only, never a number. A file that does not fit the dump gives nothing, because a name from
another compilation would be wrong without looking wrong.
"""

import re
from collections.abc import Iterable, Sequence

from reportgen.input.dump_text import Sibling
from reportgen.model import Dump
from reportgen.parse.module_text import ModuleText
from reportgen.parse.stack_frames import StackFrames, stack_frames_of_proto
from reportgen.protos.hlo_proto import Division, read_division
from reportgen.protos.proto_messages import ProtoError
from reportgen.protos.wire import WireError
from reportgen.record import record

_HEADER = re.compile(rb"HloModule ([^\s,]+)")
_SEVERAL_DEVICES = re.compile(r"\bnum_partitions=(?!1\b)\d")
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_UNNAMED = re.compile(r"module_\d+")
_LEAST_FOUND = 0.99


@record(kw_only=False)
class Join:
    """The HLO text that fits a dump and the tables of source lines, each None where nothing beside the dump has it.

    `label` is the file that they come from. `division` is from the proto `divided_by`, and None for one device.
    """

    module: ModuleText | None = None
    frames: StackFrames | None = None
    label: str = ""
    division: Division | None = None
    divided_by: str = ""

    def text_of(self, sibling: Sibling) -> ModuleText:
        """Return the index of an HLO text, which is made only once for the one that fits."""
        return self.module if self.module and self.label == sibling.label else ModuleText(sibling.data)


NOTHING_JOINED = Join()


def joined(dump: Dump, module_name: str, siblings: Iterable[Sibling]) -> Join:
    """Return the HLO text among `siblings` or, where none fits, what the proto knows."""
    by_kind: dict[str, list[Sibling]] = {}
    for sibling in siblings:
        by_kind.setdefault(sibling.kind, []).append(sibling)
    for sibling in by_kind.get("module", ()):
        module = ModuleText(sibling.data)
        return Join(module, module.frames, sibling.label)
    protos = by_kind.get("proto", ())
    for sibling in by_kind.get("HLO text", ()):
        module = ModuleText(sibling.data)
        if _is_named(sibling.data, module_name) and _fits(module, dump):
            several = protos if _SEVERAL_DEVICES.search(module.header) else ()
            return Join(module, module.frames, sibling.label, *_division(several, dump, module_name))
    for sibling in protos:
        try:
            frames = stack_frames_of_proto(sibling.data)
        except WireError:
            continue
        division, label = _division([sibling], dump, module_name)
        if frames or division:
            return Join(None, frames, sibling.label, division, label)
    return NOTHING_JOINED


def _division(protos: Sequence[Sibling], dump: Dump, module_name: str) -> tuple[Division | None, str]:
    """Return what the first proto that is of the module of a dump says of the devices, and the label of that proto."""
    arguments = {one.parameter for one in dump.allocations if one.parameter is not None}
    for proto in protos:
        try:
            division = read_division(proto.data)
        except ProtoError:
            continue
        if _plain(division.module) == _plain(module_name) and len(division.shardings) in (0, len(arguments)):
            return division, proto.label
    return None, ""


def _is_named(text: bytes, name: str) -> bool:
    """Return whether the text is of a module with this name, which file names spell without special characters.

    TensorFlow before 2.4 names its files by the number of the module alone.
    """
    header = _HEADER.match(text)
    if header and _UNNAMED.fullmatch(name):
        return True
    return header is not None and _plain(header[1].decode("utf-8", "replace")) == _plain(name)


def _plain(name: str) -> str:
    return _UNSAFE.sub("_", name)


def _fits(module: ModuleText, dump: Dump) -> bool:
    """Return whether the text has nearly all instructions of the schedule or, without one, those that define values.

    An element of a tuple, to which the dump gives a name, may be without a line of its own in the text.
    """
    names = set(dump.name_at.values()) or set(dump.values.names)
    most_missing = len(names) * (1 - _LEAST_FOUND)
    missing = {name for name in names if name not in module}
    return bool(names) and (len(missing) <= most_missing or len(missing - dump.carriers) <= most_missing)
