"""Suggest checkpoints: of the bodies of loops, of functions that are called often, and of scopes."""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.advice import cost
from reportgen.advice.advice_records import Suggestion
from reportgen.advice.checkpoint import Checkpoint, Part
from reportgen.advice.context import AdviceContext
from reportgen.advice.framework import checkpoint_of_function, checkpoint_of_loop, checkpoint_of_scope, place
from reportgen.advice.loops import LoopCheckpoint, loop_checkpoints
from reportgen.advice.order import worth_bytes
from reportgen.advice.repeated_calls import repeated_calls
from reportgen.advice.suggest import is_worth_listing, suggest, suggest_range
from reportgen.program.program import Program
from reportgen.program.scopes import is_in_scope

_LISTED = 5
_LITTLE_PART = 100
"""That something is saved at least says something if it is more than this part of the peak."""


def find_checkpoints(context: AdviceContext) -> Sequence[Suggestion]:
    """Return checkpoints of loops, scopes and functions; of loops alone where the others do nothing."""
    memory = context.memory
    program = context.program
    has = context.checkpoints.is_checkpointed
    loops = (one for one in loop_checkpoints(program, memory) if not has(_in_loops(program, one)))
    suggestions = [_of_loop(context, checkpoint) for checkpoint in loops]
    if context.has_checkpoints:
        arrays = context.checkpoints.arrays(memory)
        scopes = context.checkpoints.families(memory, arrays)
        suggestions += [_of_function(context, call) for call in repeated_calls(context, memory, arrays)]
        suggestions += [_of_scope(context, one) for one in scopes if not has(_in_scope(one.scope))]
    worth = [suggestion for suggestion in suggestions if is_worth_listing(context, worth_bytes(suggestion))]
    return sorted(worth, key=lambda suggestion: -worth_bytes(suggestion))[:_LISTED]


def _in_loops(program: Program, checkpoint: LoopCheckpoint) -> Part:
    """Return the part of a program that is in the bodies of loops, but for what their own lines add, as an index."""
    lines = {program.user_frame(loop) for loop in checkpoint.loops}
    return lambda name, _: (
        program.user_frame(name) not in lines and any(loop in checkpoint.loops for loop in program.loops_around(name))
    )


def _in_scope(scope: str) -> Part:
    return lambda _, op_name: is_in_scope(op_name, scope)


def _of_scope(context: AdviceContext, checkpoint: Checkpoint) -> Suggestion:
    operation = _operation(context, checkpoint)
    code = checkpoint_of_scope(context.program, operation, checkpoint.scope) if operation else ""
    suggestion = _suggest(context, checkpoint, f"checkpoint {checkpoint.scope}", code)
    return replace(suggestion, added_flops=cost.of_scope(context.analysis, checkpoint.scope))


def _of_function(context: AdviceContext, checkpoint: Checkpoint) -> Suggestion:
    operation = _operation(context, checkpoint)
    code = checkpoint_of_function(context.program, operation, checkpoint.scope) if operation else ""
    what = f"checkpoint the calls of {checkpoint.scope.rpartition('<locals>.')[2]}{_called_at(context, checkpoint)}"
    suggestion = _suggest(context, checkpoint, what, code)
    return replace(suggestion, added_flops=cost.of_function(context.analysis, checkpoint.scope))


def _called_at(context: AdviceContext, checkpoint: Checkpoint) -> str:
    """Return the one line of the user's program that calls the function of a checkpoint; empty where it has several."""
    lines, outside = set(), context.program.frames_of_all
    for number in checkpoint.values:
        stack = context.analysis.authors.of(number).stack
        inside = [depth for depth, frame in enumerate(stack) if frame.function == checkpoint.scope]
        around = stack[inside[-1] + 1 :] if inside else ()
        lines.add(next((str(frame) for frame in around if not frame.is_of_library and frame not in outside), ""))
    return f" at {lines.pop()}" if len(lines) == 1 and "" not in lines else ""


def _operation(context: AdviceContext, checkpoint: Checkpoint) -> str:
    """Return the operation that makes the first value of a checkpoint; empty for one without values."""
    return context.analysis.authors.of(checkpoint.values[0]).operation if checkpoint.values else ""


def _suggest(context: AdviceContext, checkpoint: Checkpoint, what: str, code: str) -> Suggestion:
    peak = context.memory.peak
    least = context.reordered(checkpoint.least) if checkpoint.is_open else peak
    if (peak.peak_bytes - least.peak_bytes) * _LITTLE_PART >= peak.peak_bytes:
        size_bytes, buffers = checkpoint.size_bytes, context.program.buffers.one_of_each(checkpoint.values)
        return suggest(context, "checkpoint", "at least", what, size_bytes, least, buffers=buffers, code=code)
    return suggest_range(context, "checkpoint", what, checkpoint, code)


def _of_loop(context: AdviceContext, checkpoint: LoopCheckpoint) -> Suggestion:
    program, loops = context.program, checkpoint.loops
    where = dict.fromkeys(f"the loop at {at}" if (at := place(program, loop)) else loop for loop in loops)
    what = f"checkpoint the body of {' and of '.join(where)}"
    code = "; ".join(filter(None, dict.fromkeys(checkpoint_of_loop(program, loop) for loop in loops)))
    code += "  # each of these bodies" if code and len(where) > 1 else ""
    frames = (program.user_frame(loop) for loop in loops)
    lines = tuple(dict.fromkeys(str(frame) for frame in frames if frame)) if code else ()
    suggestion = suggest_range(context, "checkpoint-loop", what, checkpoint, code)
    return replace(suggestion, added_flops=cost.of_loops(context.analysis, loops), code_lines=lines)
