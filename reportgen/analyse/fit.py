"""Judge whether a program fits into its device, by what the compiler said and by the dump itself.

A TPU compiler that refuses a program leaves its dump, and beside it a file that says so. Older compilers count the
temporaries alone and accept programs that cannot run; then only the dump shows it.
"""

from collections.abc import Iterator, Sequence

from reportgen.analyse.capacity import device_beside
from reportgen.analyse.devices import MAIN_SPACE, Device, read_capacity
from reportgen.analyse.logged_errors import errors_in
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.input.dump_text import Sibling
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.forms import OF_COMPILER
from reportgen.oom.printed_size import SizeRange
from reportgen.parse.shape_parser import plain_shape
from reportgen.record import record

GIVEN = "given"
REFUSED = frozenset({"refusal", "refusal list"})
"""The siblings that a compiler writes when it refuses a program, after the dump."""
_SIMILAR = (0.8, 1.25)
"""Ratios between an error's capacity and that of the device next to it: some errors state the whole memory."""


@record
class Misfit:
    """A program that does not fit, in bytes.

    `needed` is from the compiler, `usable` from the compiler, the device named next to the dump or the user; `chip` is
    empty for the compiler, and `GIVEN` for the user. `resident_bytes` is the peak that the dump shows in
    that memory, None in one that holds a single buffer too large for it. `missing` is what it exceeds the usable
    memory by. Each of the shares in `enough` is larger than that.
    """

    is_refused: bool
    space: str
    needed: SizeRange | None
    usable: SizeRange | None
    chip: str
    resident_bytes: int | None
    missing: SizeRange | None
    enough: tuple[Share, ...]

    @property
    def is_elsewhere(self) -> bool:
        """Whether another memory than the main one is too small, so that no advice for that one helps."""
        return self.space != "hbm"


def misfit(
    analysis: Analysis, module_name: str, siblings: Sequence[Sibling], overrides: Sequence[str] = ()
) -> Misfit | None:
    """Return why the program does not fit, or None if nothing says so; `overrides` replace every capacity found."""
    device = device_beside(siblings)
    event = next(_events_of(analysis, module_name, siblings, device.usable if device else None), None)
    is_refused = event is not None or any(
        sibling.kind in REFUSED and not sibling.is_from_before for sibling in siblings
    )
    chip, usable = _usable(device, event, overrides)
    if event and event.space not in ("", "hbm"):
        missing = event.needed - event.capacity if event.needed and event.capacity else None
        return _misfit(is_refused, event, usable, chip, None, missing)
    space = analysis.spaces.get(MAIN_SPACE)
    peak = space.peak_resident if space else None
    missing = SizeRange(peak.amount, peak.amount) - usable if peak and usable else None
    if not is_refused and (missing is None or missing.low_bytes <= 0):
        return None
    return _misfit(is_refused, event, usable, chip, space, missing)


def _usable(device: Device | None, event: OutOfMemory | None, overrides: Sequence[str]) -> tuple[str, SizeRange | None]:
    """Return a chip and its usable memory: by an override, else by the compiler's error, else by the device."""
    if override := dict(map(read_capacity, overrides)).get(MAIN_SPACE):
        return GIVEN, SizeRange(override.size_bytes, override.size_bytes)
    if event and event.capacity:
        return "", event.capacity
    if device:
        return ", ".join(filter(None, (device.title, device.scope))), device.usable
    return "", None


def _misfit(
    is_refused: bool,
    event: OutOfMemory | None,
    usable: SizeRange | None,
    chip: str,
    space: Space | None,
    missing: SizeRange | None,
) -> Misfit:
    """Return why a program does not fit; only values that take all that is missing are enough on their own.

    Nothing is missing where even the low estimate is 0 or less.
    """
    exceeds = missing is not None and missing.low_bytes > 0
    peak = space.peak_resident if space else None
    shares = space.composition if space and missing and exceeds else ()
    return Misfit(
        is_refused=is_refused,
        space=(event.space if event else "") or "hbm",
        needed=event.needed if event else None,
        usable=usable,
        chip=chip,
        resident_bytes=peak.amount if peak else None,
        missing=missing if exceeds else None,
        enough=tuple(share for share in shares if missing and share.size_bytes >= missing.high_bytes),
    )


def _events_of(
    analysis: Analysis, module_name: str, siblings: Sequence[Sibling], usable: SizeRange | None
) -> Iterator[OutOfMemory]:
    """Yield the compiler's errors about this module; a text next to it may be about another one, or an earlier form."""
    for sibling in siblings:
        if sibling.kind == "error text":
            for event in errors_in(sibling.data):
                if event.kind in OF_COMPILER and _is_about(event, analysis, module_name, sibling, usable):
                    yield event


def _is_about(
    event: OutOfMemory, analysis: Analysis, module_name: str, sibling: Sibling, usable: SizeRange | None
) -> bool:
    """Return whether all that an error states agrees with a module, and whether it states enough to tell."""
    if event.space and analysis.backend != "tpu":  # only a TPU's compiler names the memory that is too small
        return False
    if event.module and event.module != module_name:
        return False
    is_main = event.space in ("", "hbm")
    if is_main and event.capacity and usable and not _are_similar(event.capacity, usable):
        return False
    named = [buffer for buffer in event.buffers if buffer.instruction]
    if not all(_is_of(buffer, analysis) for buffer in named):
        return False
    if is_main and event.kind == "compile" and event.needed:
        return any(size in event.needed for size in _needs(analysis))
    # A name alone may be that of an earlier form of the program.
    return bool(named) or (bool(event.module) and not sibling.is_from_before)


def _are_similar(capacity: SizeRange, usable: SizeRange) -> bool:
    least, most = _SIMILAR
    return least < capacity.middle / usable.middle < most


def _is_of(buffer: LoggedBuffer, analysis: Analysis) -> bool:
    """Return whether a module has the buffer that an error names, of the shape and the size that it states."""
    values = analysis.dump.values
    return any(
        (not buffer.shape or plain_shape(values.shapes[number]) == plain_shape(buffer.shape))
        and (buffer.is_cut or buffer.size is None or values.sizes[number] in buffer.size)
        for number in analysis.dump.made_by.get(buffer.instruction, ())
    )


def _needs(analysis: Analysis) -> Iterator[int]:
    """Yield the amounts that compilers state as the need of a module: its whole need, or its temporaries alone.

    libtpu 0.0.42 counts the gaps between temporaries twice.
    """
    space = analysis.spaces.get(MAIN_SPACE)
    if space is None:
        return
    temp = sum(
        allocation.size_bytes
        for allocation in analysis.dump.allocations
        if allocation.is_preallocated_temp and not allocation.color
    )
    gaps = temp - space.peak_temp.amount if space.peak_temp else 0
    yield from (space.needed_bytes, temp, space.needed_bytes + gaps, temp + gaps)
