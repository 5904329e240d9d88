"""Compute the moves: each kind alone on the dump as it is, with its claim and its words."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from reportgen.advice.advice_records import Claim, ConflictOf, Kind, Move
from reportgen.advice.avoidable import AvoidableGroup, copies_of_held, made_early, padding, recomputed_early
from reportgen.advice.checkpoint import Checkpoint
from reportgen.advice.donation import Donation
from reportgen.advice.families import Family
from reportgen.advice.loops import LoopCheckpoint, loop_checkpoints
from reportgen.advice.memory import Memory, PeakAfter
from reportgen.advice.situation import Situation
from reportgen.advice.unreturned import without_result
from reportgen.advice.words import CAVEATS, CPU_CHECKPOINT

WORTH_PART = 1000
"""A move is worth listing if it is about more than this part of the peak."""

_ARGUMENT_MOVES = 10
"""Arguments that are listed alone; the next two count checkpoints and results."""

_CHECKPOINT_MOVES = 5
_RESULT_MOVES = 5


class Moves:
    """The moves of one memory space. Each method returns those of one kind."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation

    def all(self) -> Iterator[Move]:
        """Yield the moves of every kind but families, donations first."""
        yield from self.donations()
        yield from self.batches()
        yield from self.recomputed()
        yield from self.checkpoints
        yield from self.held()
        yield from self.unreturned()

    def donations(self) -> Iterator[Move]:
        """Yield the move for all arguments that could be donated, then one for each of the largest of them."""
        sizes: Counter[str] = Counter()
        for pair in self._situation.donation.pairs:
            sizes[pair.argument.name] += pair.result.size_bytes
        if sizes:
            yield self._donate(self._situation.donation, list(sizes))
        largest = dict(sizes.most_common(_ARGUMENT_MOVES))
        for name in sizes if len(sizes) > 1 else ():
            if name in largest:
                yield self._donate(self._situation.donated({name}), [name])

    def _donate(self, donation: Donation, names: list[str]) -> Move:
        quoted = "".join(f'"{name}", ' for name in names).removesuffix(", " if len(names) > 1 else " ")
        conflicts = tuple(filter(None, map(self._situation.conflict, donation.conflicts)))
        return self._move(
            "donate",
            "predicted",
            f"donate {', '.join(names)}",
            donation.matching_bytes,
            donation.after.peak,
            argument_names=tuple(names),
            scratch_bytes=donation.scratch_bytes,
            conflicts=conflicts,
            conflict_bytes=donation.conflict_bytes,
            reason=self._why_less(donation, conflicts),
            code=f"donate_argnames=({quoted})" if self._situation.is_jax else "",
        )

    def _why_less(self, donation: Donation, conflicts: tuple[ConflictOf, ...]) -> str:
        """Return why a donation saves less than what matches; empty where it does not."""
        if self._situation.memory.peak.peak_bytes - donation.after.peak.peak_bytes >= donation.matching_bytes:
            return ""
        if conflicts and donation.conflict_bytes >= donation.scratch_bytes:
            first = conflicts[0]
            return (
                f"{first.argument} is still read by {first.reader} at {first.read_at} when the result that could take "
                f"its place is first written, at {first.born_at}, so both are held."
            )
        if donation.scratch_bytes:
            return "Other values use the results' memory before they are written, and need a place of their own."
        return "The peak after the donation is at another moment."

    def batches(self) -> Iterator[Move]:
        if self._situation.batch:
            half = self._situation.batch.peak(0.5)
            naive = sum(self._situation.memory.temps[number].size_bytes for number in self._situation.batch.values) // 2
            yield self._move("batch", "estimate", "half the batch", naive, half)

    def recomputed(self) -> Iterator[Move]:
        """Yield what a checkpoint computes long before it is read."""
        on_cpu = CPU_CHECKPOINT if self._situation.analysis.backend == "cpu" else CAVEATS["recomputed-early"]
        group = recomputed_early(self._situation.analysis, self._situation.memory)
        yield from self._of_group("recomputed-early", "up to", group, on_cpu)

    def held(self) -> Iterator[Move]:
        """Yield what is held at the peak although it could be there later, elsewhere or smaller."""
        program, memory = self._situation.program, self._situation.memory
        statics = [argument.number for argument in self._situation.arguments]
        statics += [result.number for result in self._situation.results]
        yield from self._of_group("made-early", "up to", made_early(program, memory))
        yield from self._of_group("copy", "up to", copies_of_held(program, memory))
        yield from self._of_group("padding", "at least", padding(self._situation.analysis, memory, statics))

    def _of_group(self, kind: Kind, claim: Claim, group: AvoidableGroup, caveat: str = "") -> Iterator[Move]:
        if group.values and group.size_bytes * WORTH_PART >= self._situation.memory.peak.peak_bytes:
            what = {
                "recomputed-early": "recomputed before it is needed",
                "made-early": "made long before its first use",
                "copy": "copies of what is held anyway",
                "padding": "padding at the peak",
            }[kind]
            more = {"caveat": caveat} if caveat else {}
            buffers = self._situation.program.buffers.one_of_each(group.values)
            yield self._move(kind, claim, what, group.size_bytes, group.outcome, buffers=buffers, **more)

    @cached_property
    def checkpoints(self) -> list[Move]:
        return self.checkpoints_of(self._situation.memory)

    def checkpoints_of(self, memory: Memory) -> list[Move]:
        """Return checkpoints of scopes and loops; none of scopes on CPU, where they do nothing."""
        found = [self._of_loop(memory, one) for one in loop_checkpoints(self._situation.program, memory)]
        if self._situation.analysis.backend != "cpu":
            found += [self._of_scope(memory, one) for one in self._situation.checkpoints.families(memory)]
        worth = [move for move in found if move.saving_bytes * WORTH_PART >= memory.peak.peak_bytes]
        return sorted(worth, key=lambda move: -move.saving_bytes)[:_CHECKPOINT_MOVES]

    def _of_scope(self, memory: Memory, one: Checkpoint) -> Move:
        code = f"f = jax.checkpoint(f)  # f: what runs in {one.scope}" if self._situation.is_jax else ""
        return self._range(
            "checkpoint", memory, f"checkpoint {one.scope}", one.kept_bytes, one.least, one.most, one.values, code
        )

    def _of_loop(self, memory: Memory, one: LoopCheckpoint) -> Move:
        code = "body = jax.checkpoint(body)  # body: of the scan" if self._situation.is_jax else ""
        what = f"checkpoint the body of {one.loop}"
        return self._range("checkpoint-loop", memory, what, one.stack_bytes, one.least, one.most, one.values, code)

    def _range(
        self,
        kind: Kind,
        memory: Memory,
        what: str,
        naive_bytes: int,
        least: PeakAfter,
        most: PeakAfter,
        values: tuple[int, ...],
        code: str,
    ) -> Move:
        peak = memory.peak.peak_bytes
        return self._move(
            kind,
            "range",
            what,
            naive_bytes,
            least,
            saving_bytes=peak - least.peak_bytes,
            saving_high_bytes=max(peak - most.peak_bytes, peak - least.peak_bytes),
            buffers=self._situation.program.buffers.one_of_each(values),
            code=code,
        )

    def unreturned(self) -> Iterator[Move]:
        """Yield the largest results that are not the new state of an argument."""
        paired = {pair.result.number for pair in self._situation.donation.pairs}
        single = sorted((r for r in self._situation.results if r.number not in paired), key=lambda r: -r.reserved_bytes)
        for result in single[:_RESULT_MOVES]:
            if result.reserved_bytes * WORTH_PART * 10 >= self._situation.memory.peak.peak_bytes:
                after = without_result(self._situation.analysis, self._situation.memory, result).peak
                key = self._situation.program.dump.values.keys[result.number]
                what = f"do not return {key}, {result.shape}"
                yield self._move(
                    "unreturned-result", "exact", what, result.reserved_bytes, after, buffers=(result.number,)
                )

    def without_family(self, family: Family) -> Move:
        """Return the move of never holding a family of buffers."""
        what = f"without {family.name}, {family.shape}"
        return self._move("family", "up to", what, family.held_bytes, family.gone, buffers=family.buffers)

    def _move(self, kind: Kind, claim: Claim, what: str, naive_bytes: int, outcome: PeakAfter, **more: object) -> Move:
        move = Move(
            kind=kind,
            claim=claim,
            what=what,
            naive_bytes=naive_bytes,
            saving_bytes=self._situation.memory.peak.peak_bytes - outcome.peak_bytes,
            outcome=outcome,
            caveat=CAVEATS[kind],
        )
        return replace(move, **more)  # type: ignore[arg-type]
