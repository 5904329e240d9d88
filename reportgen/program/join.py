"""Join a dump with the HLO text or proto beside it, which know the loops, fusions and source lines of the module.

They give names and places only, never a number. A file that differs from the dump in anything that both state gives
nothing, because a name from another compilation would be wrong without looking wrong.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from reportgen.input.dump_text import Sibling
from reportgen.model import Dump
from reportgen.parse.module_text import ModuleText
from reportgen.parse.stack_frames import StackFrames, stack_frames_of_proto
from reportgen.program.agreement import Agreement, agreement_of_proto, agreement_of_text
from reportgen.protos.hlo_proto import Division, read_division
from reportgen.protos.proto_messages import ProtoError
from reportgen.protos.wire import WireError
from reportgen.record import record

_HEADER = re.compile(rb"HloModule ([^\s,]+)")
_SEVERAL_DEVICES = re.compile(r"\bnum_partitions=(?!1\b)\d")
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_UNNAMED = re.compile(r"module_\d+")


@record
class Join:
    """The files next to a dump, and the facts about its program from those that do not contradict it.

    `module` is the HLO text and `frames` are the tables of source lines, each None where no file has it; `label` is the
    file that they come from, and `age` says when it was written, if one compilation would not take so long.
    `division` is from the proto `divided_by`, and None for one device. `agreements` are the comparisons of the dump
    with each HLO text and proto, by its label.
    """

    siblings: Sequence[Sibling] = ()
    module: ModuleText | None = None
    frames: StackFrames | None = None
    label: str = ""
    age: str = ""
    division: Division | None = None
    divided_by: str = ""
    agreements: Mapping[str, Sequence[Agreement]] = field(default_factory=dict)


NOTHING_JOINED = Join()


class _Compared(NamedTuple):
    """A file beside a dump and where they agree; `module` is the index of an HLO text.

    `is_doubtful` says that another file contradicts it, and that its time does not make it the right one.
    """

    sibling: Sibling
    module: ModuleText | None
    frames: StackFrames | None
    agreements: Sequence[Agreement]
    is_doubtful: bool = False

    @property
    def differs(self) -> bool:
        return self.is_doubtful or any(agreement.differences for agreement in self.agreements)


def joined(dump: Dump, module_name: str, siblings: Sequence[Sibling]) -> Join:
    """Join a dump with the HLO text among `siblings` or, where none fits, with the proto."""
    by_kind: dict[str, list[Sibling]] = {}
    for sibling in siblings:
        by_kind.setdefault(sibling.kind, []).append(sibling)
    for own in by_kind.get("module", ()):
        module = ModuleText(own.data)
        return Join(siblings=siblings, module=module, frames=module.frames, label=own.label)
    texts, protos = _of_one_compilation(
        [_compared_text(dump, sibling) for sibling in by_kind.get("HLO text", ())],
        [_compared_proto(dump, sibling) for sibling in by_kind.get("proto", ())],
    )
    agreements = {file.sibling.label: file.agreements for file in (*texts, *protos)}
    sound = [proto for proto in protos if not proto.differs]
    for text in texts:
        if text.module and not text.differs and dump.made_by and _is_named(text.sibling.data, module_name):
            several = [proto.sibling for proto in sound] if _SEVERAL_DEVICES.search(text.module.header) else ()
            return _join_with(text, siblings, agreements, *_division(several, dump, module_name))
    for proto in sound:
        division, divided_by = _division([proto.sibling], dump, module_name)
        if proto.frames or division:
            return _join_with(proto, siblings, agreements, division, divided_by)
    return Join(siblings=siblings, agreements=agreements)


def _join_with(
    chosen: _Compared,
    siblings: Sequence[Sibling],
    agreements: Mapping[str, Sequence[Agreement]],
    division: Division | None,
    divided_by: str,
) -> Join:
    """Return a join that takes its facts from the file `chosen`, but the division from the proto `divided_by`."""
    return Join(
        siblings=siblings,
        module=chosen.module,
        frames=chosen.frames,
        label=chosen.sibling.label,
        age=chosen.sibling.age,
        division=division,
        divided_by=divided_by,
        agreements=agreements,
    )


def _compared_text(dump: Dump, sibling: Sibling) -> _Compared:
    module = ModuleText(sibling.data)
    return _Compared(sibling, module, module.frames, _up_to_a_difference(agreement_of_text(dump, sibling.data, module)))


def _compared_proto(dump: Dump, sibling: Sibling) -> _Compared:
    try:
        frames = stack_frames_of_proto(sibling.data)
    except WireError:
        frames = None
    return _Compared(sibling, None, frames, _up_to_a_difference(agreement_of_proto(dump, sibling.data)))


def _up_to_a_difference(agreements: Iterator[Agreement]) -> Sequence[Agreement]:
    """Return comparisons up to the first that finds a difference, because of another compilation all may differ."""
    comparisons: list[Agreement] = []
    for agreement in agreements:
        comparisons.append(agreement)
        if agreement.differences:
            break
    return comparisons


def _of_one_compilation(
    texts: Sequence[_Compared], protos: Sequence[_Compared]
) -> tuple[Sequence[_Compared], Sequence[_Compared]]:
    """Return the files with the agreement of their tables of source lines, which no dump has.

    Where they differ, one file is of an earlier compilation: the older one if their times tell, otherwise nobody knows.
    """
    named = [file for file in (*texts, *protos) if file.frames and not file.differs]
    if all(file.frames == named[0].frames for file in named):
        return texts, protos
    older = [file for file in named if file.sibling.age]
    doubtful = older if 0 < len(older) < len(named) else named
    counterpart = next(file for file in named if file.frames != doubtful[0].frames)
    used = "its own are not used" if doubtful is older else "neither are used"
    row = Agreement(
        name="Source lines next to the dump",
        question="Do the files next to the dump name the same source lines?",
        subject="files with source lines",
        looked_at=len(named),
        differences=(f"its source lines differ from those of {counterpart.sibling.label}; {used}",),
    )

    def judged(file: _Compared) -> _Compared:
        agreements = (*file.agreements, row) if file is doubtful[0] else file.agreements
        return file._replace(agreements=agreements, is_doubtful=file in doubtful)

    return [*map(judged, texts)], [*map(judged, protos)]


def _division(protos: Sequence[Sibling], dump: Dump, module_name: str) -> tuple[Division | None, str]:
    """Return the division among devices from the first proto of the dump's module, and the label of that proto."""
    arguments = {allocation.parameter for allocation in dump.allocations if allocation.parameter is not None}
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
