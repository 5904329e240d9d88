"""Damage as it happens to files, and worse: what cuts, edits, transfers and ill will leave of a dump."""

import re
from collections.abc import Callable, Sequence
from random import Random

from reportgen.analyse.findings import SEVERITIES
from reportgen.analyse.records import Analysis, Space

Mutation = Callable[[bytes, Random], bytes]

_NUMBER = re.compile(rb"\d+")
_NUMBERS = [
    b"0",
    b"1",
    b"-1",
    b"7",
    b"4096",
    b"999999999",
    b"999999999999",
    b"9" * 19,
    b"9" * 20,
    b"9" * 40,
    b"1e9",
    b"",
]
_GARBAGE = [
    b"",
    b"\n",
    b"\r\n",
    b"\x00",
    b"\xff\xfe",
    b"\xe2\x94",
    b"garbage\n",
    b"BufferAssignment:\n",
    b"allocation 0: size 64, preallocated-temp:\n",
    b" value: <1 x @0> (size=8,offset=0): f32[2]{0}\n",
    b"Used values:\n",
    b"<1 x @0>\n",
    b" positions:\n",
    b" uses:\n",
    b"  \n",
    b"    \n",
    b" from instruction: %x = f32[]{0",
    b"HloLiveRange (max 3):\n",
    b"  BufferLiveRange:\n",
    b"    x{}:0-3\n",
    b"  Live ranges at 0 (peak):\n",
    b"  Stack trace breakdown for peak usage: 0 bytes\n",
    b"{" * 300,
    b"(" * 300,
    b"f32[" + b"9" * 18 + b"]",
]


def mutated(files: Sequence[bytes], random: Random) -> list[bytes]:
    """Return the files of a dump after one to four pieces of damage, each in one of them."""
    damaged = list(files)
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        number = random.randrange(len(damaged))
        damaged[number] = random.choice(_MUTATIONS)(damaged[number], random)
    return damaged


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def _cut_out(data: bytes, random: Random) -> bytes:
    start = random.randint(0, len(data))
    return data[:start] + data[start + random.randint(0, 200) :]


def _flip(data: bytes, random: Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(random.choice([1, 3, 30]) if data else 0):
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(flipped)


def _change_numbers(data: bytes, random: Random) -> bytes:
    """Change some numbers of one line, or a few anywhere."""
    line = random.choice(data.splitlines(keepends=True) or [b""])
    changed = _NUMBER.sub(lambda found: random.choice([found[0], *_NUMBERS]), line)
    return data.replace(line, changed, random.choice([1, -1])) if line.strip() else data


def _insert(data: bytes, random: Random) -> bytes:
    at = random.choice([random.randint(0, len(data)), data.find(b"\n", random.randint(0, len(data))) + 1])
    return data[:at] + random.choice(_GARBAGE) + data[at:]


def _delete_lines(lines: list[bytes], random: Random) -> None:
    start = random.randrange(len(lines))
    del lines[start : start + random.choice([1, 2, 30])]


def _repeat_lines(lines: list[bytes], random: Random) -> None:
    start = random.randrange(len(lines))
    repeated = lines[start : start + random.choice([1, 2, 30])]
    at = random.choice([start, random.randrange(len(lines))])
    lines[at:at] = repeated


def _swap_lines(lines: list[bytes], random: Random) -> None:
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _in_lines(change: Callable[[list[bytes], Random], None]) -> Mutation:
    def mutation(data: bytes, random: Random) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            change(lines, random)
        return b"".join(lines)

    return mutation


_MUTATIONS: list[Mutation] = [
    _cut,
    _cut_out,
    _flip,
    _change_numbers,
    _change_numbers,
    _insert,
    _in_lines(_delete_lines),
    _in_lines(_repeat_lines),
    _in_lines(_swap_lines),
]


def assert_sound(analysis: Analysis) -> None:
    """Assert what holds for the analysis of any dump, however damaged."""
    for found in analysis.findings:
        assert SEVERITIES[found.slug] == found.severity
    allocated = sum(space.allocated_bytes for space in analysis.spaces.values())
    assert allocated == sum(allocation.size_bytes for allocation in analysis.dump.allocations)
    slugs = {found.slug for found in analysis.findings}
    assert "law-broken" not in slugs or slugs & {"outside-allocation", "thread-local"}
    if "law-broken" not in slugs:
        for space in analysis.spaces.values():
            _assert_lawful(space)
    _assert_bridge_is_exact(analysis)


def _assert_lawful(space: Space) -> None:
    if not space.live or not space.temp or not space.peak_live or not space.peak_resident:
        return
    held = space.allocated_bytes - space.thread_local_bytes
    assert space.peak_live.amount <= space.peak_resident.amount <= held
    assert space.slack_bytes == held - space.peak_resident.amount
    assert sum(share.size_bytes for share in space.composition) == space.peak_resident.amount
    for moment in (*space.live.moments, *space.temp.moments):
        assert 0 <= space.temp.at(moment) <= space.live.at(moment) <= space.static_bytes + space.temp.at(moment)


def _assert_bridge_is_exact(analysis: Analysis) -> None:
    peak = analysis.xla_peak
    if peak and peak.reconciliation:
        assert peak.sum_bytes + sum(step.change_bytes for step in peak.reconciliation) == peak.live_bytes
