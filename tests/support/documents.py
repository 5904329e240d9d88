"""The published documents: `python -m tests.support.documents` writes what docs/ has of their declarations."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from reportgen.advice import advice_records
from reportgen.analyse import classes, devices, phases, records, results
from reportgen.compare import budgets, compare_document, evidence, figures, history, module_pairing, terms, verdicts
from reportgen.compare.compare_document import CompareDocument
from reportgen.compare.history import HistoryLine
from reportgen.input import dump_text, names
from reportgen.oom import forms
from reportgen.reports import explain_document, report_document
from reportgen.reports.explain_document import ExplainDocument
from reportgen.reports.report_document import RecordedDocument, ReportDocument
from tests.support.document_schema import document_schema, field_tables, name_of, record_schema, word_lists

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
REPORT_PAGE = ROOT / "docs" / "report-json.md"
ERROR_TEXTS_PAGE = ROOT / "docs" / "error-texts.md"
EXPLAIN_PAGE = ROOT / "docs" / "explain.md"
README = ROOT / "README.md"
_FIRST_LINES = 11
BEGIN, END = "<!-- fields: written by `python -m tests.support.documents` -->", "<!-- end of fields -->"

_WIDTH = 120

WORDS = word_lists(
    [
        ("argument_state", advice_records, "State"),
        ("backend", names, "Backend"),
        ("capacity_source", devices, "Origin"),
        ("confidence", advice_records, "Confidence"),
        ("error_kind", forms, "Kind"),
        ("fault", records, "Fault"),
        ("fit", advice_records, "Verdict"),
        ("memory_class", classes, "MemoryClass"),
        ("phase_kind", phases, "Kind"),
        ("severity", results, "Severity"),
        ("text_origin", dump_text, "TextOrigin"),
        ("figure", figures, "Figure"),
        ("grade", evidence, "Grade"),
        ("level", budgets, "Level"),
        ("overall", verdicts, "Overall"),
        ("paired_by", module_pairing, "PairedBy"),
        ("status", compare_document, "ComparedStatus"),
        ("term_kind", terms, "Kind"),
        ("verdict_status", verdicts, "Status"),
    ]
)


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema of `report.json`, and of the shorter document that `history find` writes."""
    schema = document_schema(
        ReportDocument, "report.json of xla-reportgen", f"urn:xla-reportgen:report:{report_document.SCHEMA}", WORDS
    )
    definitions = schema.pop("$defs")
    whole = {key: schema.pop(key) for key in ("description", "type", "required", "properties")}
    definitions[name_of(ReportDocument)] = whole
    definitions[name_of(RecordedDocument)] = record_schema(RecordedDocument, definitions, WORDS)
    return {
        **schema,
        "description": f"{whole['description']} `history find` writes a shorter form, with `build`.",
        "if": {"required": ["build"]},
        "then": {"$ref": f"#/$defs/{name_of(RecordedDocument)}"},
        "else": {"$ref": f"#/$defs/{name_of(ReportDocument)}"},
        "$defs": dict(sorted(definitions.items())),
    }


def explain_schema() -> dict[str, Any]:
    """Return the JSON Schema of what `explain --json` prints."""
    return document_schema(
        ExplainDocument,
        "explain --json of xla-reportgen",
        f"urn:xla-reportgen:explain:{explain_document.SCHEMA}",
        WORDS,
    )


def compare_schema() -> dict[str, Any]:
    """Return the JSON Schema of `compare.json`."""
    return document_schema(
        CompareDocument, "compare.json of xla-reportgen", f"urn:xla-reportgen:compare:{compare_document.SCHEMA}", WORDS
    )


def history_schema() -> dict[str, Any]:
    """Return the JSON Schema of a line of `history.jsonl`."""
    return document_schema(
        HistoryLine, "A line of history.jsonl of xla-reportgen", f"urn:xla-reportgen:history:{history.SCHEMA}", WORDS
    )


def text_of(schema: Any, indent: str = "") -> str:
    """Return a schema as docs/schemas/ has it: what fits a line is one."""
    line = json.dumps(schema, ensure_ascii=False)
    if len(indent) + len(line) <= _WIDTH or not schema or not isinstance(schema, dict | list):
        return line
    deeper = f"{indent}  "
    if isinstance(schema, list):
        parts, (first, last) = [text_of(part, deeper) for part in schema], "[]"
    else:
        parts, (first, last) = [f"{json.dumps(key)}: {text_of(part, deeper)}" for key, part in schema.items()], "{}"
    return f"{first}\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}{last}"


def report_page(page: str) -> str:
    """Return a page with the tables of the fields of `report.json` between its two markers."""
    before, _, rest = page.partition(BEGIN)
    tables = "\n".join(field_tables(ReportDocument, WORDS))
    return f"{before}{BEGIN}\n\n{tables}\n{END}{rest.partition(END)[2]}"


def error_texts_page(page: str) -> str:
    """Return a page with a table of the sentences of each kind between its two markers."""
    before, _, rest = page.partition(BEGIN)
    tables = []
    for kind, verdict in forms.VERDICTS.items():
        rows = [f"| {form.name} | `{form.sign.strip()}` |" for form in forms.FORMS if form.kind == kind]
        if rows:
            columns = "whose message" if kind == "other" else "form"
            tables += [f"### {verdict} (`{kind}`)", "", f"| {columns} | words |", "| --- | --- |", *rows, ""]
    return f"{before}{BEGIN}\n\n{chr(10).join(tables)}\n{END}{rest.partition(END)[2]}"


def readme(page: str) -> str:
    """Return the README with the first lines of what the command of its first example prints."""
    return explain_page(page, most_lines=_FIRST_LINES)


def explain_page(page: str, most_lines: int | None = None) -> str:
    """Return a page with what the command of its first example prints, or the first lines of it."""

    def ran(example: re.Match[str]) -> str:
        command = [sys.executable, "-m", "reportgen", *example[2].split()]
        environment = {**os.environ, "COLUMNS": "100"}
        printed = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, encoding="utf-8")
        lines = printed.stdout.splitlines(keepends=True)
        return f"{example[1]}{''.join(lines[:most_lines])}```"

    return re.sub(r"^(\$ reportgen (.+)\n)(?:.*\n)*?```", ran, page, count=1, flags=re.MULTILINE)


GENERATED: Mapping[Path, Callable[[], dict[str, Any]]] = {
    SCHEMAS / "compare.schema.json": compare_schema,
    SCHEMAS / "explain.schema.json": explain_schema,
    SCHEMAS / "history.schema.json": history_schema,
    SCHEMAS / "report.schema.json": report_schema,
}
"""The schemas that are generated, by their files."""


PAGES: Mapping[Path, Callable[[str], str]] = {
    ERROR_TEXTS_PAGE: error_texts_page,
    REPORT_PAGE: report_page,
    EXPLAIN_PAGE: explain_page,
    README: readme,
}
"""The pages of which a part is generated, each with what writes it."""


def main() -> None:
    """Write the schemas, the tables and the example."""
    for path, schema in GENERATED.items():
        path.write_text(text_of(schema()) + "\n", encoding="utf-8")
    for path, written in PAGES.items():
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
