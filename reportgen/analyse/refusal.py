"""Read whether the compiler refused a program: in a file beside the dump, or in an error text that is about it."""

from collections.abc import Iterator, Sequence

from reportgen.analyse.capacity import device_beside
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import Refusal
from reportgen.analyse.logged_errors import errors_in
from reportgen.analyse.records import Analysis
from reportgen.input.dump_text import Sibling
from reportgen.oom.error_event import LoggedBuffer, OutOfMemory
from reportgen.oom.forms import OF_COMPILER
from reportgen.oom.printed_size import SizeRange
from reportgen.parse.shape_parser import plain_shape

REFUSED = frozenset({"refusal", "refusal list"})
"""The siblings that a compiler writes when it refuses a program, after the dump."""
_SIMILAR = (0.8, 1.25)
"""Ratios between an error's capacity and that of the device next to it: some errors state the whole memory."""


def refusal_of(analysis: Analysis, module_name: str, siblings: Sequence[Sibling]) -> Refusal | None:
    """Return what the compiler said when it refused a program; None if nothing says that it did."""
    device = device_beside(siblings)
    usable = device.usable if device else None
    events = (
        event
        for sibling in siblings
        if sibling.kind == "error text"
        for event in errors_in(sibling.data)
        if event.kind in OF_COMPILER and _is_about(event, analysis, module_name, sibling, usable)
    )
    event = next(events, None)
    if event is None and not any(sibling.kind in REFUSED and not sibling.is_from_before for sibling in siblings):
        return None
    space, needed, stated = (event.space or "hbm", event.needed, event.capacity) if event else ("hbm", None, None)
    if space != "hbm" or device is None:
        return Refusal(space=space, needed=needed, usable=stated)
    return Refusal(space=space, needed=needed, usable=stated or device.usable, device=device.title)


def _is_about(
    event: OutOfMemory, analysis: Analysis, module_name: str, sibling: Sibling, usable: SizeRange | None
) -> bool:
    """Return whether all that an error states agrees with a module, and whether it states enough to tell."""
    # Only a TPU's compiler names the memory that is too small.
    if (event.space and analysis.backend != "tpu") or event.module not in ("", module_name):
        return False
    if event.needed and event.capacity and event.needed.high_bytes < event.capacity.low_bytes:
        return False  # because nothing is refused for what it does not exceed
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
