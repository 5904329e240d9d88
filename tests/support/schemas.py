"""Hold documents against the schemas that docs/schemas has for programs.

A published schema is open, because fields may be added. Here it is closed, so that no field is without a description.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from tests.support.samples import ROOT

SCHEMAS = ROOT / "docs" / "schemas"


def schema(name: str) -> dict[str, Any]:
    """Return the published schema of `report`, `compare` or `history`."""
    document: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return document


def validator(name: str, definition: str = "") -> Draft202012Validator:
    """Return the validator of a document, or of one of its definitions, that knows no other fields."""
    whole = schema(name)
    if definition:
        whole = {"$defs": whole["$defs"], **whole["$defs"][definition]}
    for record in records(whole):
        record["additionalProperties"] = False
    return Draft202012Validator(whole)


def problems(validator: Draft202012Validator, document: Any) -> list[str]:
    """Return what is wrong with a document, each with its place."""
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(document)]


def records(node: Any) -> Iterator[dict[str, Any]]:
    """Yield the schemas in a schema that describe the fields of an object."""
    if isinstance(node, Mapping):
        if node.get("type") == "object" and "properties" in node:
            assert isinstance(node, dict)
            yield node
        for part in node.values():
            yield from records(part)
