"""Compute the peak if the backward pass recomputed a part of the forward pass, as `jax.checkpoint` does.

Arrays that the forward pass makes and the backward pass reads are kept in between. With a checkpoint around a part
(`layer_3`), those that only the part itself reads again in the forward pass are dropped; what others read is its
result, and stays. The saving is a range:

* *high*: each array is gone from its last reader in the forward pass to its own first reader in the backward pass;
* *low*: all arrays of a part come back at the part's first reader in the backward pass, together with what the part
  needs besides while it runs again. What it reads is held until then; where the dump does not show that, because
  it is fused into the part's first operation, as much as the other parts of the same name read.

Where the peak is at the border of the passes, the compiler may let what gradients of weights are made of wait in the
backward pass, which costs nothing as long as the peak is elsewhere. With a lower peak it computes them at once. So
where much waits at the new peak, the program saves at least as much as in the better order.

XLA on CPU merged the second computation with the first until jaxlib 0.11.1, so nothing is promised before that.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property

from reportgen.advice.memory import Edit, Memory, PeakAfter, PeakRange, Stretch
from reportgen.analyse.phases import forward_end
from reportgen.analyse.records import Analysis
from reportgen.intervals.step_function import Change, most_at_once
from reportgen.program.opcodes import COPIES
from reportgen.program.scopes import REMATERIALIZED, direction, path, pattern
from reportgen.record import record

FAMILIES = 12
_MUCH_PART = 8
"""What waits at the new peak counts if it is more than this part of the peak."""

_NARROW_PART = 50
"""What may be narrower counts if it is more than this part of the peak."""

_SMALL_PART = 200
"""What is smaller than this part of what a part keeps is not all that it reads, as a mask."""

_SMALL_VALUE = 5000
"""What is less than this part of the peak may wait or not."""

_LONG_MOMENTS = 50
_LONG_PART = 50
"""A value waits if it is read after so many moments, and after this part of the schedule."""

_LATE = frozenset(("while", "call", "conditional", "tuple"))
"""Instructions that read more than they need at once."""

_DEEPEST = 3
"""The most scopes in the path of a checkpoint, as in `encoder/layer_3/attn`."""

_NO_PART = re.compile(r"->|^eqx\.nn\.")
"""Scopes that are no part of a user's program: the subscripts of an einsum, and the classes of Equinox's own layers."""

_CHECKPOINT = re.compile(r"/(?:checkpoint|remat\d?)/")

Part = Callable[[str, str], bool]
"""Whether an instruction is in a part of a program, from its name and its op_name."""

Unit = tuple[str, ...]
Lifetime = tuple[int, int, int]
"""The first and the last moment of a value, and its bytes."""


@record
class Array:
    """An array that is made before the backward pass and read in it, with all its copies (`values`).

    `unit` is the path of the operation that made it, `readers` those of its readers in the forward pass, at the moments
    `reads`, the last at `last_forward`. The backward pass reads it first at `first_backward`.
    """

    values: tuple[int, ...]
    unit: Unit
    is_forward: bool
    readers: frozenset[Unit]
    reads: tuple[int, ...]
    size_bytes: int
    last_moment: int
    last_forward: int
    first_backward: int

    @property
    def between(self) -> Stretch:
        """Return the moments from its last reader in the forward pass to the first in the backward pass."""
        return self.last_forward + 1, self.first_backward - 1

    def depths(self) -> Sequence[int]:
        """Return how long the paths are that a checkpoint could have which drops this array."""
        deepest = min(len(self.unit), _DEEPEST) if self.is_forward else 0
        return [depth for depth in range(1, deepest + 1) if not _NO_PART.search(self.unit[depth - 1])]


@record
class Checkpoint(PeakRange):
    """What checkpoints around all scopes of one name, `layer_#`, do with what is kept between the passes.

    If `is_open`, much waits in the backward pass then, or may be narrower, so they may save more.
    """

    scope: str
    is_open: bool


def _is_checkpointed(op_name: str) -> bool:
    """Return whether an instruction runs again in a checkpoint, or is of the gradients of one that XLA has merged."""
    _, is_gradient, rest = op_name.partition("transpose(")
    return f"/{REMATERIALIZED}/" in op_name or bool(is_gradient and _CHECKPOINT.search(rest))


class Checkpoints:
    """The checkpoints that a program could have."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis, self._program = analysis, analysis.program
        self._moments = max(analysis.moments, 1)
        self._readers = cache(self._readers_of)

    @cached_property
    def boundary(self) -> int | None:
        """Return the moment that best separates forward from backward; None for a program without a backward pass."""
        return forward_end(self._program, self._moments)

    def arrays(self, memory: Memory) -> list[Array]:
        """Return the temporaries that are made before the backward pass and read in it."""
        boundary = self.boundary
        if boundary is None:
            return []
        copies = self._held_by_root(memory)
        starts = self._program.dump.starts
        roots = [root for root in copies if 0 <= starts[root] <= boundary]
        arrays = (self._array(memory, root, copies[root], boundary) for root in roots)
        return [array for array in arrays if array]

    def is_checkpointed(self, is_inside: Part) -> bool:
        """Return whether checkpoints are around more than half of the lines of a part's forward pass.

        What XLA has merged with the forward pass still has the checkpoint in the name of its gradients.
        """
        forward = {line for name, op_name, line in self._forward if is_inside(name, op_name)}
        return 2 * len(self._again & forward) > len(forward)

    @cached_property
    def _again(self) -> Set[object]:
        return {line for _, op_name, line in self._lines if _is_checkpointed(op_name)}

    @cached_property
    def _forward(self) -> Sequence[tuple[str, str, object]]:
        lines = self._lines if self._again else ()
        return [one for one in lines if direction(one[1]) == "forward" and not _is_checkpointed(one[1])]

    @property
    def _lines(self) -> Iterator[tuple[str, str, object]]:
        """Yield each instruction of the schedule with its op_name and its line in a scope."""
        program = self._program
        for name, op_name in zip(program.dump.schedule.names, program.op_names, strict=True):
            yield name, op_name, (path(op_name), program.user_frame(name))

    def _array(self, memory: Memory, root: int, numbers: Sequence[int], boundary: int) -> Array | None:
        """Return how the passes use the value `root`, held as `numbers`; None if the backward pass does not read it.

        `boundary` is the last moment of the forward pass.
        """
        program = self._program
        readers: set[Unit] = set()
        forward, backward = [program.dump.starts[root]], []
        for moment, name in self._readers(root):
            reader = program.op_name(name)
            if moment > boundary or direction(reader) == "backward":
                backward.append(moment)
            else:
                readers.add(path(reader))
                forward.append(moment)
        if not backward:
            return None
        op_name = self._analysis.authors.of(root).scope
        return Array(
            values=tuple(numbers),
            unit=path(op_name),
            is_forward=direction(op_name) == "forward" and REMATERIALIZED not in op_name,
            readers=frozenset(readers),
            reads=tuple(forward[1:]),
            size_bytes=max(memory.temps[number].size_bytes for number in numbers),
            last_moment=max(memory.temps[number].last for number in numbers),
            last_forward=max(forward),
            first_backward=min(backward),
        )

    def _held_by_root(self, memory: Memory) -> Mapping[int, Sequence[int]]:
        """Return the temporaries of a space by the value that they are copies of."""
        held: defaultdict[int, list[int]] = defaultdict(list)
        for number in memory.temps:
            if number >= 0 and not self._program.is_table(number):
                held[self._program.root(number)].append(number)
        return held

    def _made_bytes(self, name: str) -> int:
        dump = self._program.dump
        made = dump.made_by.get(name, ())
        return sum(dump.values.sizes[number] for number in made if not self._program.is_table(number))

    def _readers_of(self, root: int) -> Sequence[tuple[int, str]]:
        """Return who reads a value or one of its copies, in any memory space, and when."""
        program, dump = self._program, self._program.dump
        numbers, readers = [root], list[tuple[int, str]]()
        for number in numbers:
            for name in program.readers_of(number):
                moment, opcode = dump.moment_of.get(name), program.opcode(name)
                if opcode in COPIES:
                    made = (copy for copy in dump.made_by.get(name, ()) if copy not in numbers)
                    numbers += [copy for copy in made if program.root(copy) == root]
                elif moment is not None and opcode:
                    readers.append((moment, name))
        return readers

    def families(self, memory: Memory, arrays: Sequence[Array]) -> list[Checkpoint]:
        """Return the checkpoints that keep fewest bytes, at most `FAMILIES`, the one that saves most first."""
        if not arrays:
            return []
        made = self._made_by_unit(memory)
        units_of = by_scope(arrays)
        ranked = sorted(units_of, key=lambda scope: (-_bytes(units_of[scope]), len(scope), scope))
        seen: set[frozenset[int]] = set()
        checkpoints = []
        for scope in ranked:
            units = units_of[scope]
            values = frozenset(n for kept in units.values() for array in kept for n in array.values)
            if values not in seen and len(seen) < FAMILIES:
                seen.add(values)
                checkpoints.append(self.around(memory, scope, units, arrays, made))
        return sorted(
            checkpoints,
            key=lambda checkpoint: (checkpoint.least.peak_bytes, checkpoint.most.peak_bytes, checkpoint.scope),
        )

    def _made_by_unit(self, memory: Memory) -> Mapping[Unit, Sequence[Lifetime]]:
        """Return what each part makes in the forward pass; only moments up to the boundary count."""
        boundary = self.boundary or 0
        made: defaultdict[Unit, list[Lifetime]] = defaultdict(list)
        for number, held in memory.temps.items():
            if number < 0 or held.first > boundary:
                continue
            op_name = self._analysis.authors.of(number).scope
            if direction(op_name) == "forward":
                unit = path(op_name)
                for depth in range(1, min(len(unit), _DEEPEST) + 1):
                    made[unit[:depth]].append((held.first, min(held.last, boundary), held.size_bytes))
        return made

    def around(
        self,
        memory: Memory,
        scope: str,
        units: Mapping[Unit, Sequence[Array]],
        arrays: Sequence[Array],
        made: Mapping[Unit, Sequence[Lifetime]],
    ) -> Checkpoint:
        """Return a checkpoint around some parts, which drop the arrays of each."""
        inputs = _inputs(units, arrays)
        early, late = _edits(units, inputs, made)
        least, most = memory.after(early), memory.after(late)
        waiting, narrowed = self._waiting(memory, most), self._narrowed(inputs)
        return Checkpoint(
            scope=scope,
            values=tuple(sorted(late.cuts)),
            size_bytes=_bytes(units),
            least=least,
            most=most,
            is_open=waiting * _MUCH_PART >= memory.peak.peak_bytes or narrowed * _NARROW_PART >= memory.peak.peak_bytes,
        )

    def _narrowed(self, inputs: Mapping[Unit, Sequence[Array]]) -> int:
        """Return the bytes that a TPU may no longer need of what checkpoints keep, if only products read it then."""
        kept = {array.values[0]: array.size_bytes for arrays in inputs.values() for array in arrays}
        wide = (size for number, size in kept.items() if self._program.shape(number).startswith("f32"))
        return sum(wide) // 2 if self._analysis.backend == "tpu" else 0

    def _waiting(self, memory: Memory, after: PeakAfter) -> int:
        """Return the bytes at the peak after a change that the backward pass has begun with, and reads later."""
        boundary, long = self.boundary or 0, max(_LONG_MOMENTS, memory.moments // _LONG_PART)
        cuts = after.edit.cuts if after.edit else {}
        waiting = 0
        for number, held in memory.temps.items() if after.moment > boundary else ():
            if number < 0 or not held.first <= after.moment <= held.last - long:
                continue
            reads = self._program.reads(number)
            next_read = next((moment for moment in reads if moment > after.moment), 0)
            is_begun = held.first > boundary or any(boundary < moment <= after.moment for moment in reads)
            is_cut = any(first <= after.moment <= last for first, last in cuts.get(number, ()))
            if is_begun and not is_cut and next_read - after.moment > long:
                waiting += held.size_bytes
        return waiting

    def without_waiting(self, memory: Memory) -> Edit:
        """Return the edit that computes small results of the backward pass as soon as their operands are there."""
        program, starts, boundary = self._program, self._program.dump.starts, self.boundary or 0
        cuts: dict[int, list[Stretch]] = {}
        more: list[Change] = []
        for root, numbers in self._held_by_root(memory).items():
            held = [memory.temps[number] for number in numbers]
            last, size_bytes = max(value.last for value in held), max(value.size_bytes for value in held)
            if last <= boundary or size_bytes * _SMALL_VALUE < memory.peak.peak_bytes:
                continue
            born = needed = max(starts[root], boundary)
            waiting = []
            # From the last reader back to the first that cannot run earlier: until then the value is needed.
            for moment, name in sorted(self._readers(root), reverse=True):
                made_bytes = self._made_bytes(name)
                if moment <= needed or program.opcode(name) in _LATE or made_bytes * 2 > size_bytes:
                    needed = max(needed, moment)
                    break
                others = (program.root(operand) for operand in program.operands(name))
                first = min(max([born, *(starts[operand] for operand in others if operand != root)]), moment)
                waiting.append((first, moment, made_bytes))
                needed = max(needed, first)
            if needed < last:
                cuts.update({number: [(needed + 1, last)] for number in numbers})
                more += (change for first, moment, size in waiting for change in ((first, size), (moment, -size)))
        return Edit(cuts, more)


def by_scope(arrays: Iterable[Array]) -> Mapping[str, Mapping[Unit, Sequence[Array]]]:
    """Return the arrays that a checkpoint around each scope drops: those that only the scope reads going forward."""
    dropped: defaultdict[str, defaultdict[Unit, list[Array]]] = defaultdict(lambda: defaultdict(list))
    for array in arrays:
        for depth in array.depths():
            unit = array.unit[:depth]
            if all(reader[:depth] == unit for reader in array.readers):
                dropped[pattern("/".join(unit))][unit].append(array)
    return dropped


def _edits(
    units: Mapping[Unit, Sequence[Array]],
    inputs: Mapping[Unit, Sequence[Array]],
    made: Mapping[Unit, Sequence[Lifetime]],
) -> tuple[Edit, Edit]:
    """Return what a checkpoint changes where it saves least, and where it saves most.

    It saves least if a unit computes all its arrays again at the first read of any of them (`early`), and holds its
    inputs and working set until then. It saves most if each array is only there again when it is read (`late`).
    """
    early: dict[int, list[Stretch]] = {}
    late: dict[int, list[Stretch]] = {}
    more: list[Change] = []
    largest = {unit: max((array.size_bytes for array in read), default=0) for unit, read in inputs.items()}
    sizes = Counter(filter(None, largest.values()))
    usual_input = max(sizes, key=lambda size: (sizes[size], size), default=0)
    for unit, kept in units.items():
        reads = [array.first_backward for array in kept]
        again = min(reads)
        extra = most_at_once(made.get(unit, ())) - sum(array.size_bytes for array in kept)
        more += _held(again, again, max(extra, 0))
        for array in inputs[unit]:
            more += _held(array.last_moment + 1, again, array.size_bytes)
        if largest[unit] * _SMALL_PART < sum(array.size_bytes for array in kept):
            more += _held(min(array.last_forward for array in kept), max(reads), usual_input)
        for array in kept:
            for number in array.values:
                late[number] = [array.between]
                early[number] = [(array.last_forward + 1, again - 1)]
    return Edit(early, more), Edit(late)


def _inputs(units: Iterable[Unit], arrays: Iterable[Array]) -> Mapping[Unit, list[Array]]:
    """Return what each part reads of others in the forward pass, as far as the backward pass needs it, too."""
    inputs: dict[Unit, list[Array]] = {unit: [] for unit in units}
    depth = max(map(len, inputs), default=0)
    for array in arrays:
        for unit in {reader[:depth] for reader in array.readers} - {array.unit[:depth]}:
            if unit in inputs:
                inputs[unit].append(array)
    return inputs


def _held(first: int, last: int, size_bytes: int) -> Sequence[Change]:
    return ((first, size_bytes), (last + 1, -size_bytes)) if first <= last and size_bytes else ()


def _bytes(units: Mapping[Unit, Sequence[Array]]) -> int:
    return sum(array.size_bytes for kept in units.values() for array in kept)
