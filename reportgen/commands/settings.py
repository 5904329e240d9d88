"""The settings of a project: `[tool.xla-reportgen]` in the pyproject.toml of the current directory.

    [tool.xla-reportgen]
    title = "Nightly build"
    capacity = "v5e"
    redact = "paths"
    source-url = "https://github.com/OWNER/REPO/blob/main/{path}#L{line}"

They are the defaults of the options of the same names, so the command line wins. The same table may hold budgets,
which `gate` reads.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import LONGEST_OF_PARSER, InvalidSetting, quoted, shown
from reportgen.input.toml_lines import line_of_key, loaded, why_refused
from reportgen.record import record

FILE = Path("pyproject.toml")
BUDGETS_FILE = "reportgen.toml"
TABLE = "xla-reportgen"
KEYS = ("title", "capacity", "redact", "source-url")
SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
BUDGET_KEYS = ("budget", "missing-baseline", "new-modules", "missing-modules")


@record(kw_only=False)
class Table:
    """The table, and the text that it comes from, in which the lines of its keys are found."""

    values: Mapping[str, Any]
    text: str

    def refused(self, key: str, reason: str) -> InvalidSetting:
        line = line_of_key(self.text, ("tool", TABLE, key))
        return InvalidSetting(f"{FILE}:{line}: [tool.{TABLE}] {shown(key)}: {reason}")


def files_read(budgets: Path | None = None) -> tuple[Path, ...]:
    """Return the files from which budgets and settings are read, which no command may write."""
    return tuple(path for path in (budgets, Path(BUDGETS_FILE), FILE) if path)


def files_appended() -> Mapping[str, Path | None]:
    """Return the files of GitHub Actions by the variable that names each; None for one that is not set."""
    return {name: Path(path) if (path := os.environ.get(name)) else None for name in (SUMMARY, OUTPUT)}


def read_table() -> Table:
    """Return the table, empty if there is none. A file that does not name us is not parsed: its errors are not ours."""
    try:
        text = FILE.read_text(encoding="utf-8") if FILE.is_file() else ""  # a pipe would be waited for
    except (OSError, UnicodeDecodeError):
        return Table({}, "")
    if TABLE not in text:
        return Table({}, "")
    if why := why_refused(text, FILE.name):
        raise InvalidSetting(why)
    try:
        tool = loaded(text).get("tool", {})
    except (ValueError, RecursionError) as error:  # also of a number with thousands of digits
        raise InvalidSetting(f"{FILE}: not valid TOML: {shown(str(error), LONGEST_OF_PARSER)}") from None
    values = tool.get(TABLE, {}) if isinstance(tool, dict) else {}
    if not isinstance(values, dict):
        raise InvalidSetting(f"{FILE}: tool.{TABLE} is {quoted(values)}; a table is needed")
    table = Table(values, text)
    for key in table.values:
        if key not in (*KEYS, *BUDGET_KEYS):
            raise table.refused(key, f"there is no such setting; known are {', '.join((*KEYS, *BUDGET_KEYS))}")
    return table
