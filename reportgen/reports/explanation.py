"""The few facts that answer why a module needs its memory, for a terminal, Markdown, JSON and Python.

All of them are in the module's part of `report.json`; this room only chooses, so that no two answers differ.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from reportgen.advice.advice_records import Claim
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.logged_errors import LoggedError
from reportgen.oom.printed_size import SizeRange
from reportgen.record import record
from reportgen.reports.formats import capital, human_bytes, least_words, percent, range_words
from reportgen.reports.json_lines import json_line
from reportgen.reports.report_json import json_document
from reportgen.reports.summary import Summary

SCHEMA = 1
"""The number that `explain --json` states; docs/schemas.md says what raises it."""

_LARGEST = 5
_SMALL = 100  # as a part of the peak: fewer bytes without a name are not worth a sentence
_OF_MISSING = frozenset({"allocation-order", "allocations-missing", "total-mismatch"})
"""What missing allocations are found by."""
_RUNTIME = "What comes on top: code, other programs on the device, and memory that the runtime takes for itself."


@record
class LargestBuffers:
    """Buffers of one name and shape, and their bytes of the peak.

    `name` is their argument or operation, with `#` for numbers that differ, and `source` the line that fills them.
    `read_first` is the line that reads an argument first; both are those of the first buffer, of `lines` in all. If
    `reserved`, none of them is live at the peak.
    """

    bytes: int
    buffers: int
    name: str | None
    shape: str | None
    reserved: bool
    source: str | None
    read_first: str | None
    lines: int


@record
class SourceBytes:
    """A source line, and the bytes of the peak that it fills."""

    source: str
    bytes: int


@record
class PhasePeak:
    """A pass or a loop, from moment `first` to `last`, and the most bytes that are resident in it.

    `passes` are those of a gradient that run in it, of which there are several where they overlap.
    """

    kind: str
    passes: tuple[str, ...]
    name: str
    first: int
    last: int
    peak_bytes: int


@record
class MemoryStep:
    """A change to the program, what it saves alone, and the peak and the need then, in bytes.

    For a range these are after the least that it saves, and `saving_high_bytes` is the most. `naive_bytes` is what it
    is about, `code` what to write in JAX.
    """

    what: str
    claim: Claim
    naive_bytes: int
    saving_bytes: int
    saving_high_bytes: int | None
    peak_bytes: int
    needed_bytes: int
    code: str | None

    @property
    def peak_high_saving(self) -> int:
        """The peak after the most that a range saves, in bytes."""
        return self.peak_bytes - ((self.saving_high_bytes or self.saving_bytes) - self.saving_bytes)


@record
class Together:
    """A step of a sequence, and the peak and the need after it and all steps before it, in bytes."""

    what: str
    claim: Claim
    peak_bytes: int
    peak_high_saving: int
    needed_bytes: int


@record
class SpaceNeed:
    """What a module needs in one memory space, in bytes; None for what is not known.

    `allocated_bytes` is the sum of the allocations, thread-local ones included.
    """

    name: str
    needed_bytes: int
    peak_bytes: int | None
    allocated_bytes: int
    capacity_bytes: int | None


@record
class Explanation:
    """Why a module needs its memory, in its main memory space unless `spaces` say otherwise. Sizes are bytes.

    `needed_bytes` must be allocated for the program; `allocated_bytes` is the sum of the allocations, thread-local ones
    included. `missing_allocations` says which are not there, so that each size is the least that it can be; it is empty
    if all are. `is_peak_least` is whether each peak is that, because of this or of missing live ranges.

    `fits` is None where it is not known what the device has. `devices` says in words how many run it; it is empty for
    one. `filled` says which lines fill the peak, or how to learn it. `largest` and `other_bytes` add up to the peak.
    """

    path: str
    name: str
    backend: str
    space: str
    fits: bool | None
    needed_bytes: int
    peak_bytes: int | None
    peak_moment: int | None
    schedule_length: int | None
    allocated_bytes: int
    missing_allocations: str
    is_peak_least: bool
    capacity_bytes: int | None
    capacity_source: str | None
    verdict: str
    first_step: str
    devices: str
    spaces: tuple[SpaceNeed, ...]
    filled: str
    lines: tuple[SourceBytes, ...]
    largest: tuple[LargestBuffers, ...]
    other_bytes: int
    phases: tuple[PhasePeak, ...]
    steps: tuple[MemoryStep, ...]
    sequence: tuple[Together, ...]
    unknown: tuple[str, ...]


def explanation(entry: Summary) -> Explanation:
    """Return the explanation of a module."""
    document = entry.report
    spaces: Mapping[str, Mapping[str, Any]] = document["spaces"]
    color = entry.space_name.partition(" ")[0]
    space = spaces.get(color, {})
    advice: Mapping[str, Any] = spaces.get(str(MAIN_SPACE), {}).get("advice", {})
    groups = space.get("peak_resident_groups", ())[:_LARGEST]
    capacity: Mapping[str, Any] = space.get("capacity") or {}
    peak = entry.peak_resident_bytes
    return Explanation(
        path=entry.label,
        name=entry.title,
        backend=entry.backend,
        space=space.get("name", ""),
        fits=entry.fits,
        needed_bytes=entry.needed_bytes,
        peak_bytes=peak,
        peak_moment=space.get("peak_resident_moment"),
        schedule_length=entry.schedule_length,
        allocated_bytes=space.get("allocated_bytes", 0),
        missing_allocations=entry.missing,
        is_peak_least=entry.is_peak_least,
        capacity_bytes=entry.capacity_bytes,
        capacity_source=capacity.get("source"),
        verdict=_verdict(entry, document),
        first_step=entry.first_move,
        devices=entry.devices,
        spaces=tuple(_space_need(one) for one in spaces.values()),
        filled=entry.filled,
        lines=tuple(SourceBytes(**line) for line in space.get("peak_resident_lines", ())[:_LARGEST]),
        largest=tuple(
            LargestBuffers(**{key: value for key, value in group.items() if key != "class"}) for group in groups
        ),
        other_bytes=(peak or 0) - sum(group["bytes"] for group in groups),
        phases=tuple(map(_phase, document["phases"])),
        steps=tuple(_step(advice["moves"][number]) for number in advice.get("steps", ())),
        sequence=tuple(map(_together, advice.get("sequence", ()))),
        unknown=tuple(_unknown(entry, space, advice)),
    )


def explain_json(explanations: Iterable[Explanation], errors: Iterable[LoggedError]) -> bytes:
    """Return the document of `explain --json`: the modules that need most first, and the errors of texts."""
    return json_document(SCHEMA, (json_line(asdict(one)) for one in explanations), errors)


def _verdict(entry: Summary, document: Mapping[str, Any]) -> str:
    """Return in one sentence whether a module fits, and what could make it."""
    refused = document["refused"]
    over = [space for space in document["spaces"].values() if (space["capacity"] or {}).get("excess_bytes", 0) > 0]
    if refused:
        return f"The compiler refused this program{_refusal_words(entry, refused)}."
    if over and not (entry.excess_bytes or 0) > 0:
        space, capacity = over[0], over[0]["capacity"]
        most = human_bytes(capacity["size_bytes"])
        needed = least_words(space["needed_bytes"], is_least=bool(entry.missing))
        return f"Does not fit: needs {needed} of {space['name']}, which has {most}."
    if entry.capacity and entry.fits is None:
        return f"{capital(entry.capacity)}."
    if entry.capacity:
        return f"{'Fits' if entry.fits else 'Does not fit'}: {entry.capacity}."
    needed = least_words(entry.needed_bytes, is_least=bool(entry.missing))
    return f"Needs {needed}{_kinds_words(entry, document)}. Whether that fits is not known."


def _kinds_words(entry: Summary, document: Mapping[str, Any]) -> str:
    """Return how much of the need are temporaries, for a dump without live ranges, which has no peak to take apart."""
    space = document["spaces"].get(entry.space_name.partition(" ")[0])
    if entry.peak_resident_bytes is not None or not space or entry.missing:
        return ""
    kept: int = space["static_bytes"]
    temporary = human_bytes(space["needed_bytes"] - kept)
    return f": temporaries {temporary}, arguments, outputs and constants {human_bytes(kept)}"


def _refusal_words(entry: Summary, refused: Mapping[str, Any]) -> str:
    if (entry.excess_bytes or 0) > 0:
        return f": it {entry.capacity}"
    sizes = ((refused[name], name) for name in ("needed", "usable"))
    words = [f"{range_words(SizeRange(size['low_bytes'], size['high_bytes']))} {name}" for size, name in sizes if size]
    return f": {', '.join(words)} of {refused['space'].upper()}" if words else ""


def _space_need(space: Mapping[str, Any]) -> SpaceNeed:
    peak: int | None = space["peak_resident_bytes"]
    return SpaceNeed(
        name=space["name"],
        needed_bytes=space["needed_bytes"],
        peak_bytes=peak,
        allocated_bytes=space["allocated_bytes"],
        capacity_bytes=space["capacity"] and space["capacity"]["size_bytes"],
    )


def _phase(phase: Mapping[str, Any]) -> PhasePeak:
    return PhasePeak(
        kind=phase["kind"],
        passes=tuple(phase["passes"]),
        name=phase["source"] or phase["scope"] or phase["instruction"],
        first=phase["first"],
        last=phase["last"],
        peak_bytes=phase["peak_bytes"],
    )


def _step(move: Mapping[str, Any]) -> MemoryStep:
    return MemoryStep(
        what=move["what"],
        claim=move["claim"],
        naive_bytes=move["naive_bytes"],
        saving_bytes=move["saving_bytes"],
        saving_high_bytes=move["saving_high_bytes"],
        peak_bytes=move["new_peak_bytes"],
        needed_bytes=move["needed_bytes"],
        code=move["code"],
    )


def _together(step: Mapping[str, Any]) -> Together:
    least = step["peak_after_high_bytes"]
    peak: int = step["peak_after_bytes"]
    return Together(
        what=step["what"],
        claim=step["claim"],
        peak_bytes=peak,
        peak_high_saving=peak if least is None else least,
        needed_bytes=step["needed_after_bytes"],
    )


def _unknown(entry: Summary, space: Mapping[str, Any], advice: Mapping[str, Any]) -> Sequence[str]:
    """Return a sentence on each thing that the dump does not say."""
    peak, known = entry.peak_resident_bytes, space.get("attributed")
    errors = dict(entry.finding_counts).get("error", 0)
    if entry.missing:  # which is said above
        errors -= sum(finding.slug in _OF_MISSING for finding in entry.findings)
    unnamed = peak - known["scope_bytes"] - known["reserved_bytes"] if peak and known else 0
    where = f", in at most {human_bytes(doubt)} of this memory" if (doubt := advice.get("contested_bytes")) else ""
    of_peak = f"{human_bytes(unnamed)} ({percent(unnamed, peak or 0)}) of the peak"
    sentences = {
        "What is resident when: the dump has no live ranges, so there is no peak, no phase and no step.": peak is None,
        "What the device has: --capacity v5e, or 16GiB, says it.": not entry.capacity,
        f"What would lower the peak: {advice.get('withheld') or ''}": bool(advice.get("withheld")) and peak is not None,
        f"What {of_peak} belongs to in the program.": unnamed * _SMALL > (peak or 0),
        entry.filled: bool(peak and not space.get("peak_resident_lines")),
        f"Whether the figures are right: the dump contradicts itself ({errors:,} times{where}); see `check`.": bool(
            errors
        ),
        _RUNTIME: True,
    }
    return [sentence for sentence, applies in sentences.items() if applies]
