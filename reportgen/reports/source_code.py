"""Read a Python file: which change of it a suggestion asks for, where that is certain, and what is around a line."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from reportgen.advice.advice_records import SuggestionFigures
from reportgen.program.source_agreement import end_of, lines_of, parsed
from reportgen.record import record

_BODY_AT = {"scan": 0, "map": 0, "fori_loop": 2, "while_loop": 1}
"""The position of the body among the arguments of the functions that make a loop."""
_WRAPS = re.compile(r"([\w.]+)\(body\)")
_REBINDS = re.compile(r"([\w.]+) = [\w.]+\(\1\)")
_JITS = ("jit", "pjit")
_OPERATIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@record
class SourceEdit:
    """A change of the line `number`: `added` takes the place of `removed` or, where that is empty, follows the line."""

    number: int
    removed: str
    added: str


@record(slots=False)
class SourceCode:
    """The text of a Python file with its syntax; `names` are those that the dump has for the file."""

    lines: Sequence[str]
    names: Collection[str]
    tree: ast.Module

    def edits(self, suggestion: SuggestionFigures, function: str) -> Sequence[SourceEdit]:
        """Return the changes of the file that a suggestion asks for; none where that is not certain.

        `function` is the one that the program was compiled from.
        """
        code = suggestion.code or ""
        if not self._knows(code):
            return ()
        if code.startswith("donate_argnames="):
            return self._donations(code, suggestion.argument_names, function)
        if rebound := _REBINDS.fullmatch(code):
            return self._rebound(rebound[1].partition(".")[0], code, numbers_in(suggestion.lines, self.names))
        if wraps := _WRAPS.match(code):
            edits = [self._wrapped(number, wraps[1]) for number in numbers_in(suggestion.code_lines, self.names)]
            return [edit for edit in edits if edit]
        return ()

    def expression(self, number: int, columns: tuple[int, ...]) -> tuple[int, int]:
        """Return the first character and the one after the last of an expression in a line; 0 and 0 without one.

        `columns` are the bytes that a dump states, which may be of an older file. A dump may give an operation the end
        of another one that begins at the same column, so there is none where several begin.
        """
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, _OPERATIONS))
        begun = [node for node in nodes if (node.lineno, node.col_offset) == (number, *columns[:1])]
        if len(begun) != 1 or (begun[0].end_lineno, begun[0].end_col_offset) != (number, columns[1]):
            return 0, 0
        line = self.lines[number - 1]
        return _column(line, columns[0]), _column(line, columns[1])

    def around(self, numbers: Collection[int]) -> Set[int]:
        """Return the lines of the functions in which some lines are; of one outside of functions, its statement."""
        functions = [node for node in self._definitions() if isinstance(node, _Function)]
        statements = [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]
        inside = (_smallest(functions, number) or _smallest(statements, number) or (number,) for number in numbers)
        return {number for lines in inside for number in lines}

    def _knows(self, code: str) -> bool:
        """Return whether the file imports the module that the code names, if it names one."""
        before, bracket, _ = code.partition("(")
        called = re.split(r"[^\w.]", before)[-1].partition(".")[0] if bracket else ""
        return not called or code.startswith("donate_argnames=") or called in self._imported

    @property
    def _imported(self) -> Collection[str]:
        imports = (node for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom))
        return {alias.asname or alias.name.partition(".")[0] for node in imports for alias in node.names}

    def _wrapped(self, number: int, wrapper: str) -> SourceEdit | None:
        """Return how the body of the only loop at a line is wrapped."""
        found = [body for call in self._calls(number) if (body := _body(call))]
        if len(found) != 1 or end_of(found[0]) != found[0].lineno:
            return None
        body = found[0]
        line = self.lines[body.lineno - 1]
        start, end = _column(line, body.col_offset), _column(line, body.end_col_offset or 0)
        added = f"{line[:start]}{wrapper}({line[start:end]}){line[end:]}"
        return SourceEdit(number=body.lineno, removed=line, added=added)

    def _rebound(self, name: str, code: str, numbers: Sequence[int]) -> Sequence[SourceEdit]:
        """Return the line after the definition of a function or class in which one of the lines is."""
        defined = [node for node in self._definitions() if node.name == name]
        if len(defined) != 1 or not any(node.lineno <= line <= end_of(node) for node in defined for line in numbers):
            return ()
        indent = " " * defined[0].col_offset
        return [SourceEdit(number=end_of(defined[0]), removed="", added=f"{indent}{code}")]

    def _donations(self, code: str, arguments: Sequence[str], function: str) -> Sequence[SourceEdit]:
        """Return where the arguments of a function are donated: in the only call that compiles it."""
        defined = [node for node in self._definitions() if node.name == function and isinstance(node, _Function)]
        if len(defined) != 1 or not _parameters(defined[0]).issuperset(arguments):
            return ()
        decorators = defined[0].decorator_list
        jits = [call for call in self._calls() if _last_name(call.func) in _JITS]
        jits = [call for call in jits if call.args and _is_name(call.args[0], function)]
        jits += [call for call in decorators if isinstance(call, ast.Call) and _compiles(call)]
        bare = [decorator for decorator in decorators if _last_name(decorator) in _JITS]
        if len(jits) + len(bare) != 1:
            return ()
        edit = self._donating(jits[0], code) if jits else self._partial(bare[0], code)
        return [edit] if edit else ()

    def _donating(self, jit: ast.Call, code: str) -> SourceEdit | None:
        """Return how an argument is added to a call; None where it may be there already."""
        if any(keyword.arg is None or keyword.arg.startswith("donate") for keyword in jit.keywords):
            return None
        number, line = end_of(jit), self.lines[end_of(jit) - 1]
        end = _column(line, jit.end_col_offset or 0) - 1
        before = line[:end].rstrip()
        if not before:  # because the bracket stands alone, and whether a comma is before it is on another line
            return None
        separator = "" if before.endswith("(") else " " if before.endswith(",") else ", "
        return SourceEdit(number=number, removed=line, added=f"{before}{separator}{code}{line[end:]}")

    def _partial(self, decorator: ast.expr, code: str) -> SourceEdit | None:
        """Return how a decorator without arguments gets one; None where the file does not import what that takes."""
        partial = next((name for name in ("partial", "functools") if name in self._imported), None)
        if partial is None:
            return None
        line = self.lines[decorator.lineno - 1]
        called = "partial" if partial == "partial" else "functools.partial"
        added = f"{' ' * line.index('@')}@{called}({ast.unparse(decorator)}, {code})"
        return SourceEdit(number=decorator.lineno, removed=line, added=added)

    def _calls(self, number: int | None = None) -> Iterator[ast.Call]:
        """Yield the calls that a line is part of; all without a line."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and (number is None or node.lineno <= number <= end_of(node)):
                yield node

    def _definitions(self) -> Iterator[_Function | ast.ClassDef]:
        yield from (node for node in ast.walk(self.tree) if isinstance(node, _Function | ast.ClassDef))


def source_code(lines: Sequence[str], names: Collection[str]) -> SourceCode | None:
    """Return the code of a file; None where it is no Python that this interpreter reads."""
    tree, _ = parsed("\n".join(lines))
    return SourceCode(lines=lines, names=names, tree=tree) if tree else None


def _smallest(nodes: Iterable[_Function | ast.stmt], number: int) -> Sequence[int]:
    """Return the lines of the shortest node that a line is in; empty without one."""
    return min((lines for node in nodes if number in (lines := lines_of(node))), key=len, default=())


def _body(call: ast.Call) -> ast.expr | None:
    """Return the body of a loop that a call makes; None for other calls."""
    place = _BODY_AT.get(_last_name(call.func))
    if place is None or _is_name(call.func, "map") or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    return call.args[place] if place < len(call.args) else None


def _last_name(node: ast.expr) -> str:
    """Return `scan` of `jax.lax.scan`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _compiles(call: ast.Call) -> bool:
    """Return whether a decorator is `partial(jax.jit, …)` or `jax.jit(…)`."""
    is_partial = _last_name(call.func) == "partial" and bool(call.args) and _last_name(call.args[0]) in _JITS
    return is_partial or (_last_name(call.func) in _JITS and not call.args)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _parameters(function: _Function) -> set[str]:
    arguments = function.args
    return {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _column(line: str, offset: int) -> int:
    """Return the position of a character in a line, from that of its first byte in UTF-8."""
    return len(line.encode("utf-8", "replace")[:offset].decode("utf-8", "replace"))


def numbers_in(lines: Sequence[str], names: Collection[str]) -> Sequence[int]:
    """Return which of some lines, as `FILE:LINE`, are of the file that a dump calls by these names."""
    parted = (line.rpartition(":") for line in lines)
    return [int(number) for file, _, number in parted if file in names and number.isdecimal()]
