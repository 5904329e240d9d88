"""Tell whether a Python file is the one that was compiled: a dump names lines of it, with columns and functions."""

import ast
import sys
from collections.abc import Collection, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain

from reportgen.input.source_lines import MOST_BYTES, MOST_LINES, SourceLines
from reportgen.parse.stack_frames import Frame, StatedLine

_UNNAMED: Mapping[str, type[ast.expr]] = {
    **{f"<{kind.__name__.lower()}>": kind for kind in (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)},
    "<genexpr>": ast.GeneratorExp,
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = _Function | ast.ClassDef
_Placed = ast.stmt | ast.expr | ast.excepthandler | ast.arg | ast.keyword | ast.alias


def why_not_shown(source: SourceLines, names: Collection[str], stated: Mapping[str, Set[StatedLine]]) -> str:
    """Return why a file is too large, or not the one that a dump calls by `names`, by what it states; else nothing."""
    if len(source.code) > MOST_BYTES or len(source.lines) > MOST_LINES:
        return f"is not shown: it has more than {MOST_BYTES:,} bytes or {MOST_LINES:,} lines"
    tree, why = parsed(source.code)
    # A notebook compiles other text than a cell has, and other files need not be Python.
    if why and source.path.endswith(".py") and not any("ipykernel_" in name for name in names):
        return f"is not shown: {why}"
    code, lines = _Written(tree) if tree else None, source.lines
    frames = chain.from_iterable(stated.get(name, ()) for name in names)
    for frame, columns in sorted(frames, key=lambda one: (one[0].line, one)):
        text = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""
        why = "is empty" if not text else "is a comment" if text.startswith("#") else ""
        if frame.line and (why := why or (code.contradiction(frame, columns) if code else "")):
            return f"is not the file that was compiled: line {frame.line:,} {why}"
    return ""


def parsed(code: bytes | str) -> tuple[ast.Module | None, str]:
    """Return the syntax of a file, or None and why it is no Python, which is empty if this interpreter cannot tell."""
    try:
        return ast.parse(code), ""
    except RecursionError:  # because a tree has a smaller limit than the compiler
        return None, ""
    except (SyntaxError, ValueError, MemoryError) as error:
        place = f"line {error.lineno:,}" if isinstance(error, SyntaxError) and error.lineno else "it"
        return None, f"{place} cannot be parsed by Python {sys.version_info[0]}.{sys.version_info[1]}"


def lines_of(node: ast.stmt | ast.expr) -> range:
    """Return the lines of a node, with its decorators."""
    decorators = node.decorator_list if isinstance(node, _Scope) else []
    return range(min([node.lineno, *(decorator.lineno for decorator in decorators)]), end_of(node) + 1)


def end_of(node: _Placed) -> int:
    """Return the last line of a node."""
    return node.end_lineno or node.lineno


class _Written:
    """What stands where in a file."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    def contradiction(self, frame: Frame, columns: tuple[int, ...]) -> str:
        """Return why the code cannot have a frame that a dump states with its columns; empty if it can."""
        number, (starts, ends, written) = frame.line, self._edges
        if number not in written:
            return "has no code"
        if columns and not ((number, columns[0]) in starts and (number, columns[1]) in ends):
            return "has another expression"
        return "" if self._is_in(frame.function, number) else f"is not in {frame.function}"

    @cached_property
    def _edges(self) -> tuple[Set[tuple[int, int]], Set[tuple[int, int]], Set[int]]:
        """The places where statements and expressions but docstrings begin, those where they end, and their lines."""
        nodes = [node for node in ast.walk(self._tree) if isinstance(node, _Placed)]
        texts = [node for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
        written = {*nodes}.difference(texts, (node.value for node in texts))
        starts = {(node.lineno, node.col_offset) for node in written}
        ends = {(end_of(node), node.end_col_offset or 0) for node in written}
        # Since Python 3.12 the call of a method begins at its name if that is on another line than its object.
        names = (node for node in written if isinstance(node, ast.Attribute))
        starts |= {(end_of(node), (node.end_col_offset or 0) - len(node.attr.encode())) for node in names}
        return starts, ends, {line for line, _ in starts | ends}

    def _is_in(self, function: str, number: int) -> bool:
        """Return whether a line is in a function; it may be in one whose name is empty or of an unknown form."""
        last = function.rpartition(".")[2]
        if kind := _UNNAMED.get(last):
            return any(number in lines_of(node) for node in ast.walk(self._tree) if isinstance(node, kind))
        around = {"<module>"}
        for name, node in self._scopes:
            if number in lines_of(node):
                # What is around a function runs its first lines, too.
                is_inside = number >= node.body[0].lineno > node.lineno
                around = {name} if is_inside else {*around, name}
        is_known = last == "<module>" or last.isidentifier()
        return not is_known or any(function in (name, name.rpartition(".")[2]) for name in around)

    @cached_property
    def _scopes(self) -> Sequence[tuple[str, _Scope]]:
        """The functions and classes by their qualified names, the outer ones first."""
        found: list[tuple[str, _Scope]] = []
        inside: list[tuple[str, ast.AST]] = [("", self._tree)]
        for prefix, parent in inside:
            for node in ast.iter_child_nodes(parent):
                if isinstance(node, _Scope):
                    found.append((prefix + node.name, node))
                    inside.append((f"{found[-1][0]}.{'<locals>.' if isinstance(node, _Function) else ''}", node))
                elif not isinstance(node, ast.expr):
                    inside.append((prefix, node))
        return found
