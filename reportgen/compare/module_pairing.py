"""Which modules of two directories are builds of the same module.

The numbers and timestamps in file names are not used: they shift as soon as one more module is compiled.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Literal

from reportgen.analyse.fit import DeviceFit
from reportgen.analyse.identity import Digests, digests, signature
from reportgen.analyse.records import Measured
from reportgen.compare.graph import base_name, shape_parts
from reportgen.input.inputs import Inputs
from reportgen.input.names import Backend
from reportgen.record import record
from reportgen.reports.report_document import GateModule, ListedFinding

PairedBy = Literal["content", "name and shapes", "similar name and shapes", "name", "shapes"]
"""What two modules have in common."""

Pair = tuple[GateModule | None, GateModule | None]
"""A module before and after; None on the side that does not have it."""

_LEAST_SIMILARITY_NAMED, _LEAST_SIMILARITY = 0.2, 0.5
_LONG_NUMBER, _LAST_NUMBER = re.compile(r"\d{6,}"), re.compile(r"[_.]\d+$")


# Equal only to itself, because comparing two analyses would take longer than the rest of the pairing.
@record(slots=False, kw_only=False, eq=False)
class Side:
    """One module of a directory: `name` as its file says, `order` its place among the others, and what made it.

    `flaws` are what its checks say against it, and `device_fit` says whether it fits.
    """

    label: str
    name: str
    order: int
    analysis: Measured = field(repr=False)
    inputs: Inputs = field(default_factory=Inputs)
    flaws: tuple[ListedFinding, ...] = ()
    device_fit: DeviceFit = field(default_factory=DeviceFit)

    @property
    def backend(self) -> Backend:
        return self.analysis.backend

    @cached_property
    def content(self) -> Digests:
        """Return the digest of the dump's text."""
        return digests(self.analysis.dump.text)

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        """Return what the module takes and returns."""
        return tuple(leaf.shape for leaf in signature(self.analysis.dump))

    @cached_property
    def plain_name(self) -> str:
        """Return the name without what changes between builds: long numbers, and a trailing `_3` or `.3`."""
        return plain_name(self.name)

    @cached_property
    def makeup(self) -> Counter[tuple[str, str]]:
        """Return how many values there are of each base name and shape."""
        values = self.analysis.dump.values
        return Counter(
            (base_name(name), shape_parts(shape)[0]) for name, shape in zip(values.names, values.shapes, strict=True)
        )


@record(slots=False, kw_only=False)
class ModulePair:
    """Two builds of a module, why they were paired, and how many pairs were equally good, paired in order."""

    before: Side
    after: Side
    paired_by: PairedBy
    alike: int = 1


def pair_of(before: Side, after: Side) -> ModulePair:
    """Return a pair of modules that are known to be builds of one, whatever they are called."""
    return ModulePair(before, after, "content" if before.content == after.content else "name")


def plain_name(name: str) -> str:
    """Return a module's name without what changes between builds: long numbers, and a trailing `_3` or `.3`."""
    return _LAST_NUMBER.sub("", _LONG_NUMBER.sub("#", name))


def pair_modules(before: Sequence[Side], after: Sequence[Side]) -> tuple[list[ModulePair], list[Side], list[Side]]:
    """Return the pairs in the order of `after`, the modules that are gone, and those that are new."""
    pairing = _Pairing(list(before), list(after))
    pairing.by_key("content", lambda side: side.content.content)
    pairing.by_key("name and shapes", lambda side: (side.name, side.shapes))
    pairing.by_key("similar name and shapes", lambda side: (side.plain_name, side.shapes))
    pairing.by_similarity("name", lambda side: side.plain_name, _LEAST_SIMILARITY_NAMED)
    pairing.by_unique_shapes()
    return sorted(pairing.pairs, key=lambda pair: pair.after.order), pairing.before, pairing.after


def _similarity(before: Side, after: Side) -> float:
    """Return the Dice coefficient of two makeups: 1 for equal ones, 0 for those with nothing in common."""
    total = before.makeup.total() + after.makeup.total()
    return 2 * (before.makeup & after.makeup).total() / total if total else 1.0


class _Pairing:
    """What is paired so far, and what is left of both sides."""

    def __init__(self, before: list[Side], after: list[Side]) -> None:
        self.before, self.after = before, after
        self.pairs: list[ModulePair] = []

    def _add(self, before: Side, after: Side, paired_by: PairedBy, alike: int = 1) -> None:
        self.before.remove(before)
        self.after.remove(after)
        self.pairs.append(ModulePair(before, after, paired_by, alike))

    def _groups(self, key: Callable[[Side], Hashable]) -> Iterator[tuple[list[Side], list[Side]]]:
        """Yield the unpaired modules of both sides that share a backend and a key."""
        groups: defaultdict[Hashable, tuple[list[Side], list[Side]]] = defaultdict(lambda: ([], []))
        for number, sides in enumerate((self.before, self.after)):
            for side in sides:
                groups[side.backend, key(side)][number].append(side)
        yield from groups.values()

    def by_key(self, paired_by: PairedBy, key: Callable[[Side], Hashable]) -> None:
        """Pair modules with equal keys, several of one key in their order."""
        for sides_before, sides_after in self._groups(key):
            for before, after in zip(sides_before, sides_after, strict=False):
                self._add(before, after, paired_by, max(len(sides_before), len(sides_after)))

    def by_similarity(self, paired_by: PairedBy, key: Callable[[Side], Hashable], least: float) -> None:
        """Pair the most similar first, of equally similar ones those nearest in order."""
        for sides_before, sides_after in self._groups(key):
            pairs = [(before, after) for before in sides_before for after in sides_after]
            scores = {pair: _similarity(*pair) for pair in pairs}
            for before, after in sorted(pairs, key=lambda pair: (-scores[pair], abs(pair[0].order - pair[1].order))):
                if scores[before, after] >= least and before in self.before and after in self.after:
                    self._add(before, after, paired_by)

    def by_unique_shapes(self) -> None:
        """Pair modules under other names if no others take and return the same shapes, and if they are similar."""
        for sides_before, sides_after in self._groups(lambda side: side.shapes):
            if len(sides_before) == len(sides_after) == 1:
                before, after = sides_before[0], sides_after[0]
                if _similarity(before, after) >= _LEAST_SIMILARITY:
                    self._add(before, after, "shapes")


def pair_by_name(before: Sequence[GateModule], after: Sequence[GateModule]) -> list[Pair]:
    """Pair modules by name and shapes, several of them in their order, then by name alone where one of each is left.

    Equal names come before names that differ in numbers.
    """
    left, partners = list(before), dict[int, GateModule]()
    for has_shapes in (True, False):
        for name in (str, plain_name):
            of_before: defaultdict[tuple[str, ...], list[GateModule]] = defaultdict(list)
            of_after: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
            for module in left:
                of_before[_known_by(module, name, has_shapes=has_shapes)].append(module)
            for number, module in enumerate(after):
                if number not in partners:
                    of_after[_known_by(module, name, has_shapes=has_shapes)].append(number)
            for key, modules in of_before.items():
                numbers = of_after[key]
                if all(key) and (has_shapes or len(modules) == len(numbers) == 1):
                    partners |= zip(numbers, modules, strict=False)
            paired = set(map(id, partners.values()))
            left = [module for module in left if id(module) not in paired]
    return [(partners.get(number), module) for number, module in enumerate(after)] + [(module, None) for module in left]


def _known_by(module: GateModule, name: Callable[[str], str], *, has_shapes: bool) -> tuple[str, ...]:
    """Return the key by which a module is paired; a part of it is empty where the shapes are not known."""
    return (module.backend, name(module.name), *([module.shapes] if has_shapes else []))
