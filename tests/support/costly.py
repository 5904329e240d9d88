"""Dumps made to cost more than their size: each of `count` things, in text that grows only in proportion.

`python -m tests.support.costly NAME COUNT > dump.txt` writes one.
"""

import sys
from collections.abc import Callable, Iterator

Lines = Iterator[str]

_TEMP = "preallocated-temp"


def _dump(size: int, values: list[str], ranges: list[str], schedule: int, kind: str = _TEMP) -> Lines:
    yield "BufferAssignment:"
    yield f"allocation 0: size {size}, {kind}:"
    yield from values
    yield ""
    yield f"Total bytes used: {size} (1B)"
    yield ""
    yield f"HloLiveRange (max {schedule}):"
    yield "  InstructionSequence:"
    yield from (f"    {moment}:step{moment}" for moment in range(schedule))
    yield "  BufferLiveRange:"
    yield from ranges


def _value(number: int, offset: int, size: int, shape: str = "u8[1]{0}", name: str = "") -> str:
    return f" value: <{number} {name or f'v{number}'} @0> (size={size},offset={offset}): {shape}"


def nested(count: int) -> Lines:
    """Return values that lie in each other and live at once."""
    values = [_value(n, n, 2 * (count - n)) for n in range(count)]
    return _dump(2 * count, values, [f"    v{n}{{}}:0-9" for n in range(count)], 10)


def same_bytes(count: int) -> Lines:
    """Return values that all have the same bytes at once."""
    values = [_value(n, 0, 64) for n in range(count)]
    return _dump(64, values, [f"    v{n}{{}}:0-9" for n in range(count)], 10)


def grid(count: int) -> Lines:
    """Return values, half side by side and half over all of them, each shorter than the one before."""
    half = count // 2
    values = [_value(n, n, 1) for n in range(half)] + [_value(half + n, 0, half) for n in range(half)]
    ranges = [f"    v{n}{{}}:0-{2 * count}" for n in range(half)]
    ranges += [f"    v{half + n}{{}}:{1 + n}-{2 * count - n - 1}" for n in range(half)]
    return _dump(half, values, ranges, 10)


def chain(count: int) -> Lines:
    """Return one buffer that is reused in place again and again."""
    values = [_value(n, 0, 64) for n in range(count)]
    return _dump(64, values, [f"    v{n}{{}}:{n}-{n + 1}" for n in range(count)], count + 1)


def one_name(count: int) -> Lines:
    """Return a dump that repeats the same value."""
    values = [_value(0, n, 1, name="v") for n in range(count)]
    return _dump(count, values, ["    v{}:0-9"] * count, 10)


def one_shape(count: int) -> Lines:
    """Return leaves of one tuple, with positions and readers."""
    yield from _dump(
        4 * count,
        [f" value: <{n} t{{{n}}} @0> (size=4,offset={4 * n}): f32[1]{{0}}" for n in range(count)],
        [f"    t{{{n}}}:0-9" for n in range(count)],
        10,
        "maybe-live-out",
    )
    yield "Used values:"
    for n in range(count):
        yield from (f"<{n} t{{{n}}} @0>", " positions:", f"  t {{{n}}}", " uses:", f"  u, operand 0 {{{n}}}")
        yield " from instruction: %t = (f32[1]{0}) tuple(%a)"


def allocations(count: int) -> Lines:
    """Return empty allocations."""
    yield "BufferAssignment:"
    yield from (f"allocation {n}: size 64, color {n % 1000}, thread-local:" for n in range(count))


def spaces(count: int) -> Lines:
    """Return memory spaces with a value each, one after another."""
    yield "BufferAssignment:"
    for n in range(count):
        yield f"allocation {n}: size 64, color {n}, preallocated-temp:"
        yield f" value: <{n} v{n} @{n}> (size=64,offset=0): f32[16]{{0}}"
    yield from (f"Total bytes used: {64 * count}", "", "Used values:")
    for n in range(count):
        yield from (f"<{n} v{n} @{n}>", " positions:", f"  v{n}", " uses:", "  (none)")
        yield f" from instruction: %v{n} = f32[16]{{0}} iota(), iota_dimension=0"
    yield from ("", f"HloLiveRange (max {count}):", "  InstructionSequence:", *(f"    {n}:v{n}" for n in range(count)))
    yield from ("  BufferLiveRange:", *(f"    v{n}{{}}:{n}-{n + 1}" for n in range(count)))


def schedule(count: int) -> Lines:
    """Return a long schedule without any live value."""
    return _dump(64, [_value(0, 0, 64)], ["    v0{}:0-1"], count)


def huge(count: int) -> Lines:
    """Return sizes, moments and ids beyond 64 bits."""
    number = "9" * 20
    yield "BufferAssignment:"
    yield f"allocation 0: size {number}, preallocated-temp:"
    for n in range(count):
        yield f" value: <{n} v{n} @0> (size={number},offset={number}): f32[{'9' * 18},{'9' * 18}]{{1,0:T(8,128)}}"
    yield f"Total bytes used: {number} (1B)"
    yield "HloLiveRange (max 999999999999):"
    yield "  BufferLiveRange:"
    yield from (f"    v{n}{{}}:{n}-999999999999" for n in range(count))


def deep_shapes(count: int) -> Lines:
    """Return one shape of nested tuples."""
    return _dump(64, [_value(0, 0, 64, "(" * count + "f32[]" + ")" * count)], ["    v0{}:0-1"], 2)


def deep_tree(count: int) -> Lines:
    """Return a stack trace of frames nested up to 200 levels deep; the text of each states its level."""
    yield from _dump(64, [_value(0, 0, 64)], ["    v0{}:0-1"], 2)
    yield "  Live ranges at 0 (peak):"
    yield "    v0{}: 64 bytes (cumulative: 64 bytes)"
    yield "  Stack trace breakdown for peak usage: 64 bytes"
    for n in range(count):
        depth = min(n, 200)
        yield f"{'    ' * depth}  └── f (1.0%, total: 64 bytes, current: 0 bytes, remaining: 0 bytes)"


def long_line(count: int) -> Lines:
    """Return a line that never ends instead of an allocation."""
    yield from _dump(64, [_value(0, 0, 64)], ["    v0{}:0-1"], 2)
    yield "allocation 1: size 1, " + "x" * 100 * count


def nonsense(count: int) -> Lines:
    """Return lines that mean nothing."""
    yield from _dump(64, [_value(0, 0, 64)], ["    v0{}:0-1"], 2)
    yield from (f"no line {n}" for n in range(count))


HOSTILE: dict[str, Callable[[int], Lines]] = {
    made.__name__: made
    for made in (
        nested,
        same_bytes,
        grid,
        chain,
        one_name,
        one_shape,
        allocations,
        spaces,
        schedule,
        huge,
        deep_shapes,
        deep_tree,
        long_line,
        nonsense,
    )
}


if __name__ == "__main__":
    for line in HOSTILE[sys.argv[1]](int(sys.argv[2])):
        print(line)
