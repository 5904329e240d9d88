"""Make the JSON Schema of a document, and the tables of its fields, from the records that declare it."""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from types import ModuleType, NoneType
from typing import Any, get_args

from reportgen.document import (
    ArrayOf,
    ListOf,
    Number,
    ObjectOf,
    OneOf,
    OrNull,
    Pattern,
    RecordOf,
    Scalar,
    fields_of,
)

_TYPES = {bool: "boolean", float: "number", int: "integer", str: "string", NoneType: "null"}

WordLists = Mapping[tuple[Any, ...], tuple[str, str]]
"""The name and the sentence of each list of words, by its words."""


def word_lists(homes: Iterable[tuple[str, ModuleType, str]]) -> WordLists:
    """Return the lists of words by their words, from the name, the module and the alias of each."""
    return {get_args(getattr(module, alias)): (name, sentences(module)["", alias]) for name, module, alias in homes}


@cache
def sentences(module: ModuleType) -> Mapping[tuple[str, str], str]:
    """Return the text below each field, by its class, and below each name of the module, by an empty class."""
    tree = ast.parse(inspect.getsource(module))
    classes = [(node.name, node.body) for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        (name, ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])): " ".join(text.split())
        for name, body in (("", tree.body), *classes)
        for node, below in pairwise(body)
        if isinstance(node, ast.AnnAssign | ast.Assign)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(text := below.value.value, str)
    }


def sentence(cls: type, name: str) -> str:
    """Return the sentence of a field; one that is declared again without a sentence keeps the inherited one."""
    for base in cls.__mro__[:-1]:
        text = sentences(sys.modules[base.__module__]).get((base.__name__, name))
        if text:
            return text
    raise LookupError(f"{cls.__name__}.{name} has no sentence below it")


def summary_of(cls: type) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join(inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0].split())


def name_of(cls: type) -> str:
    """Return `peak_buffers` for `PeakBuffers`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()


def document_schema(cls: Any, title: str, address: str, lists: WordLists) -> dict[str, Any]:
    """Return the JSON Schema of a whole document."""
    definitions: dict[str, Any] = {}
    root = record_schema(cls, definitions, lists)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": address,
        "$comment": "Written by `python -m tests.support.documents`; do not edit.",
        "title": title,
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def record_schema(cls: Any, definitions: dict[str, Any], lists: WordLists) -> dict[str, Any]:
    """Return the JSON Schema of a record, with a description of each field."""
    fields = fields_of(cls)
    return {
        "description": summary_of(cls),
        "type": "object",
        "required": [key for key, field in fields.items() if not field.is_later],
        "properties": {
            key: {"description": sentence(cls, field.name), **schema_of(field.shape, definitions, lists)}
            for key, field in fields.items()
        },
    }


def schema_of(declared: Any, definitions: dict[str, Any], lists: WordLists) -> dict[str, Any]:
    """Return the JSON Schema of a shape; records and lists of words go into `definitions`."""
    match declared:
        case Scalar():
            return _scalar_schema(declared)
        case OneOf(words):
            return _words_schema(words, definitions, lists)
        case OrNull(either):
            schema = schema_of(either, definitions, lists)
            if "type" in schema:
                return schema | {"type": [schema["type"], "null"]}
            return {"anyOf": [schema, {"type": "null"}]}
        case ArrayOf(item):
            return {"type": "array", "items": schema_of(item, definitions, lists)}
        case ListOf(items):
            parts = {"prefixItems": [schema_of(item, definitions, lists) for item in items]} if items else {}
            return {"type": "array", **parts, "minItems": len(items), "maxItems": len(items)}
        case ObjectOf(key, item):
            names = {} if key == Scalar(str) else {"propertyNames": _name_schema(key, definitions, lists)}
            return {"type": "object", **names, "additionalProperties": schema_of(item, definitions, lists)}
    name = name_of(declared.cls)
    if name not in definitions:
        definitions[name] = {}  # so that a record may lead to itself
        definitions[name] |= record_schema(declared.cls, definitions, lists)
    return {"$ref": f"#/$defs/{name}"}


def _scalar_schema(declared: Scalar) -> dict[str, Any]:
    match declared.rule:
        case Number(_, int(least)):
            rule: dict[str, Any] = {"minimum": least}
        case Pattern(_, regex):
            rule = {"pattern": f"^{regex}$"}
        case _:
            rule = {}
    return {"type": _TYPES[declared.type], **rule}


def _words_schema(words: tuple[Any, ...], definitions: dict[str, Any], lists: WordLists) -> dict[str, Any]:
    if words not in lists:
        return {"const": words[0]} if len(words) == 1 else {"enum": list(words)}
    name, text = lists[words]
    definitions[name] = {"description": text, "enum": list(words)}
    return {"$ref": f"#/$defs/{name}"}


def _name_schema(key: Any, definitions: dict[str, Any], lists: WordLists) -> dict[str, Any]:
    is_number = isinstance(key, Scalar) and key.type is int
    return {"pattern": "^(0|[1-9][0-9]*)$"} if is_number else schema_of(key, definitions, lists)


def field_tables(root: type, lists: WordLists) -> Iterator[str]:
    """Yield the lines of a page: a table for each record, in the order in which the fields lead to them.

    Lists of words follow, in the order of their names.
    """
    waiting, seen, words = [root], {root}, dict[str, OneOf]()
    while waiting:
        cls: Any = waiting.pop(0)
        records = list[Any]()
        yield from (f"### {name_of(cls)}", "", summary_of(cls), "", "| field | is | |", "| --- | --- | --- |")
        for key, field in fields_of(cls).items():
            yield f"| `{key}` | {_words(field.shape, records, words, lists)} | {sentence(cls, field.name)} |"
        yield ""
        waiting[:0] = [record for record in dict.fromkeys(records) if record not in seen]
        seen.update(records)
    for name, listed in sorted(words.items()):
        yield from (f"### {name}", "", lists[listed.words][1], "", ", ".join(f"`{word}`" for word in listed.words), "")


def _words(declared: Any, records: list[Any], words: dict[str, OneOf], lists: WordLists) -> str:
    """Return a shape in a few characters; the records and lists of words in it are added to the others."""
    match declared:
        case Scalar(kind, Number(said, _)):
            return "bytes" if "bytes" in said else _TYPES[kind]
        case Scalar(kind):
            return {str: "text", bool: "true or false"}.get(kind, _TYPES[kind])
        case OneOf(listed) if listed in lists:
            name = lists[listed][0]
            words[name] = declared
            return f"[{name}](#{name})"
        case OneOf(listed):
            return " or ".join(f"`{word}`" for word in listed)
        case OrNull(either):
            return f"{_words(either, records, words, lists)} or null"
        case ArrayOf(item):
            return f"list of {_words(item, records, words, lists)}"
        case ListOf(items):
            each = ", ".join(_words(item, records, words, lists) for item in items)
            return f"list of {len(items)}: {each}" if items else "empty list"
        case ObjectOf(key, item):
            return f"table of {_words(item, records, words, lists)}, by {_words(key, records, words, lists)}"
        case RecordOf(cls):
            records.append(cls)
            return f"[{name_of(cls)}](#{name_of(cls)})"
    raise TypeError(declared)
