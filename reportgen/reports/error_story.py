"""Say what an out-of-memory error is, what caused it and what to do: once, for pages, terminals and JSON alike."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import PurePosixPath
from string import Formatter

from reportgen.analyse.devices import DEVICES, Device
from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.forms import OF_COMPILER, OF_ONE_REQUEST, SIZES, VERDICTS, WORDS
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.record import record
from reportgen.reports.error_causes import Cause, causes_of, free_of, missing_of, parts_of, size_named, whole_of
from reportgen.reports.error_padding import completed
from reportgen.reports.formats import logged_bytes, range_words

_SPACE_NUMBERS: Mapping[str, str] = {"0": "smem", "201": "tilespmem", "202": "spmem"}
"""Memory spaces of a SparseCore, as the errors of XLA:TPU number them (XLA docs/errors/error_3000.md)."""

_ELEMENT_BITS: Mapping[str, int] = {"float": 32, "half": 16, "double": 64, "bool": 8}
"""Bits of the elements whose names in TensorFlow and JAX do not end in them."""

_MOST_DEVICES, _MOST_LINES = 3, 5
_FRACTION, _POOL_PERCENT = "XLA_PYTHON_CLIENT_MEM_FRACTION", 75
"""The share of a GPU that JAX makes its pool of by default (XLA `GpuAllocatorConfig::memory_fraction`)."""
_ARRAY = re.compile(r"\b([a-z]\w*+)\[([\d,]*+)\]")
_COUNTED = ("_size", "_kib", "_gib")
_BITS = re.compile(r"(?<=[a-z])\d{1,3}")
_MISSING = {"capacity": "over capacity", "free": "short", "largest free piece": "short in one piece"}
_MAIN = ("", "hbm", "device")
"""What the main memory of a device is called, if it is named at all."""

RUN_AGAIN = "`reportgen run -- COMMAND` runs the program once more with a dump, which names every buffer at the peak."
_IN_BLOCKS = (
    "Compute the array in blocks, such as the steps of a `jax.lax.scan`, and reduce each before the next, or divide it "
    "over several devices."
)


@record
class ErrorStory:
    """All that is said of an error.

    `event` has the sizes of buffers that follow from their shapes. `place` are the lines of its text, `causes` and
    `about` sentences on what fills the memory and on what else the text says, `sizes` the amounts that it states, each
    with what it is, and `missing` what is too much, in words. `program_need` is what a whole program needs of the main
    memory, and `least_need` that or what is needed at least; both are None where something else is the limit.
    `devices` are those that may have printed the text, the smallest first.
    """

    event: OutOfMemory
    verdict: str
    place: str
    cause: Cause
    causes: Sequence[str]
    about: Sequence[str]
    sizes: Sequence[tuple[str, SizeRange]]
    missing: str
    program_need: SizeRange | None
    least_need: SizeRange | None
    devices: Sequence[Device]
    heading: str
    next_step: str
    would_fit: str
    unknown: Sequence[str]

    @property
    def told(self) -> Sequence[str]:
        return [*self.causes, *self.about]

    @property
    def figures(self) -> str:
        """Return the sizes in a row, and what is too much; empty if there are none."""
        needed, capacity = self.event.needed, self.event.capacity
        look_equal = needed and capacity and range_words(needed) == range_words(capacity)
        shown = [
            f"{logged_bytes(size.middle)} {words}"
            for words, size in self.sizes
            if not (look_equal and words == "needed")
        ]
        return ", ".join([*shown, self.missing] if self.missing else shown)


def story_of(printed: OutOfMemory) -> ErrorStory:
    """Return what is said of an error."""
    event = completed(printed)
    found = [*causes_of(event)]
    cause: Cause = next((cause for cause, _ in found if cause), "")
    need = _program_need(event)
    heading, step = _next_step(event, cause)
    backend = event.form.backend
    kinds = [one for one in DEVICES.values() if not backend or one.title.startswith("TPU") == (backend == "tpu")]
    devices = sorted(kinds, key=lambda one: one.size_bytes)
    return ErrorStory(
        event=event,
        verdict=VERDICTS[event.kind],
        place=_place(event),
        cause=cause,
        causes=[sentence for _, sentence in found],
        about=[*_about(event)],
        sizes=_sizes_of(event),
        missing=_missing_words(event),
        program_need=need,
        least_need=need or _least_need(event),
        devices=devices,
        heading=heading,
        next_step=step,
        would_fit=_would_fit(event, need, devices) if need and cause != "held before" else "",
        unknown=[*_unknown(event, cause)],
    )


def listed_bytes(event: OutOfMemory) -> SizeRange | None:
    """Return what the listed buffers add up to; None where no size is known."""
    sizes = [buffer.size for buffer in event.buffers if buffer.size]
    return sum(sizes, start=SizeRange(0, 0)) if sizes else None


def _place(event: OutOfMemory) -> str:
    """Return `line 4`, or `3 times, lines 4, 9 and 12`, of which the first are named."""
    lines = [f"{line:,}" for line in event.lines[: _MOST_LINES + 1]]
    if len(lines) == 1:
        return f"line {lines[0]}"
    *first, last = lines
    return f"{len(event.lines):,} times, lines {', '.join(first)} {'…' if len(first) == _MOST_LINES else f'and {last}'}"


def _sizes_of(event: OutOfMemory) -> Sequence[tuple[str, SizeRange]]:
    whole, needed = size_named(event, "total allocation"), event.needed
    if event.kind == "compiled":
        whole, needed = needed or whole_of(event), None
    is_load, (free, piece) = event.kind in ("load", "data"), free_of(event)
    named = (
        ("needed", needed),
        ("for the whole program", whole),
        ("usable", event.capacity),
        ("in use", None if is_load or event.name == "rematerialization" else event.held),
        ("left outside of its pool" if event.kind == "allocator" else "free", free),
        ("of that in one piece", piece if piece != free else None),
    )
    sizes = [(words, size) for words, size in named if size]
    listed = listed_bytes(event)
    return sizes or ([("named in this text", listed)] if listed and not event.totals else [])


def _missing_words(event: OutOfMemory) -> str:
    """Return what is too much: as the text states it, or as a difference of rounded sizes."""
    missing = missing_of(event)
    if missing is None:
        return ""
    stated = event.excess if missing.of == "capacity" else None
    return f"{logged_bytes(stated.middle) if stated else range_words(missing.size)} {_MISSING[missing.of]}"


def _next_step(event: OutOfMemory, cause: Cause) -> tuple[str, str]:
    """Return the next thing to do in a few words, which may be empty, and in sentences.

    It is for the cause where that is known, else for the error.
    """
    form = event.form
    own = form.next_step
    if event.kind == "other":
        return "", own
    causes, in_space = WORDS["causes"], WORDS["steps_in_space"]
    if cause == "versions":
        return tuple(causes[cause])
    if not form.has_plan or event.space not in _MAIN:
        step = own or (in_space.get(event.space, in_space["other"]) if event.space in WORDS["spaces"] else RUN_AGAIN)
    elif cause == "fragmentation" and event.needed:
        step = WORDS["fragmented"].get(form.backend, RUN_AGAIN)
    elif cause in causes:
        heading, step = causes[cause]
        return heading, step if cause == "held before" else f"{step} {own or RUN_AGAIN}"
    elif event.kind == "allocation" and event.buffers and event.buffers[0].kind.startswith("output of "):
        return "Do not make the whole array at once", f"{_IN_BLOCKS} {RUN_AGAIN}"
    else:
        step = own or WORDS["kinds"].get(event.kind, RUN_AGAIN)
    return "Run it again with a dump" if step == RUN_AGAIN else "", step


def _would_fit(event: OutOfMemory, need: SizeRange, devices: Sequence[Device]) -> str:
    """Return on which devices a program would fit as it is. Of a GPU it has the pool that JAX makes by default."""
    is_gpu = event.form.backend == "gpu"
    percent = _POOL_PERCENT if is_gpu else 100
    large = [one for one in devices if one.usable.low_bytes * percent // 100 >= need.high_bytes]
    names = [f"{one.title} ({logged_bytes(one.size_bytes)})" for one in large[:_MOST_DEVICES]]
    if not names:
        return f"No {'GPU' if is_gpu else 'TPU'} that reportgen knows has that much memory."
    larger = " and larger ones" if len(large) > _MOST_DEVICES else ""
    pool = f" JAX takes 75 % of a GPU unless `{_FRACTION}` says more." if is_gpu else ""
    return f"As it is, it would fit on {', '.join(names)}{larger}.{pool}"


def _program_need(event: OutOfMemory) -> SizeRange | None:
    is_run = event.kind == "execution"
    need = size_named(event, "total allocation") if is_run else event.needed
    is_program = is_run or event.kind in OF_COMPILER
    return need if is_program and event.space in _MAIN and event.form.backend else None


def _least_need(event: OutOfMemory) -> SizeRange | None:
    """Return what failed or, without that, what is listed."""
    is_part = event.kind in OF_ONE_REQUEST - {"allocator"} | {"fragment"} and not event.free
    is_elsewhere = event.space not in _MAIN or any(buffer.kind == "scoped" for buffer in event.buffers)
    return (event.needed or listed_bytes(event)) if is_part and not is_elsewhere else None


def _unknown(event: OutOfMemory, cause: Cause) -> Iterator[str]:
    """Yield what the text does not say, as sentences."""
    lacks, table = WORDS["lacks"].get(event.kind, ("", ""))
    says_who = "pool_share" in dict(event.words) or any(total.head.startswith(table) for total in event.totals)
    if lacks and not says_who and cause != "held before":
        yield lacks
    if event.kind == "fragment" and event.buffers and not event.needed and not event.totals:
        yield "The total is not in this text." if listed_bytes(event) else "No size is in this text."


def _about(event: OutOfMemory) -> Iterator[str]:
    """Yield the sentences of the form of which the text has all that they name, and what the memory is."""
    known = _named(event)
    for sentence in event.form.says:
        names = [name for _, name, _, _ in Formatter().parse(sentence) if name]
        if all(known.get(name) for name in names):
            yield sentence.format_map(known)
    if space := WORDS["spaces"].get(known.get("space_slug", "")):
        yield f"It is {space} that is too small, not HBM."


def _named(event: OutOfMemory) -> Mapping[str, str]:
    """Return in words all that a sentence may name."""
    known = dict(event.words) | {"module": event.module, "device": event.device}
    known["space_slug"] = _SPACE_NUMBERS.get(known.get("space_number", ""), event.space)
    known["space"] = {"tilespmem": "TileSpmem", "spmem": "Spmem"}.get(known["space_slug"], known["space_slug"].upper())
    sizes: dict[str, SizeRange | None] = {name: getattr(event, name, None) for name in SIZES}
    sizes |= {row.name: row.size for row in event.totals} | dict(parts_of(event).items())
    sizes["sum"] = None if event.needed else whole_of(event)
    sizes |= {name: _counted_size(name, value) for name, value in event.words if name.endswith(_COUNTED)}
    known |= {name: logged_bytes(size.middle) for name, size in sizes.items() if size and size.middle}
    if "source_file" in known:
        known["source"] = f"{PurePosixPath(known['source_file']).name}:{known.get('source_line', '')}"
    if "dtype" in known:
        known["tensor"] = _array_words(f"{known['dtype']}[{known.get('dimensions', '')}]")
    if arrays := known.get("arrays"):
        known["arrays"] = _array_words(arrays)
    return known


def _array_words(text: str) -> str:
    """Return arrays as JAX or TensorFlow prints their types, each with its bytes."""
    found = [*_ARRAY.finditer(text)]
    sizes = [_bits(array[1]) * prod(int(size) for size in array[2].split(",") if size) // 8 for array in found]
    words = [f"{array[0]} ({logged_bytes(size)})" for array, size in zip(found, sizes, strict=True) if size]
    total = f", together {logged_bytes(sum(sizes))}" if len(words) > 1 else ""
    return f"{', '.join(words)}{total}" if words else text.rstrip(".")


def _bits(dtype: str) -> int:
    bits = _BITS.search(dtype)
    return int(bits[0]) if bits else _ELEMENT_BITS.get(dtype, 0)


def _counted_size(name: str, printed: str) -> SizeRange | None:
    """Return a size that a sentence states beside what was needed: in that of its name where it has no unit."""
    unit = name.rpartition("_")[2]
    return read_size(printed if unit == "size" else f"{printed}{unit[0].upper()}iB", needs_unit=False)
