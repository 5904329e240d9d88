"""Split an op_name, the path by which JAX names an operation: `jit(step)/layer_1/attention/dot_general`."""

import re

from reportgen.patterns import repeated

_OPENING, _CLOSING = "([{", ")]}"
_ARGUMENT = re.compile(r"[^\[\]/(){}]+" + repeated(r"\[(?:'[^']*'|\"[^\"]*\"|\d+)\][^\[\]/(){}]*", 1))
_SUBSCRIPT = re.compile(r"(?=\[)")
_SLASH_OR_BRACKET = re.compile(r"[/(\[{)\]}]")


def path_parts(scope: str) -> list[str]:
    """Return the parts of an op_name, split at slashes outside of brackets; `p['layer']['w']` at its subscripts."""
    if _ARGUMENT.fullmatch(scope):
        return [part for part in _SUBSCRIPT.split(scope) if part]
    parts, depth, start = [], 0, 0
    for match in _SLASH_OR_BRACKET.finditer(scope):
        if match[0] in _OPENING:
            depth += 1
        elif match[0] in _CLOSING:
            depth = max(0, depth - 1)
        elif depth == 0:
            parts.append(scope[start : match.start()])
            start = match.end()
    return [part for part in (*parts, scope[start:]) if part] or [scope]
