"""Read how a program is divided among devices: their number, and each one's part of every argument.

XLA prints the module of one device. Its first line says how many devices run it (`num_partitions`, `replica_count`). A
parameter of the entry computation says how the array that it is a part of was divided, in one of three forms: GSPMD's
(`{devices=[2,4]<=[8]}`, XLA `HloSharding::ToString`), by the axes of a mesh (`{mesh[data=8], [{data}, {}]}`, XLA
`NamedSharding::ToString`), or Shardy's (`sdy.sharding`, with a mesh in the first line). Texts since jaxlib 0.12 do not
say it; the proto beside them does, in one of the first two forms.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod

from reportgen.patterns import repeated
from reportgen.program.computations import Computations
from reportgen.record import record

_BALANCED = repeated(r"[^{}]++|\{[^{}]*\}")
_COUNTS = re.compile(r"\b(num_partitions|replica_count)=(\d{1,9})\b")
_STATED = re.compile(r", sharding=(\{" + _BALANCED + r"\})")
_TILED = re.compile(r"\{devices=\[([\d,]+)\](" + _BALANCED + r")\}")
_LAST = re.compile(r"last_tile_dims=\{([\w, ]*)\}")
_NAMED = re.compile(r"\{mesh\[([^\]]*)\](?:, device_ids=\([^)]*\))?, \[([^\]]*)\](?:, replicated=\{[^{}]*\})?\}")
_SHARDY = re.compile(r'sdy\.sharding="#sdy\.sharding<@(\w+), \[([^\]<]*)\](?:, [^<>]*)?>"')
_MESH = re.compile(r"\b(\w+) = #sdy\.mesh<\[([^\]<]*)\]>")
_AXIS = re.compile(r'\\?"?([\w.-]+)\\?"?(?:=(\d{1,9}))?')
_PART_OF_AXIS = re.compile(r'\\?"?([\w.-]+)\\?"?(?::\(\d+\)(\d{1,9}))?')
_OF_DIMENSION = re.compile(r"\{([^{}]*)\}")
_MOST_DEVICES = 1 << 20  # because a damaged text may say any number


@record
class Sharding:
    """How an array is divided: into how many parts along each dimension, and how many devices hold each part.

    `tiles` has a 1 for each dimension that is not divided; it is empty for an array that all devices hold whole.
    """

    tiles: tuple[int, ...] = ()
    copies: int = 1

    @property
    def is_replicated(self) -> bool:
        """Return whether several devices hold the whole array."""
        return self.copies > 1 and prod(self.tiles) == 1

    def global_bytes(self, local_bytes: int) -> int:
        """Return the size of the whole array, without the padding of a tiled layout."""
        return local_bytes * prod(self.tiles)


class Partitions:
    """The devices of a program, and each one's part of an argument."""

    def __init__(self, program: Computations) -> None:
        self._program = program

    @cached_property
    def _header(self) -> str:
        return self._program.module.header if self._program.module else ""

    @cached_property
    def devices(self) -> int | None:
        """Return the number of devices that run the program; None without the HLO text or the proto, which state it."""
        beside = self._program.join.division
        if self._header:
            devices = prod(int(count) for _, count in _COUNTS.findall(self._header))
        elif beside:
            devices = beside.devices
        else:
            return None
        return max(1, min(devices, _MOST_DEVICES))

    @cached_property
    def _meshes(self) -> Mapping[str, Mapping[str, int]]:
        return {name: _axes(axes) for name, axes in _MESH.findall(self._header)}

    def of(self, parameter: str) -> Sharding | None:
        """Return how an argument is divided; None where that is unknown, or there is one device."""
        devices = self.devices or 1
        if devices == 1:
            return None
        text = self._program.text(parameter)
        if match := _STATED.search(text):
            return sharding(match[1], devices)
        if match := _SHARDY.search(text):
            mesh = self._meshes.get(match[1])
            return _by_axes(match[2], mesh, devices) if mesh else None
        number, beside = self._program.parameter_number(parameter), self._program.join.division
        if number is None or beside is None or number >= len(beside.shardings):
            return None
        return sharding(beside.shardings[number], devices)


def sharding(text: str, devices: int) -> Sharding | None:
    """Return a sharding from its text as XLA prints it; None for one of single devices or of a tuple."""
    if match := _NAMED.fullmatch(text):
        return _by_axes(match[2], _axes(match[1]), devices)
    return _gspmd(text, devices)


def _gspmd(text: str, devices: int) -> Sharding | None:
    """Parse a sharding in GSPMD's form, such as `{devices=[4,1,2]<=[8] last_tile_dim_replicate}`.

    Return None for any other form, and for more devices than exist.
    """
    if text.startswith("{replicated"):
        return Sharding(copies=devices)
    match = _TILED.match(text)
    if match is None:
        return None
    tiles = [int(tile) for tile in match[1].split(",")]
    last = _LAST.search(match[2])
    # The dimensions that come last are none of the array: they number the devices that hold the same part.
    beyond = len(last[1].split(",")) if last else int("last_tile_dim_replicate" in match[2])
    parts, copies = tiles[: len(tiles) - beyond], tiles[len(tiles) - beyond :]
    if not parts or 0 in tiles or prod(tiles) > _MOST_DEVICES:
        return None
    return Sharding(tiles=tuple(parts), copies=prod(copies))


def _by_axes(dimensions: str, mesh: Mapping[str, int], devices: int) -> Sharding | None:
    """Return a sharding that divides dimensions by the axes of a mesh."""
    tiles = tuple(
        prod(int(part) if part else mesh.get(axis, 1) for axis, part in _PART_OF_AXIS.findall(axes))
        for axes in _OF_DIMENSION.findall(dimensions)
    )
    parts = prod(tiles)
    if not 0 < parts <= _MOST_DEVICES:
        return None
    return Sharding(tiles=tiles if parts > 1 else (), copies=max(1, devices // parts))


def _axes(text: str) -> Mapping[str, int]:
    return {name: int(size or 1) for name, size in _AXIS.findall(text)}


def even_split(sizes: Sequence[int], copies: int) -> int:
    """Return the most equal parts into which an array can be divided among its `copies`; 1 for none.

    One dimension is divided, the one that takes most devices.
    """
    return max((parts for size in sizes for parts in _divisors(copies) if size % parts == 0), default=1)


def _divisors(number: int) -> Sequence[int]:
    return [part for part in range(1, min(number, 4096) + 1) if number % part == 0]
