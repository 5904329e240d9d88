"""Explain why a run dumped nothing, by the names of the files that XLA left.

XLA itself says nothing: a module from a compilation cache, a program that compiles nothing and a flag that came too
late all look like success. The files in the folder tell them apart.
"""

from collections.abc import Iterable

from reportgen.errors import quoted
from reportgen.programs.interpreters import NO_FRAMEWORK
from reportgen.record import record

_ASSIGNMENT = "-buffer-assignment.txt"
_TEXT = "after_optimizations.txt"


@record
class Signs:
    """Counts of modules: with an assignment, with HLO text alone as after a cache hit, with a proto alone, and any."""

    assignments: int
    cached: int
    protos: int
    modules: int


def signs_in(names: Iterable[str]) -> Signs:
    """Return the signs in the names of all files of all processes."""
    named = list(names)
    assignments = [name.removesuffix(_ASSIGNMENT) for name in named if name.endswith(_ASSIGNMENT)]
    texts = {name.removesuffix(".txt") for name in named if name.endswith(_TEXT)}
    return Signs(
        assignments=len(assignments),
        cached=len(texts - set(assignments)),
        protos=sum(name.endswith(".hlo.pb") for name in named),
        modules=sum(name.startswith("module_") for name in named),
    )


def why_nothing(signs: Signs, exit_code: int, *, only: str | None, python: str | None = None) -> str:
    """Return why a run left no dump, in a sentence that says what to do.

    `python` is the path of the program's Python if that has no framework.
    """
    if signs.cached:
        cached = f"{signs.cached} modules were" if signs.cached > 1 else "1 module was"
        return (
            f"{cached} taken from a compilation cache, and nothing is dumped for these: the program turns its cache on"
            " itself; empty that, or turn it off"
        )
    if signs.protos:
        return (
            f"only protos were dumped ({signs.protos}); a flag of the program switches text off."
            " `reportgen build` reads protos too"
        )
    if python:
        return (
            f"the program ended with exit code {exit_code}, and its Python {NO_FRAMEWORK}: {python}. Write the one that"
            " has: reportgen run -- /path/to/python …"
        )
    if only is not None:
        return f"no module was dumped; does a name of a module match {quoted(only)}, which --only asks for?"
    if exit_code:
        return (
            f"the program ended with exit code {exit_code} before XLA dumped anything; if it said `Unknown flag in"
            " XLA_FLAGS`, its version of XLA does not know that flag"
        )
    return _NOTHING_COMPILED


_NOTHING_COMPILED = """\
XLA compiled nothing that this run could see. If the program does use XLA, perhaps
- TensorFlow was not asked to compile with it: it needs tf.function(jit_compile=True);
- a server process or a worker on another host, such as Ray's, compiled the program: run `reportgen run` there;
- a process that is not Python, or Python with -I or -E, was started with XLA_FLAGS of its own;
- PyTorch/XLA took the program from a cache that it set up itself (initialize_cache)."""
