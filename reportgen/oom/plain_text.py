"""Take off what launchers, loggers and forms put around the lines of a text.

Launchers write the rank or the worker before each line, loggers the time and the place in the code, others escape a
whole text into one line of JSON or of Python, and people quote it. All of that goes here, before anything is read.
"""

import html
import re
from collections.abc import Iterable
from typing import NamedTuple

from reportgen.oom.error_lines import FIELD, HEAD, ROW, read_line
from reportgen.patterns import repeated


class PlainLine(NamedTuple):
    """A line without its prefix, without spaces around it; `number` is that of the line in the file, from 1.

    `source` is what the launcher wrote before it, so that lines of several ranks can be told apart.
    """

    number: int
    source: str
    text: str


_TIME = r"\[?(?:\d{4}[-/])?\d\d[-/]\d\d[T\ ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|\ ?[+-]\d\d:?\d\d)?\]?"
_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|EXCEPTION|SEVERE)\b"
_PLACE = r"(?:rank|default|host|worker|process|proc|task|node|replica)"
_PREFIX = re.compile(
    rf"""
    (?:
    (?P<source>
      \((?:[\w.-]{{1,60}}\ )?(?:pid=|rank[=\ ]?)\d+[^()]{{0,80}}\)                  # Ray, vLLM
    | \[(?i:{_PLACE})?[\ _:-]?\d{{1,6}}(?:,\d{{1,6}})?\](?:\s?<?std\w+>?)?:?        # torchrun, MPI
    | (?!E\d{{4}}:)(?:(?i:{_PLACE})\ |[A-Za-z][\w.-]{{0,60}})?\d{{1,6}}:            # srun --label, pdsh, gcloud
    | (?!\d+\ )[\w.-]{{1,60}}(?:\ \d{{1,6}})?\s{{1,20}}\|                           # docker compose
    | \[(?:pod|pods)/[^\]\s]{{1,120}}\]                                             # kubectl --prefix
    )
    | [>\#│┃|] | (?:`{{3,}}|~{{3,}})\w* | [-:](?=\s) | \d{{1,7}}\ ?\|                        # quotes, numbered lines
    | {_TIME}
    | \[(?:{_LEVEL}[^\]]{{0,60}}|[\w./<>-]{{1,120}}(?::\d{{1,6}})?(?=\](?:[\s\[:-]|$)))\]   # [core.py:12], [__main__]
    | (?:[\w.]{{1,60}}\ (?:-\ )?)?{_LEVEL}(?::[\w.]{{1,60}}:)?                      # logging, hydra
    | [A-Z](?:\d{{4}}\ [\d:.]+)?\s+(?:\d{{1,20}}\s+)?\S{{1,200}}:\d+\]              # absl, TensorFlow
    | [A-Z][a-z]{{2}}\ [\ \d]\d\ \d\d:\d\d:\d\d\ \S{{1,60}}\ [\w./-]{{1,60}}(?:\[\d+\])?:   # syslog
    | [\w.<>]{{1,120}}:[\w.<>]{{1,60}}:\d{{1,6}}\ -                                 # loguru
    | E(?=\ {{3}})                                                                  # pytest
    | std(?:err|out)(?:\ [FP]\b|\ ?[:|\]])                                          # CRI-O
    )\s*
    """,
    re.VERBOSE,
)
"""What a launcher or a logger writes before a line; the launcher's part tells ranks apart."""
_REPEATED = re.compile(r" \[repeated \d+x across cluster\](?: \(Ray .{0,200}\))?$")
_COLORS = re.compile(r"(?:\x1b|\u241b|\^\[|\\x1b|\\u001b|\\033|\\e)?\[\d{1,3}(?:;\d{1,3}){0,5}m|\x1b\[[0-9;?]*[A-Za-z]")
_LINE_END = re.compile(r"(?<!\\)(?:\\r)?\\n" + repeated(r"\\t") + "|#012")  # as rsyslog escapes it, too
_QUOTED = re.compile(r"\\([\"'])")
_STRING = re.compile('"(' + repeated(r'[^"\\]++|\\.') + ")")
_HEADING = re.compile(HEAD)
_TABLE = re.compile(rf"(?:{HEAD})(?:\S{{1,20}}:)? +\S")
"""A heading with its first row on the same line."""
_ROW = re.compile(
    rf"(?<!\s)\s+(?=(?:{ROW}):?\s+(?:-?\d|unknown)|{HEAD}|(?:{FIELD}): |\d{{1,3}}\. Size: |={{6}}|Buffer \d+:)"
)
_LONGEST_PREFIX = 400


def plain_lines(lines: Iterable[str], first: int = 1) -> list[PlainLine]:
    """Return the lines of a text as a program printed them, without empty ones; one that is escaped becomes several."""
    plain: list[PlainLine] = []
    for number, line in enumerate(lines, first):
        text = html.unescape(_COLORS.sub("", line) if "[" in line else line)
        source, text = _without_prefix(text.strip())
        for part in _unescaped(text):
            inner, stripped = _without_prefix(part.strip()) if part is not text else ("", part)
            rows = _ROW.split(stripped) if _TABLE.search(stripped) else [stripped]  # which lost its line ends
            plain += (PlainLine(number, source + inner, row) for row in rows if row)
    # A launcher that is not known here is known by what stands before a heading.
    heading = next((match for line in plain if (match := _HEADING.search(line.text)) and match.start()), None)
    if heading is None:
        return plain
    before = re.escape(heading.string[: heading.start()].rstrip())
    prefix = re.compile(r"\A" + re.sub(r"\d+", r"\\d+", before) + r"\s*")
    return [line._replace(text=prefix.sub("", line.text)) for line in plain]


def _without_prefix(text: str) -> tuple[str, str]:
    """Return the prefixes that launchers wrote, and the line without them and without those of loggers."""
    source, place = "", 0
    while prefix := _PREFIX.match(text, place, _LONGEST_PREFIX):
        source, place = source + (prefix["source"] or ""), prefix.end()
    return source, _REPEATED.sub("", text[place:].rstrip("│┃ "))


def _unescaped(text: str) -> list[str]:
    """Return the lines that are escaped into a single one: a record of JSON, or the repr of an exception."""
    is_record = text.startswith("{")
    if is_record:
        text = max((found for found in _STRING.findall(text) if " " in found), key=len, default=text)
    lines = [_QUOTED.sub(r"\1", line) for line in _LINE_END.split(text)]
    # Unlike an escaped line end within one of the quoted names of a text.
    is_escaped = is_record or any(read_line(line.strip()) for line in lines[1:]) or "" in map(str.strip, lines[1:-1])
    return lines if is_escaped else [text]
