"""Compute the peak if a function of the user's program that runs several times were checkpointed.

Layers in a Python loop have no scope of their own, but the stacks of source lines say which function made each array.
A function is called as often as its call sites run: those of different expressions have different stacks, and calls of
one site in a loop repeat each expression of the function. Without columns, expressions on a line look the same.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import takewhile
from math import gcd
from typing import NamedTuple

from reportgen.advice.checkpoint import Array, Checkpoint, Lifetime, Part, Unit, by_scope
from reportgen.advice.context import AdviceContext
from reportgen.advice.memory import Memory
from reportgen.analyse.matmul_work import op_name_of, scheduled
from reportgen.parse.stack_frames import Frame
from reportgen.program.program import Program
from reportgen.program.scopes import REMATERIALIZED, direction

_MOST_FUNCTIONS = 8
"""Functions that are tried: those that made most of what the backward pass reads."""

_NEARLY_ALL = 1.05
"""How many times what an inner function saves the functions around it may save."""

_SMALL_PART = 20
"""An expression that makes less than this part of the bytes says nothing: a compiler drops those of some calls."""

_NO_FUNCTIONS = frozenset(("<module>", "<lambda>"))

_Site = tuple[int, ...]
"""The expressions around a call of a function, by their numbers."""

_Ran = defaultdict[_Site | None, defaultdict[object, list[int]]]
"""The moments at which the expressions of a function run, by the site of its call."""


class Function(NamedTuple):
    """A function of the user's program."""

    name: str
    file: str


def repeated_calls(context: AdviceContext, memory: Memory, kept: Sequence[Array]) -> Sequence[Checkpoint]:
    """Return a checkpoint of the innermost function that makes nearly all that the backward pass reads.

    There is none where no function runs several times in the forward pass. `kept` is what is held for the backward
    pass.
    """
    arrays = [array for array in kept if array.is_forward]
    checkpoints: list[Checkpoint] = []
    for function in _functions_by_size(context, arrays):
        calls = _Calls(context, function, arrays)
        found = calls.checkpoint(memory, arrays) if calls.number > 1 else None
        # What drops the same arrays as a function in it may be called once, with a loop around the other's calls.
        if found and all(found.values != other.values for other in checkpoints):
            checkpoints.append(found)
    most = min((checkpoint.most.peak_bytes for checkpoint in checkpoints), default=0)
    least = (memory.peak.peak_bytes - most) / _NEARLY_ALL
    nearly_all = [one for one in checkpoints if memory.peak.peak_bytes - one.most.peak_bytes >= least]
    return [min(nearly_all, key=lambda one: one.size_bytes)] if nearly_all else []


def _functions_by_size(context: AdviceContext, arrays: Iterable[Array]) -> Sequence[Function]:
    """Return the functions that make most of some arrays, inner ones first, but not the loss or a checkpointed one."""
    sizes: Counter[Function] = Counter()
    for array in arrays:
        stack = context.analysis.authors.of(array.values[0]).stack
        sizes.update(dict.fromkeys(_functions(stack), array.size_bytes))
    for function in _loss_functions(context):
        del sizes[function]
    largest = [function for function, _ in sizes.most_common(_MOST_FUNCTIONS)]
    return [
        function
        for function in largest
        if function.name.rpartition(".")[2] not in _NO_FUNCTIONS
        and not context.checkpoints.is_checkpointed(_in_function(context.program, function))
    ]


def _in_function(program: Program, function: Function) -> Part:
    return lambda name, _: function in _functions(program.stack(name))


def _loss_functions(context: AdviceContext) -> Set[Function]:
    """Return the functions that make a scalar which the program returns: the loss, of which there is one."""
    analysis, program = context.analysis, context.program
    scalars = (number for number in program.results.values() if program.shape(number).endswith("[]"))
    authors = map(analysis.authors.of, scalars)
    return {
        function for author in authors if direction(author.scope) == "forward" for function in _functions(author.stack)
    }


def _functions(stack: Sequence[Frame]) -> Sequence[Function]:
    own = (frame for frame in stack if not frame.is_of_library and frame.function)
    return tuple(dict.fromkeys(Function(frame.function, frame.file) for frame in own))


class _Calls:
    """The calls of a function in the forward pass, told apart by their site and, where a loop repeats it, by time."""

    def __init__(self, context: AdviceContext, function: Function, arrays: Sequence[Array]) -> None:
        self._context, self._program, self._function = context, context.program, function
        starts, authors = self._program.dump.starts, context.analysis.authors
        made: _Ran = defaultdict(lambda: defaultdict(list))
        ran: _Ran = defaultdict(lambda: defaultdict(list))
        inside = [array for array in arrays if function in _functions(authors.of(array.values[0]).stack)]
        named = [(authors.of(array.values[0]).operation, array) for array in inside]
        sizes: Counter[object] = Counter()
        for name, array in named:
            sizes[self._site(name)] += array.size_bytes
        for name, array in named:
            if sizes[self._site(name)] * _SMALL_PART >= sizes.total():
                self._add(made, name, starts[array.values[0]])
        products = context.analysis.products
        for product in products.products if products else ():
            op_name = op_name_of(self._program, product)
            if direction(op_name) == "forward" and REMATERIALIZED not in op_name:
                moment = self._program.dump.moment_of.get(scheduled(self._program, product), -1)
                self._add(ran, product.name, moment)
        self._starts: dict[_Site | None, Sequence[int]] = {
            site: _starts(ran[site], made[site]) for site in (*made, *ran)
        }
        self.number = sum(map(len, self._starts.values())) if all(self._starts.values()) else 0

    def _site(self, name: str) -> tuple[_Site | None, object]:
        """Return the expressions around the call that an instruction is in, or None, and those in the function."""
        sites = self._program.sites(name)
        of_function = [i for i, (frame, _) in enumerate(sites) if (frame.function, frame.file) == self._function]
        if not of_function:
            return None, None
        inner = of_function[-1] + 1
        expression = sites[:inner], self._program.op_name(name).rpartition("/")[2]
        return tuple(number for _, number in sites[inner:]), expression

    def _add(self, found: _Ran, name: str, moment: int) -> None:
        site, expression = self._site(name)
        if site is not None:
            found[site][expression].append(moment)

    def _unit(self, name: str, moment: int) -> Unit:
        site, _ = self._site(name)
        if site not in self._starts:
            return ("",)
        begun = bisect_right(self._starts[site], moment)
        first = sum(len(self._starts[other]) for other in takewhile(lambda other: other != site, self._starts))
        return (f"{self._function.name}{first + begun}",) if begun else ("",)

    def checkpoint(self, memory: Memory, arrays: Sequence[Array]) -> Checkpoint | None:
        """Return a checkpoint around each call; None where it drops nothing."""
        program, authors = self._program, self._context.analysis.authors
        starts = program.dump.starts
        placed = [
            replace(
                array,
                unit=self._unit(authors.of(array.values[0]).operation, starts[array.values[0]]),
                readers=frozenset(self._unit(program.instruction_at(moment), moment) for moment in array.reads),
            )
            for array in arrays
        ]
        end = max((array.last_forward for array in arrays), default=0)
        made: defaultdict[Unit, list[Lifetime]] = defaultdict(list)
        for number, held in memory.temps.items():
            if number >= 0 and held.first <= end and direction((author := authors.of(number)).scope) == "forward":
                made[self._unit(author.operation, held.first)].append(
                    (held.first, min(held.last, end), held.size_bytes)
                )
        units = next(iter(by_scope(array for array in placed if array.unit != ("",)).values()), {})
        return self._context.checkpoints.around(memory, self._function.name, units, placed, made) if units else None


def _starts(ran: Mapping[object, Sequence[int]], made: Mapping[object, Sequence[int]]) -> Sequence[int]:
    """Return when the calls of one site begin, from the moments of each expression; none where that is unknown.

    Products run in every call, and a compiler may drop arrays of one call that has them.
    """
    sure = ran or made
    common = gcd(*map(len, sure.values()))
    for number in (number for number in range(common, 0, -1) if common % number == 0):
        counts = [(len(moments), -(-len(moments) // number)) for moments in made.values()]
        if all(count >= (number - 1) * times and 2 * count > number * times for count, times in counts):
            every = (moments for moments in (*ran.values(), *made.values()) if len(moments) % number == 0)
            begins = [sorted(moments)[:: len(moments) // number] for moments in every]
            last = max(begins)
            # What runs before the call before has ended does not depend on it, as a product of weights.
            own = [one for one in begins if all(moment > before for moment, before in zip(one[1:], last, strict=False))]
            return [min(moments) for moments in zip(*own or [last], strict=True)]
    return ()
