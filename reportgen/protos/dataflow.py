"""Tell where the data of a place comes from, if an instruction passes it on instead of writing it.

The rules are those of XLA's dataflow analysis, by opcode. They hold for places at which no value is defined: a loop,
for example, passes on what it starts with unless it has a value of its own there.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from reportgen.protos.module import HloModule

Index = tuple[int, ...]
"""Which part of a tuple; empty for the whole."""

_AS_THEY_ARE = frozenset(
    (
        *("add-dependency", "all-reduce-done", "bitcast", "domain", "opt-barrier", "set-dimension-size"),
        "while",
    )
)
_DONE = {"all-gather-done": 1, "async-done": 1, "collective-permute-done": 1, "copy-done": 0}
"""Opcodes that return a part of what the instruction before them has started, with that part."""
_MAY_PASS_ON = frozenset(
    (
        *(_AS_THEY_ARE | _DONE.keys()),
        *("all-gather-start", "async-start", "async-update", "call", "collective-permute-start", "conditional", "copy"),
        *("copy-start", "get-tuple-element", "parameter", "recv-done", "send", "tuple"),
    )
)


class Site(NamedTuple):
    """A place that a value may occupy: an instruction, by its id, and a part of its result."""

    instruction: int
    shape_index: Index


class Dataflow:
    """The places of one module, and which of them has the data of which other."""

    def __init__(self, module: HloModule) -> None:
        self._module = module
        self._operand_of_branch = cache(self._operands_of_branches)

    def sites(self) -> Iterator[Site]:
        """Yield the places that may have the data of others, in the order of the module; none in a fusion."""
        module = self._module
        for computation, members in module.members_of.items():
            if computation in module.fused:
                continue
            for number in members:
                if module.opcodes[number] in _MAY_PASS_ON:
                    for index in module.shapes.indices(module.shape_of[number]):
                        yield Site(number, index)

    def source(self, site: Site) -> Site | None:
        """Return the place that a place has its data from; None where the instruction writes it."""
        opcode = self._module.opcodes[site.instruction]
        if opcode == "parameter":
            return self._outside(site)
        if opcode in ("call", "conditional"):
            called = self._module.called(site.instruction)
            return self._root(called[0], site.shape_index) if called else None
        if opcode in ("async-start", "async-update"):
            return self._in_async_work(site)
        passed = self._passed_on(opcode, site)
        operands = self._module.operands(site.instruction)
        if passed is None or passed[0] >= len(operands):
            return None
        return Site(operands[passed[0]], passed[1])

    def _passed_on(self, opcode: str, site: Site) -> tuple[int, Index] | None:
        """Return the operand that an instruction passes on at a place, and which part of it."""
        if opcode in _AS_THEY_ARE:
            return 0, site.shape_index
        if opcode in _DONE:
            return 0, (_DONE[opcode], *site.shape_index)
        if opcode == "get-tuple-element":
            return 0, (self._module.numbers[site.instruction], *site.shape_index)
        match opcode, site.shape_index:
            case "tuple", (place, *rest):
                return place, tuple(rest)
            case ("copy", (_, *_)) | ("recv-done", (0, *_)):
                return 0, site.shape_index
            case "copy-start", (1,):
                return 0, ()
            case (("all-gather-start" | "collective-permute-start" | "send"), (0, *rest)):
                several = len(self._module.operands(site.instruction)) > 1
                return (rest[0], tuple(rest[1:])) if several and rest else (0, tuple(rest))
        return None

    def _in_async_work(self, site: Site) -> Site | None:
        """Return the source of a place in an async start or update: an operand, the result, or an earlier state."""
        number, module = site.instruction, self._module
        work = module.async_work.get(number)
        if work is None:
            return None
        match site.shape_index:
            case 0, place, *rest:
                return Site(work.operands[place], tuple(rest)) if place < len(work.operands) else None
            case 1, *rest if module.places_result(number):
                return self._root(work.computation, tuple(rest))
        return None if module.opcodes[number] == "async-start" else Site(module.operands(number)[0], site.shape_index)

    def _root(self, computation: int, index: Index) -> Site | None:
        """Return a part of a computation's result; None where it has no root."""
        root = self._module.roots.get(computation)
        return Site(root, index) if root in self._module.names else None

    def _operands_of_branches(self, conditional: int) -> Mapping[int, int]:
        """Return the operand of each branch; the first operand chooses the branch."""
        return {branch: place for place, branch in enumerate(self._module.called(conditional), 1)}

    def _outside(self, parameter: Site) -> Site | None:
        """Return what the first caller of a computation passes to one of its parameters."""
        module = self._module
        computation = module.computation_of[parameter.instruction]
        place = module.numbers[parameter.instruction]
        for caller in module.callers.get(computation, ()):
            operands = module.operands(caller)
            match module.opcodes[caller]:
                case "while":
                    place = 0
                case "conditional":
                    place = self._operand_of_branch(caller)[computation]
                case "async-start":
                    operands = module.async_work[caller].operands
                case "call":
                    pass
                case _:
                    continue
            return Site(operands[place], parameter.shape_index) if 0 <= place < len(operands) else None
        return None
