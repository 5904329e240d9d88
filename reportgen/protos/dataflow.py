"""Say where the data of a place comes from, if an instruction passes it on instead of writing it.

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
        *("add-dependency", "all-reduce-done", "async-update", "bitcast", "domain", "optimization-barrier"),
        *("set-dimension-size", "while"),
    )
)
_DONE = {"all-gather-done": 1, "async-done": 1, "collective-permute-done": 1, "copy-done": 0}
"""Opcodes that return a part of what the instruction before them has started, with that part."""
_MAY_PASS_ON = frozenset(
    (
        *(_AS_THEY_ARE | _DONE.keys()),
        *("all-gather-start", "async-start", "call", "collective-permute-start", "conditional", "copy", "copy-start"),
        *("get-tuple-element", "parameter", "recv-done", "send", "tuple"),
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
            return self._root(site.instruction, site.shape_index)
        if opcode == "async-start" and site.shape_index[:1] == (1,):
            return self._root(site.instruction, site.shape_index[1:])
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
            case "async-start", (0, place, *rest):
                return place, tuple(rest)
            case (("all-gather-start" | "collective-permute-start" | "send"), (0, *rest)):
                several = len(self._module.operands(site.instruction)) > 1
                return (rest[0], tuple(rest[1:])) if several and rest else (0, tuple(rest))
        return None

    def _root(self, caller: int, index: Index) -> Site | None:
        """Return the part of what the computation that an instruction runs returns."""
        called = self._module.called(caller)
        root = self._module.roots.get(called[0]) if called else None
        return Site(root, index) if root in self._module.names else None

    def _operands_of_branches(self, conditional: int) -> Mapping[int, int]:
        """Return the operand that each branch is given; the first operand chooses the branch."""
        return {branch: place for place, branch in enumerate(self._module.called(conditional), 1)}

    def _outside(self, parameter: Site) -> Site | None:
        """Return what the first caller of a computation passes to a parameter of it."""
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
                case "call" | "async-start":
                    pass
                case _:
                    continue
            return Site(operands[place], parameter.shape_index) if 0 <= place < len(operands) else None
        return None
