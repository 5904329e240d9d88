"""Compute the suggestions: each kind alone on the dump as it is, with its confidence and its words."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from reportgen.advice.advice_records import Confidence, ConflictOf, Suggestion
from reportgen.advice.avoidable import AvoidableGroup, copies_of_held, made_early, recomputed_early
from reportgen.advice.checkpoint import Checkpoint
from reportgen.advice.context import AdviceContext
from reportgen.advice.donation import Donation
from reportgen.advice.framework import (
    CHECKPOINT_OF_ATTENTION,
    DIVIDED_ACTIVATIONS,
    attention_code,
    checkpoint_of_function,
    checkpoint_of_loop,
    checkpoint_of_scope,
    donation_code,
    place,
)
from reportgen.advice.hoisted import hoisted
from reportgen.advice.kinds import KINDS, Kind
from reportgen.advice.levers import WIDEST_RANGE, Lever, Levers
from reportgen.advice.loops import LoopCheckpoint, loop_checkpoints
from reportgen.advice.memory import Memory, PeakAfter
from reportgen.advice.merged_dimensions import merged, padding
from reportgen.advice.order import worth_bytes
from reportgen.advice.repeated_calls import repeated_calls
from reportgen.advice.shard import shard
from reportgen.advice.similar_buffers import SimilarBuffers
from reportgen.advice.unreturned import without_result
from reportgen.advice.where import largest_of, order_words, padded_words, product, where
from reportgen.advice.words import CPU_CHECKPOINT, NARROWER_MOMENT, NARROWER_STATE

WORTH_PART = 1000
"""A suggestion is worth listing if it is about more than this part of the peak."""

_ARGUMENT_SUGGESTIONS = 10
"""Arguments that are listed alone; the next two count checkpoints and results."""

_CHECKPOINT_SUGGESTIONS = 5

_HALF = 0.5

_LITTLE_PART = 100
"""That something is saved at least says something if it is more than this part of the peak."""

_RESULT_SUGGESTIONS = 5


class Suggestions:
    """The suggestions of one memory space. Each method returns those of one kind."""

    def __init__(self, context: AdviceContext) -> None:
        self._context = context

    def all(self) -> Iterator[Suggestion]:
        """Yield the suggestions of every kind but groups, donations first."""
        yield from self.donations()
        yield from self.sharding()
        yield from self.changes()
        yield from self.unreturned()

    def changes(self) -> Iterator[Suggestion]:
        """Yield the suggestions that change the program, and not what its caller passes and gets."""
        yield from self.batches()
        yield from self.recomputed()
        yield from self.checkpoints
        yield from self.held()
        yield from self.levers()

    def donations(self) -> Iterator[Suggestion]:
        """Yield the suggestion for all arguments that could be donated, then one for each of the largest of them."""
        sizes: Counter[str] = Counter()
        for pair in self._context.donation.pairs:
            sizes[pair.argument.name] += pair.result.size_bytes
        if sizes:
            yield self._donate(self._context.donation, list(sizes))
        largest = dict(sizes.most_common(_ARGUMENT_SUGGESTIONS))
        for name in sizes if len(sizes) > 1 else ():
            if name in largest:
                yield self._donate(self._context.donated({name}), [name])

    def _donate(self, donation: Donation, names: list[str]) -> Suggestion:
        conflicts = tuple(filter(None, map(self._context.conflict, donation.conflicts)))
        least, most, peak = donation.at_worst.peak, donation.after.peak, self._context.memory.peak.peak_bytes
        is_range = most.peak_bytes < least.peak_bytes and not _is_wide(peak - least.peak_bytes, peak - most.peak_bytes)
        exact: Confidence = "predicted" if least.peak_bytes == most.peak_bytes else "up to"
        return self._suggestion(
            "donate",
            "range" if is_range else exact,
            f"donate {', '.join(names)}",
            donation.matching_bytes,
            least if is_range else most,
            most=most if is_range else None,
            argument_names=tuple(names),
            scratch_bytes=donation.scratch_bytes,
            conflicts=conflicts,
            conflict_bytes=donation.conflict_bytes,
            reason=self._why_less(donation, conflicts),
            code=donation_code(names) if self._context.is_jax else "",
        )

    def _why_less(self, donation: Donation, conflicts: tuple[ConflictOf, ...]) -> str:
        """Return why a donation saves less than what matches; empty where it does not."""
        if self._context.memory.peak.peak_bytes - donation.at_worst.peak.peak_bytes >= donation.matching_bytes:
            return ""
        if conflicts and donation.conflict_bytes >= donation.scratch_bytes:
            first = conflicts[0]
            return (
                f"{first.argument} is still read by {first.read_by} at {first.read_at}, after the output that could "
                f"reuse it is first written, at {first.born_at}, so both take memory."
            )
        if donation.scratch_bytes:
            return "Other values use the outputs' memory before they are written, and need memory of their own."
        return "The peak after the donation is at another instruction."

    def batches(self) -> Iterator[Suggestion]:
        if self._context.batch:
            yield self.smaller_batch(_HALF)

    def smaller_batch(self, factor: float) -> Suggestion:
        """Return the suggestion to a smaller batch; nothing but data may follow it."""
        batch = self._context.batch
        values = batch.values if batch else ()
        naive = sum(self._context.memory.temps[number].size_bytes for number in values) * (1 - factor)
        outcome = batch.peak(factor) if batch else self._context.memory.peak
        what = "half the batch" if factor == _HALF else f"{factor:.0%} of the batch"
        words = self._context.batch_words
        what += f" ({words})" if words else ""
        return self._suggestion("batch", "estimate", what, round(naive), outcome)

    def recomputed(self) -> Iterator[Suggestion]:
        """Yield what a checkpoint computes long before it is read."""
        on_cpu = KINDS["recomputed-early"].caveat if self._context.has_checkpoints else CPU_CHECKPOINT
        group = recomputed_early(self._context.analysis, self._context.memory)
        yield from self._of_group("recomputed-early", "up to", group, on_cpu)

    def held(self) -> Iterator[Suggestion]:
        """Yield what is held at the peak although it could be there later, elsewhere or smaller."""
        program, memory = self._context.program, self._context.memory
        statics = [argument.number for argument in self._context.arguments]
        statics += [result.number for result in self._context.results]
        yield from self._of_group("made-early", "up to", made_early(program, memory))
        yield from self._of_group("copy", "up to", copies_of_held(program, memory))
        trained = [one.number for one in self._context.state] if program.has_backward_pass else []
        if found := hoisted(program, memory, trained):
            what = f"compute {self._context.described(found.values)} in the body of the loop that reads it"
            yield self._range("copy", memory, what, found.size_bytes, found.least, found.most, found.values, "")
        yield from self._of_group("padding", "at least", padding(self._context, statics))

    def _of_group(
        self, kind: Kind, confidence: Confidence, group: AvoidableGroup, caveat: str = ""
    ) -> Iterator[Suggestion]:
        if group.values and group.size_bytes * WORTH_PART >= self._context.memory.peak.peak_bytes:
            what = {
                "recomputed-early": "recomputed too early",
                "made-early": "created too early",
            }
            more = {"caveat": caveat} if caveat else {}
            buffers = self._context.program.buffers.one_of_each(group.values)
            words = what.get(kind) or self._layout_words(kind, group)
            yield self._suggestion(kind, confidence, words, group.size_bytes, group.outcome, buffers=buffers, **more)

    def _layout_words(self, kind: Kind, group: AvoidableGroup) -> str:
        """Return what to do about copies or padding, with the array that has most of it and how it is laid out."""
        analysis = self._context.analysis
        number, is_all = largest_of(analysis, group.sizes)
        if kind == "padding":
            found = merged(self._context, number)
            how = f"{padded_words(analysis, number)}; merge {product(found.sizes)}" if found else ""
            what, most = "avoid the padding", " at the peak"
        else:
            how = order_words(analysis, number, group.copies[number])
            what, most = "avoid redundant copies", ""
        of = f" of {where(analysis, number)}" if is_all else f"{most}, mainly of {where(analysis, number)}"
        return f"{what}{of}{f': {how}' if how else ''}"

    @cached_property
    def checkpoints(self) -> list[Suggestion]:
        return self.checkpoints_of(self._context.memory)

    def checkpoints_of(self, memory: Memory) -> list[Suggestion]:
        """Return checkpoints of loops, scopes and functions; of loops alone where the others do nothing."""
        found = [self._of_loop(memory, one) for one in loop_checkpoints(self._context.program, memory)]
        if self._context.has_checkpoints:
            arrays = self._context.checkpoints.arrays(memory)
            found += [self._of_function(memory, one) for one in repeated_calls(self._context, memory, arrays)]
            found += [self._of_scope(memory, one) for one in self._context.checkpoints.families(memory, arrays)]
        worth = [suggestion for suggestion in found if worth_bytes(suggestion) * WORTH_PART >= memory.peak.peak_bytes]
        return sorted(worth, key=lambda suggestion: -worth_bytes(suggestion))[:_CHECKPOINT_SUGGESTIONS]

    def _of_scope(self, memory: Memory, one: Checkpoint) -> Suggestion:
        operation = self._operation(one)
        code = checkpoint_of_scope(self._context.program, operation, one.scope) if operation else ""
        return self._checkpoint(memory, one, f"checkpoint {one.scope}", code)

    def _of_function(self, memory: Memory, one: Checkpoint) -> Suggestion:
        operation = self._operation(one)
        code = checkpoint_of_function(self._context.program, operation, one.scope) if operation else ""
        what = f"checkpoint the calls of {one.scope.rpartition('<locals>.')[2]}"
        return self._checkpoint(memory, one, what, code)

    def _checkpoint(self, memory: Memory, one: Checkpoint, what: str, code: str) -> Suggestion:
        least = self._context.reordered(one.least) if one.is_open else memory.peak
        if (memory.peak.peak_bytes - least.peak_bytes) * _LITTLE_PART >= memory.peak.peak_bytes:
            buffers = self._context.program.buffers.one_of_each(one.values)
            return self._suggestion("checkpoint", "at least", what, one.kept_bytes, least, buffers=buffers, code=code)
        return self._range("checkpoint", memory, what, one.kept_bytes, one.least, one.most, one.values, code)

    def _operation(self, one: Checkpoint) -> str:
        """Return the operation that makes the first value of a checkpoint; empty for one without values."""
        return self._context.analysis.authors.of(one.values[0]).operation if one.values else ""

    def _of_loop(self, memory: Memory, one: LoopCheckpoint) -> Suggestion:
        program = self._context.program
        where = [(f"the loop at {at}" if (at := place(program, loop)) else loop) for loop in one.loops]
        what = f"checkpoint the body of {' and of '.join(where)}"
        code = "; ".join(filter(None, dict.fromkeys(checkpoint_of_loop(program, loop) for loop in one.loops)))
        code += "  # each of these bodies" if code and len(one.loops) > 1 else ""
        return self._range("checkpoint-loop", memory, what, one.stack_bytes, one.least, one.most, one.values, code)

    def _range(
        self,
        kind: Kind,
        memory: Memory,
        what: str,
        involved_bytes: int,
        least: PeakAfter,
        most: PeakAfter,
        values: tuple[int, ...],
        code: str,
    ) -> Suggestion:
        """Return a suggestion whose saving is between two numbers; where they lie far apart, there is none."""
        peak = memory.peak.peak_bytes
        low, high = peak - least.peak_bytes, peak - most.peak_bytes
        buffers = self._context.program.buffers.one_of_each(values)
        if _is_wide(low, high):
            return self._suggestion(kind, "unknown", what, involved_bytes, memory.peak, buffers=buffers, code=code)
        return self._suggestion(kind, "range", what, involved_bytes, least, most=most, buffers=buffers, code=code)

    def levers(self) -> Iterator[Suggestion]:
        """Yield what an expert would change, as far as the program has it."""
        levers = Levers(self._context)
        attention, backend = levers.attention(), self._context.analysis.backend
        # What is multiplied is looked for in the whole text, which is long, and matters only on a GPU.
        heads = levers.heads() if attention and backend == "gpu" else set()
        of_attention, code = "compute attention in blocks: {}", attention_code(backend, heads)
        if attention and attention.is_recomputed:
            of_attention, code = "recompute attention in the backward pass: {}", CHECKPOINT_OF_ATTENTION
        found: list[tuple[Kind, str, Lever | None, str]] = [
            ("attention", of_attention, attention, code),
            ("logits", "compute the loss in chunks: {}", levers.logits(), ""),
            ("carry", "carry as one stack in the loop, instead of two: {}", levers.carry(), ""),
            ("carry", "donate {} and carry them through the loop", levers.donated_carry(), ""),
            ("offload", "keep {} in host memory until the update", levers.offload(), ""),
            ("type", "use a narrower type for {}", levers.narrower_state(), ""),
            ("type", "use a narrower type for {}", levers.narrower(), ""),
        ]
        for kind, what, lever, code in found:
            if lever and lever.size_bytes * WORTH_PART >= self._context.memory.peak.peak_bytes:
                yield self._of_lever(kind, what, lever, code if self._context.is_jax else "")

    def _of_lever(self, kind: Kind, what: str, lever: Lever, code: str) -> Suggestion:
        memory = self._context.memory
        what = what.format(", ".join(lever.parts) or self._context.described(lever.values))
        more = {"argument_names": lever.argument_names, "code": code}
        if lever.least is None or lever.most is None:
            buffers = self._context.program.buffers.one_of_each(lever.values)
            return self._suggestion(kind, "unknown", what, lever.size_bytes, memory.peak, buffers=buffers, **more)
        if kind in ("carry", "type"):
            if kind == "type":
                is_optax = any(part.endswith(".nu") for part in lever.parts)
                more["caveat"] = f"{NARROWER_STATE} {NARROWER_MOMENT}" if is_optax else NARROWER_STATE
            return self._suggestion(kind, "estimate", what, lever.size_bytes, lever.most, buffers=lever.values, **more)
        if kind == "offload":
            return self._suggestion(kind, "up to", what, lever.size_bytes, lever.most, buffers=lever.values, **more)
        suggestion = self._range(kind, memory, what, lever.size_bytes, lever.least, lever.most, lever.values, code)
        if not suggestion.is_computed:
            return self._suggestion(kind, "up to", what, lever.size_bytes, lever.most, buffers=lever.values, **more)
        return suggestion

    def sharding(self) -> Iterator[Suggestion]:
        """Yield the division of what several devices hold whole among them."""
        found = shard(self._context)
        if found is None or found.held_bytes * WORTH_PART < self._context.memory.peak.peak_bytes:
            return
        arguments = tuple(dict.fromkeys(one.name for one in found.arguments))
        what = f"shard {', '.join(arguments)} over the {found.devices} devices, and keep activations sharded"
        code = DIVIDED_ACTIVATIONS if self._context.is_jax else ""
        numbers = tuple(one.number for one in found.arguments)
        memory = self._context.memory
        suggestion = self._range("shard", memory, what, found.held_bytes, found.least, found.most, numbers, code)
        if not suggestion.is_computed:
            suggestion = self._suggestion(
                "shard", "up to", what, found.held_bytes, found.most, buffers=numbers, code=code
            )
        yield replace(suggestion, argument_names=arguments)

    def unreturned(self) -> Iterator[Suggestion]:
        """Yield the largest results that are not the new state of an argument."""
        paired = {pair.result.number for pair in self._context.donation.pairs}
        single = sorted((r for r in self._context.results if r.number not in paired), key=lambda r: -r.reserved_bytes)
        for result in single[:_RESULT_SUGGESTIONS]:
            if result.reserved_bytes * WORTH_PART * 10 >= self._context.memory.peak.peak_bytes:
                after = without_result(self._context.analysis, self._context.memory, result).peak
                key = self._context.program.dump.values.keys[result.number]
                what = f"do not return {key}, {result.shape}"
                yield self._suggestion(
                    "unreturned-result", "exact", what, result.reserved_bytes, after, buffers=(result.number,)
                )

    def without_group(self, group: SimilarBuffers) -> Suggestion:
        """Return the suggestion of never holding a group of buffers."""
        what = f"without {group.name}, {group.shape}"
        return self._suggestion("family", "up to", what, group.held_bytes, group.gone, buffers=group.buffers)

    def _suggestion(
        self, kind: Kind, confidence: Confidence, what: str, involved_bytes: int, outcome: PeakAfter, **more: object
    ) -> Suggestion:
        suggestion = Suggestion(
            kind=kind,
            confidence=confidence,
            what=what,
            involved_bytes=involved_bytes,
            saving_bytes=self._context.memory.peak.peak_bytes - outcome.peak_bytes,
            outcome=outcome,
            above_peak_bytes=self._context.above_peak_bytes,
            caveat=KINDS[kind].caveat,
        )
        return replace(suggestion, **more)  # type: ignore[arg-type]


def _is_wide(low: int, high: int) -> bool:
    """Return whether a saving between two numbers says nothing."""
    return high > low * WIDEST_RANGE
