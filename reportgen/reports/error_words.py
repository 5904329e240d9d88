"""Say what an out-of-memory error is, what caused it and what to do, for pages and terminals alike."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import PurePosixPath
from string import Formatter

from reportgen.analyse.devices import DEVICES, Device
from reportgen.oom.error_event import OutOfMemory
from reportgen.oom.forms import FIGURES, OF_COMPILER, SIZES, VERDICTS, WARNINGS
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.reports.error_causes import Cause, excess_of, explained, free_of, parts_of, size_named, whole_of
from reportgen.reports.error_padding import operands, unpadded, with_size
from reportgen.reports.formats import exact_bytes, human_bytes, range_words

_SPACES: Mapping[str, str] = {
    "vmem": "VMEM, the vector memory of a core,",
    "smem": "SMEM, the scalar memory of a core (prefetched indices and block tables of a kernel),",
    "cmem": "CMEM, a memory shared by the cores of a chip,",
    "sflag": "SFLAG, the memory of semaphores,",
    "tilespmem": "TileSpmem, the memory of a SparseCore’s tile,",
    "spmem": "Spmem, the memory that the tiles of a SparseCore share,",
}
_SPACE_NUMBERS: Mapping[str, str] = {"0": "smem", "201": "tilespmem", "202": "spmem"}
"""Memory spaces of a SparseCore, as the errors of XLA:TPU number them (XLA docs/errors/error_3000.md)."""

_DTYPE_BYTES: Mapping[str, int] = {
    "float": 4, "half": 2, "float16": 2, "bfloat16": 2, "double": 8, "float64": 8, "int8": 1, "uint8": 1, "bool": 1,
    "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip
"""Bytes of an element, by the names that TensorFlow prints."""

_MOST_DEVICES = 3
_MOST_LINES = 5
_FRACTION, _POOL_PERCENT = "XLA_PYTHON_CLIENT_MEM_FRACTION", 75
"""The share of a GPU that JAX makes its pool of by default (XLA `GpuAllocatorConfig::memory_fraction`)."""
_ARRAY = re.compile(r"\b([a-z]+\d*\w*)\[([\d,]*)\]")
_MAIN = ("", "hbm", "device")
"""What the main memory of a device is called, if it is named at all."""

_SMALLER = "Make the blocks or windows of the kernel smaller. Batch and checkpoints change only the HBM."
_RUN_AGAIN = "`reportgen run -- COMMAND` runs the program once more with a dump, which names every buffer at the peak."
_IN_BLOCKS = "Compute the array in blocks, such as the steps of a `jax.lax.scan`, and reduce each before the next"
_FIND_LINE = "`reportgen run -- COMMAND` runs the program once more with a dump, to find the line that makes it."
_BY_CAUSE: Mapping[Cause, str] = {
    "padding": (
        "Lay the array out so that its tiles are full: put a long dimension last, or merge the short one with another."
    ),
    "arguments": (
        "Use fewer or narrower weights, or shard them over more devices. A smaller batch and checkpoints change only"
        " what is not an argument."
    ),
    "outputs": "Return fewer or smaller outputs, or donate the arguments that they replace (`donate_argnums`).",
    "temporaries": "Use a smaller batch, or recompute values in the backward pass (`jax.checkpoint`).",
    "held before": (
        "End other processes on the device, delete arrays that earlier steps left (`jax.live_arrays()` lists them), and"
        " let results be ready before the next step (`jax.block_until_ready`)."
    ),
    "held by itself": (
        "Check first that the program’s state is donated (`donate_argnums`): otherwise its arguments and outputs are"
        " in memory at once."
    ),
}
_HEADINGS: Mapping[Cause, str] = {
    "padding": "Put a long dimension last",
    "arguments": "Use fewer or smaller arguments",
    "outputs": "Return fewer or smaller outputs",
    "temporaries": "Use a smaller batch, or recompute",
    "held before": "Free what holds the memory",
    "held by itself": "Donate the state",
}
"""What `_BY_CAUSE` says in a sentence, as a heading."""
_FRAGMENTED: Mapping[str, str] = {
    "tpu": (
        "Load the largest program first, before arrays are put on the device, or delete arrays (`jax.live_arrays()`"
        " lists them). A smaller batch is not needed."
    ),
    "gpu": (
        "Use an allocator that does not fragment (`TF_GPU_ALLOCATOR=cuda_malloc_async`), or start the process afresh."
    ),
}
_BY_KIND: Mapping[str, str] = {
    "load": "Before the program is loaded, delete arrays that are not needed (`jax.live_arrays()` lists them).",
    "data": "Delete arrays that are not needed (`jax.live_arrays()` lists them), or shard this one over more devices.",
}
_LACKS: Mapping[str, str] = {
    "load": "Other programs and their data hold the rest of the memory; the message does not say which.",
    "data": "Programs and data hold the rest of the memory; the message does not say which.",
    "execution": "Other programs and data share the device; the message does not say which.",
    "allocator": "It does not say which programs and data hold the memory.",
}
_NO_TIMELINE = "An error message has no timeline, peak or suggestions. Run again with `reportgen run`."


def verdict(event: OutOfMemory) -> str:
    """Return in a few words what happened, and when."""
    return VERDICTS[event.kind]


def lines_words(event: OutOfMemory) -> str:
    """Return `line 4`, or `3 times, lines 4, 9 and 12`, of which the first are named."""
    first, *others = (f"{line:,}" for line in event.lines[:_MOST_LINES])
    if not others:
        return f"line {first}"
    rest = "" if len(event.lines) <= _MOST_LINES else " …"
    names = ", ".join((first, *others)) if rest else f"{', '.join((first, *others[:-1]))} and {others[-1]}"
    return f"{len(event.lines):,} times, lines {names}{rest}"


def is_failure(event: OutOfMemory) -> bool:
    """Return whether a program failed; warnings and figures are no failure."""
    return event.kind not in WARNINGS | FIGURES


def told(event: OutOfMemory) -> list[str]:
    """Return what the text says in sentences: the cause first, then what it is about."""
    return [*explained(event).sentences, *about(event)]


def only_buffer(event: OutOfMemory) -> list[str]:
    """Return in sentences the buffer that is all a text has; empty where there is more, or less."""
    if event.needed or event.totals or len(event.buffers) != 1:
        return []
    printed = event.buffers[0]
    buffer = with_size(printed)
    name = buffer.instruction or buffer.op_name or buffer.opcode or "one without a name"
    if not buffer.size:
        return [f"One buffer is named: {name}.", "Neither its size nor the total is in this text."]
    size = f"{range_words(buffer.size)}{'' if printed.size else ' (from its shape)'}"
    named = f"{name}, {size}, reads it." if operands(event) else f"One buffer is named: {name}, {size}."
    return [named, "The total is not in this text."]


def sizes_of(event: OutOfMemory) -> Sequence[tuple[str, SizeRange]]:
    """Return the sizes that a text states, each with what it is, those that look equal once."""
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
    return [(words, size) for words, size in named if size]


def figures(event: OutOfMemory) -> str:
    """Return what is needed, usable, in use, free and too much, as far as the text says so; empty if it does not."""
    needed, capacity, excess = event.needed, event.capacity, excess_words(event)
    if needed and capacity and range_words(needed) == range_words(capacity):
        return _equal_figures(needed, capacity, excess)
    stated = [f"{human_bytes(size.middle)} {words}" for words, size in sizes_of(event)]
    return ", ".join([*stated, f"{excess} over capacity"] if excess else stated)


def excess_words(event: OutOfMemory) -> str:
    """Return what is too much: as the text states it, or a difference of rounded sizes as a range; else empty."""
    if event.excess:
        return human_bytes(event.excess.middle)
    excess = excess_of(event)
    return range_words(excess) if excess else ""


def next_step(event: OutOfMemory) -> str:
    """Return the next thing to do: for the cause where it is known, else for the error."""
    form, cause = event.form, explained(event).cause
    if not form.has_plan or event.space not in _MAIN:
        return form.next_step or (_SMALLER if event.space in _SPACES else _RUN_AGAIN)
    if cause == "fragmentation" and event.needed:
        return _FRAGMENTED.get(form.backend, _RUN_AGAIN)
    if cause == "held before":
        return _BY_CAUSE[cause]
    if cause in _BY_CAUSE:
        return f"{_BY_CAUSE[cause]} {_RUN_AGAIN}" if not form.next_step else f"{_BY_CAUSE[cause]} {form.next_step}"
    if event.capacity and (least := _least_devices(event)):
        several = f"at least {least:,} devices of {range_words(event.capacity)}"
        return f"{_IN_BLOCKS}, or divide it: this array alone takes {several}. {_FIND_LINE}"
    return form.next_step or _BY_KIND.get(event.kind, _RUN_AGAIN)


def _least_devices(event: OutOfMemory) -> int:
    """Return how many devices an array needs that is larger than one; 0 where the text is not about such an array."""
    buffer = event.buffers[0] if event.kind == "allocation" and event.buffers else None
    if not buffer or not buffer.kind.startswith("output of ") or not event.needed or not event.capacity:
        return 0
    dense, capacity = unpadded(buffer) or event.needed, event.capacity.high_bytes
    return -(-dense.low_bytes // capacity) if dense.low_bytes > capacity > 0 else 0


def would_fit(event: OutOfMemory) -> str:
    """Return on which devices the program would fit as it is; empty where the text is not about such a need."""
    need = program_need(event)
    if not need or explained(event).cause == "held before":
        return ""
    large = [kind for kind in devices_of(event) if pool_bytes(kind) >= need.high_bytes]
    names = [f"{one.title} ({human_bytes(one.size_bytes)})" for one in large[:_MOST_DEVICES]]
    if not names:
        return f"No {'TPU' if event.form.backend == 'tpu' else 'GPU'} that reportgen knows has that much memory."
    larger = " and larger ones" if len(large) > _MOST_DEVICES else ""
    pool = f" JAX takes 75 % of a GPU unless `{_FRACTION}` says more." if event.form.backend == "gpu" else ""
    return f"As it is, it would fit on {', '.join(names)}{larger}.{pool}"


def pool_bytes(device: Device) -> int:
    """Return what a program can have on a device at least: of a GPU the pool that JAX makes by default."""
    return device.usable.low_bytes * (100 if device.title.startswith("TPU") else _POOL_PERCENT) // 100


def program_need(event: OutOfMemory) -> SizeRange | None:
    """Return what a whole program needs of a device's main memory; None where the text is not about that."""
    need = size_named(event, "total allocation") if event.kind == "execution" else event.needed
    is_program = event.kind in OF_COMPILER or (event.kind == "execution" and need is not event.needed)
    return need if is_program and event.space in _MAIN and event.form.backend else None


def least_need(event: OutOfMemory, listed: SizeRange | None) -> SizeRange | None:
    """Return what is needed of a device's main memory at least: what failed or, without that, what is `listed`.

    None where something else limits it.
    """
    is_part = event.kind in ("fragment", "execution", "attempt", "data") and not event.free
    is_elsewhere = event.space not in _MAIN or any(buffer.kind == "scoped" for buffer in event.buffers)
    return (event.needed or listed) if is_part and not is_elsewhere else None


def devices_of(event: OutOfMemory) -> Sequence[Device]:
    """Return the known devices of the backend that printed a text, or all if it is unknown, the smallest first."""
    backend = event.form.backend
    kinds = [one for one in DEVICES.values() if not backend or one.title.startswith("TPU") == (backend == "tpu")]
    return sorted(kinds, key=lambda one: one.size_bytes)


def next_heading(event: OutOfMemory) -> str:
    """Return the next thing to do in a few words; empty for what only a sentence says."""
    step = next_step(event)
    if step == _RUN_AGAIN:
        return "Run it again with a dump"
    if step.startswith(_IN_BLOCKS):
        return "Do not make the whole array at once"
    return _HEADINGS.get(explained(event).cause, "") if step.startswith(tuple(_BY_CAUSE.values())) else ""


def unknown(event: OutOfMemory) -> list[str]:
    """Return what the text does not say, as sentences."""
    holds = {"load": "Persistent", "allocator": "Chunks", "execution": "Chunks"}.get(event.kind)
    says_who = "pool_share" in dict(event.words) or (
        holds and any(total.head.startswith(holds) for total in event.totals)
    )
    if explained(event).cause == "held before":
        says_who = True
    lacks = "" if says_who else _LACKS.get(event.kind, "")
    return [sentence for sentence in (lacks, _NO_TIMELINE if event.form.has_plan else "") if sentence]


def shortage_sentence(event: OutOfMemory) -> str:
    """Return how much more a program or its data needs than is free; empty where the text does not say it."""
    needed, free = event.needed, event.free
    if event.kind not in ("load", "data") or not needed or not free or needed.low_bytes <= free.high_bytes:
        return ""
    return f"It needs {range_words(needed - free)} more than is free."


def about(event: OutOfMemory) -> Iterator[str]:
    """Yield the sentences of the form of which the text has all that they name, and what the memory is."""
    known = _named(event)
    if shortage := shortage_sentence(event):
        yield shortage
    for sentence in event.form.says:
        names = [name for _, name, _, _ in Formatter().parse(sentence) if name]
        if all(known.get(name) for name in names):
            yield sentence.format_map(known)
    if space := _SPACES.get(known.get("space_slug", "")):
        yield f"It is {space} that is too small, not HBM."


def _named(event: OutOfMemory) -> Mapping[str, str]:
    """Return in words all that a sentence may name."""
    known = dict(event.words) | {"module": event.module, "device": event.device}
    known["space_slug"] = _SPACE_NUMBERS.get(known.get("space_number", ""), event.space)
    known["space"] = {"tilespmem": "TileSpmem", "spmem": "Spmem"}.get(known["space_slug"], known["space_slug"].upper())
    sizes: dict[str, SizeRange | None] = {name: getattr(event, name, None) for name in SIZES}
    sizes |= {row.name: row.size for row in event.totals} | dict(parts_of(event).items())
    sizes |= {
        name: _counted_size(name, value) for name, value in event.words if name.endswith(("_size", "_kib", "_mib"))
    }
    known |= {name: human_bytes(size.middle) for name, size in sizes.items() if size}
    stack, heap = sizes.get("stack_size"), sizes.get("heap_size")
    if stack and heap:
        known["both"] = human_bytes((stack + heap).middle)
    if "source_file" in known:
        known["source"] = f"{PurePosixPath(known['source_file']).name}:{known.get('source_line', '')}"
    if size := _array_bytes(known.get("dtype", ""), known.get("dimensions", "")):
        known["tensor"] = human_bytes(size)
    if arrays := known.get("arrays"):
        known["arrays"] = _array_words(arrays)
    return known


def _array_words(text: str) -> str:
    """Return arrays as JAX prints their types, each with its bytes."""
    arrays = [(match[0], _array_bytes(match[1], match[2])) for match in _ARRAY.finditer(text)]
    words = [f"{array} ({human_bytes(size)})" for array, size in arrays if size]
    total = f", together {human_bytes(sum(size for _, size in arrays))}" if len(words) > 1 else ""
    return f"{', '.join(words)}{total}." if words else text


def _array_bytes(dtype: str, dimensions: str) -> int:
    width = _DTYPE_BYTES.get("float" if dtype == "float32" else dtype, 0)
    return width * prod(int(one) for one in dimensions.split(",") if one)


def _counted_size(name: str, printed: str) -> SizeRange | None:
    """Return a size that a sentence states beside what was needed: in bytes or KiB where it has no unit."""
    unit = {"kib": 1 << 10, "mib": 1 << 20}.get(name.rpartition("_")[2], 1)
    size = read_size(printed, needs_unit=False)
    return SizeRange(size.low_bytes * unit, size.high_bytes * unit) if size else None


def _equal_figures(needed: SizeRange, capacity: SizeRange, excess: str) -> str:
    """Return two sizes that look equal when they are rounded: in bytes if these are known, else their difference."""
    if needed.is_exact and capacity.is_exact:
        too_much = f", {excess} over capacity" if excess else ""
        return f"{exact_bytes(needed.low_bytes)} needed, {exact_bytes(capacity.low_bytes)} usable{too_much}"
    return f"{excess} more than the {range_words(capacity)} usable" if excess else ""
