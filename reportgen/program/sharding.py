"""Read how a program is divided among devices: how many there are, and what each holds of every argument.

XLA prints the module of one device. Its first line says how many devices run it (`num_partitions`, `replica_count`). A
parameter of the entry computation says how the array that it is a part of was divided, in one of two forms: GSPMD's
(`sharding={devices=[2,4]<=[8]}`, XLA `HloSharding::ToString`) or Shardy's (`sdy.sharding`, with a mesh in the first
line).
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod

from reportgen.program.instructions import Instructions
from reportgen.record import record

_COUNTS = re.compile(r"\b(num_partitions|replica_count)=(\d{1,9})\b")
_GSPMD = re.compile(r", sharding=(\{.*?\})(?=, |$)")
_TILED = re.compile(r"\{devices=\[([\d,]+)\]([^{}]*(?:\{[^{}]*\})?[^{}]*)\}")
_LAST = re.compile(r"last_tile_dims=\{([\w, ]*)\}")
_SHARDY = re.compile(r'sdy\.sharding="#sdy\.sharding<@(\w+), \[(.*?)\](?:, [^>]*)?>"')
_MESH = re.compile(r"(\w+) = #sdy\.mesh<\[(.*?)\]>")
_AXIS = re.compile(r'\\?"(\w+)\\?"(?:=(\d{1,9}))?')
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
        """Return the size of the whole array, without what a tiled layout pads it with."""
        return local_bytes * prod(self.tiles)


class Partitions:
    """The devices of a program, and what each of them holds of an argument."""

    def __init__(self, program: Instructions) -> None:
        self._program = program

    @cached_property
    def _header(self) -> str:
        return self._program.module.header if self._program.module else ""

    @cached_property
    def devices(self) -> int | None:
        """Return how many devices run the program; None without HLO text, which alone says it."""
        if not self._header:
            return None
        counts = {name: int(count) for name, count in _COUNTS.findall(self._header)}
        return max(1, min(prod(counts.values()), _MOST_DEVICES))

    @cached_property
    def _meshes(self) -> Mapping[str, Mapping[str, int]]:
        return {name: _axes(axes) for name, axes in _MESH.findall(self._header)}

    def of(self, parameter: str) -> Sharding | None:
        """Return how an argument is divided; None where nothing says it, or there is one device."""
        devices = self.devices or 1
        if devices == 1:
            return None
        text = self._program.text(parameter)
        if found := _GSPMD.search(text):
            return gspmd(found[1], devices)
        if found := _SHARDY.search(text):
            return _shardy(found[2], self._meshes.get(found[1], {}), devices)
        return None


def gspmd(text: str, devices: int) -> Sharding | None:
    """Return what a sharding says as XLA prints it; None for one that is for single devices, or of a tuple."""
    if text.startswith("{replicated"):
        return Sharding(copies=devices)
    found = _TILED.match(text)
    if found is None:
        return None
    tiles = [int(tile) for tile in found[1].split(",")]
    last = _LAST.search(found[2])
    # The dimensions that come last are none of the array: they number the devices that hold the same part.
    beyond = len(last[1].split(",")) if last else int("last_tile_dim_replicate" in found[2])
    parts, copies = tiles[: len(tiles) - beyond], tiles[len(tiles) - beyond :]
    if not parts or 0 in tiles or prod(tiles) > _MOST_DEVICES:
        return None
    return Sharding(tiles=tuple(parts), copies=prod(copies))


def _shardy(dimensions: str, mesh: Mapping[str, int], devices: int) -> Sharding | None:
    """Return what a sharding by the axes of a mesh says; None where the mesh is not known."""
    if not mesh or prod(mesh.values()) > _MOST_DEVICES:
        return None
    tiles = tuple(
        prod(mesh.get(axis, 1) for axis, _ in _AXIS.findall(axes)) for axes in _OF_DIMENSION.findall(dimensions)
    )
    return Sharding(tiles=tiles, copies=max(1, devices // max(1, prod(tiles))))


def _axes(text: str) -> Mapping[str, int]:
    return {name: int(size or 1) for name, size in _AXIS.findall(text)}


def even_split(sizes: Sequence[int], copies: int) -> int:
    """Return into how many equal parts an array can be divided among the devices that hold the same; 1 for none.

    One dimension is divided, the one that takes most devices.
    """
    return max((parts for size in sizes for parts in _divisors(copies) if size % parts == 0), default=1)


def _divisors(number: int) -> Sequence[int]:
    return [part for part in range(1, min(number, 4096) + 1) if number % part == 0]
