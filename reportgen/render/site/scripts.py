"""Bundles ES modules into one classic script, because a page opened from `file://` may not load modules.

The scripts in `templates/scripts` are ES modules, which editors, `tsc` and `node --test` understand. Each becomes a
function that returns its exports, after the modules it imports. That takes milliseconds, so it happens whenever a site
is built and no bundle can be out of date. Only the forms of import and export that our scripts use are understood;
anything else is an error, not a guess.
"""

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath

from reportgen.errors import BrokenInstallation
from reportgen.patterns import repeated

_IMPORT = re.compile(r"^import (\* as \w+|\{ " + repeated(r"\w+, ") + r'\w+ \}) from "(\.[^"]*)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|(?:async )?function|class) (\w+))", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(entry: str, read: Callable[[str], str]) -> str:
    """Return the script `entry` with all it imports, each module once and after those it needs.

    `read` returns the text of a module by its path. Raise `BrokenInstallation` at an import or export that is not
    understood, and at modules that import each other.
    """
    texts: dict[str, str] = {}

    def visit(path: str, importers: tuple[str, ...]) -> None:
        if path in importers:
            raise BrokenInstallation(f"scripts import each other: {' → '.join([*importers, path])}")
        if path not in texts:
            text = read(path)
            for found in _IMPORT.finditer(text):
                visit(_resolved(path, found[2]), (*importers, path))
            texts[path] = text

    visit(entry, ())
    modules = "\n".join(_function(path, text) for path, text in texts.items())
    return f'(() => {{\n"use strict";\nconst modules = {{}};\n\n{modules}}})();\n'


def _resolved(importer: str, specifier: str) -> str:
    return normpath(join(dirname(importer), specifier))


def _function(path: str, text: str) -> str:
    """Return a module as a function that is called at once and keeps its exports by the module's path."""
    exported = _EXPORT.findall(text)

    def imported(found: re.Match[str]) -> str:
        names = found[1].removeprefix("* as ")
        return f'const {names} = modules["{_resolved(path, found[2])}"];'

    body = _EXPORT.sub("", _IMPORT.sub(imported, text))
    if unknown := _UNKNOWN.search(body):
        raise BrokenInstallation(f"{path}: cannot bundle `{unknown[0]}`")
    return f'modules["{path}"] = (() => {{\n{body}return {{ {", ".join(exported)} }};\n}})();\n'
