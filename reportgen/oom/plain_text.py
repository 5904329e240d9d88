"""Take off what launchers, loggers and forms put around the lines of a text.

Launchers write the rank or the worker before each line, loggers the time and the place in the code, others escape a
whole text into one line of JSON or of Python, and people quote it. All of that goes here, before anything is read.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from reportgen.patterns import repeated


class PlainLine(NamedTuple):
    """A line without its prefix, without spaces around it; `number` is that of the line in the file, from 1.

    `source` is what the launcher wrote before it, so that lines of several ranks can be told apart.
    """

    number: int
    source: str
    text: str


_TIME = r"\[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|\ ?[+-]\d\d:?\d\d)?\]?"
_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|EXCEPTION|SEVERE)"
_LAUNCHERS = re.compile(
    r"""
      \((?:[\w.-]{1,60}\ )?(?:pid=|rank[=\ ]?)\d+[^()]{0,80}\)       # Ray, vLLM
    | \[\d{1,6},\d{1,6}\](?:<std\w+>)?:?                             # MPI
    | \[(?i:rank|default|host|worker|process|proc|task|node|replica)?[\ _:-]?\d{1,6}\](?:\s?<?std\w+>?)?:?   # torchrun
    | (?i:rank|worker|host|process|task|node|replica)[\ _-]?\d{1,6}(?:\ ?\||:)
    | \d{1,6}:                                                       # srun --label
    | (?!E\d{4}:)[A-Za-z][\w.-]{0,60}\d:                             # pdsh and gcloud: host-3:
    | (?!\d+\ )[\w.-]{1,60}\s{1,20}\|                                # docker compose
    | \[(?:pod|pods)/[^\]\s]{1,120}\]                                # kubectl --prefix
    """,
    re.VERBOSE,
)
_LOGGERS = re.compile(
    rf"""
      [>\#│┃|]
    | \d{{1,7}}\ ?\|                                                  # numbered lines
    | {_TIME}
      (?:\ (?:stdout|stderr)\ [FP]\b                                 # CRI-O
        |:\ [A-Z]\s+(?:\d{{1,10}}\s)?\S{{1,200}}:\d+\]               # TensorFlow
        |\ (?:-\ )?(?:[\w.-]{{1,60}}\ )?[-|\[]?\ ?{_LEVEL}\]?\ *[-|:\]]?(?:\ [\w.]{{1,60}}:(?=\ ))?   # logging
      )?
    | \[{_LEVEL}[^\]]{{0,60}}\]
    | \[[\w./<>-]{{1,120}}(?::\d{{1,6}})?\](?=\s|\[|:|-|$)           # [core.py:12], [__main__]
    | {_LEVEL}:[\w.]{{1,60}}:
    | {_LEVEL}(?:\ \d\d-\d\d\ \d\d:\d\d:\d\d)?(?=\s*[:|\[-]|\s\d\d)
    | [A-Z]\d{{4}}\ \d\d:\d\d:\d+\.\d+\s+\d+\ \S{{1,200}}:\d+\]      # absl
    | [A-Z]\s+(?:\d{{1,10}}\s)?\S{{1,200}}:\d+\]
    | [A-Z][a-z]{{2}}\ [\ \d]\d\ \d\d:\d\d:\d\d\ \S{{1,60}}\ [\w./-]{{1,60}}(?:\[\d+\])?:   # syslog
    | [\w.<>]{{1,120}}:[\w.<>]{{1,60}}:\d{{1,6}}\ -                  # loguru
    | [\w.]{{1,60}}\ -\ {_LEVEL}\ -                                  # hydra and basicConfig
    | (?:std(?:err|out))\ ?[:|\]]
    | E(?=\ {{3}})                                                   # pytest
    | [-|:](?=\s)
    """,
    re.VERBOSE,
)
_REPEATED = re.compile(r" \[repeated \d+x across cluster\](?: \(Ray .{0,200}\))?$")
_MOST_PREFIXES = 10

_COLORS = re.compile(r"(?:\x1b|\u241b|\^\[|\\x1b|\\u001b|\\033|\\e)?\[\d{1,3}(?:;\d{1,3}){0,5}m|\x1b\[[0-9;?]*[A-Za-z]")
_ENTITY = re.compile(r"&(?:gt|lt|amp|quot|#39|nbsp|apos);")
_COMMENT = re.compile(r"\s+(?:#|//) ")  # in the code of a traceback
_FENCE = re.compile(r"(?:`{3,}|~{3,})[^`]*$")
# What stands after an escaped line end within a text, unlike within one of its quoted names.
_ESCAPED_LINES = re.compile(
    r"(?<!\\)\\n\s*(?:\\n|Total |Program |Output |Largest |BufferAssignment|Peak |Buffer \d|\d{1,3}\. Size: |Size: "
    r"|Operator: |Shape: |Unpadded |Extra |XLA |Allocation |={6}|Ran out |See https|Scoped |[a-z]\w* +[\d.]+[KMG])"
)
_LINE_END = re.compile(r"(?<!\\)(?:\\r)?\\n")
_QUOTED = re.compile(r"\\([\"'])")
_JSON_TEXT = re.compile(
    r'"(?:message|msg|log|text|textPayload|error|exception|exc_info|line|body|event|stack_trace|traceback)"\s*:\s*"('
    + repeated(r'[^"\\]++|\\.')
    + ")"
)
# A heading with its first row on the same line.
_HEADING = re.compile(r"Total \w{1,20} usage >= |Program \w{1,20} requirement |BufferAssignment stats:|Peak buffers:")
_DIGITS = re.compile(r"\d+")
_TABLE = re.compile(r"(?: usage >= |Program \w{1,20} requirement )\S{1,20}: +\S|BufferAssignment stats: +\S")
_ROW = re.compile(
    r"(?<!\s)\s+(?=(?:reserved|program|arguments|global|scoped|overlays|HLO temp)\s+(?:-?\d|unknown)|Output size "
    r"|Program \w+ req|Total \w+ usage >=|Largest program alloc|\d{1,3}\. Size: |Operator: |Shape: "
    r"|Unpadded size: |Extra memory due|XLA [Ll]abel: |Allocation type: |={6}|Peak buffers:|Buffer \d+:|Size: "
    r"|(?:parameter|constant|maybe_live_out|preallocated temp|total) (?:alloc|fragm))"
)
_LONGEST_PREFIX = 400
_DEEPEST = 4


def plain_lines(lines: Iterable[str], first: int = 1) -> list[PlainLine]:
    """Return the lines of a text as a program printed them; a line that is escaped becomes several with its number."""
    plain = [*_stripped_lines(lines, first)]
    # A launcher that is not known here is known by what stands before a heading.
    heading = next((match for line in plain if (match := _HEADING.search(line.text)) and match.start()), None)
    if heading is None:
        return plain
    prefix = re.compile(_DIGITS.sub(r"\\d+", re.escape(heading.string[: heading.start()].rstrip())) + r"\s*")
    return [
        line._replace(text=line.text[match.end() :]) if (match := prefix.match(line.text)) else line for line in plain
    ]


def _stripped_lines(lines: Iterable[str], first: int) -> Iterator[PlainLine]:
    for number, line in enumerate(lines, first):
        if _COMMENT.match(line):
            continue
        text = _COLORS.sub("", line) if "[" in line else line
        text = html.unescape(text) if _ENTITY.search(text) else text
        source, text = _without_prefix(text.strip())
        if _FENCE.match(text):
            continue
        for part in _unescaped(text):
            inner, plain = _without_prefix(part.strip()) if part is not text else ("", part)
            for row in _rows_of(plain):
                yield PlainLine(number, source + inner, row)


def _without_prefix(text: str) -> tuple[str, str]:
    """Return the prefixes that launchers wrote, and the line without them and without those of loggers."""
    source, place, end = "", 0, min(len(text), _LONGEST_PREFIX)
    for _ in range(_MOST_PREFIXES):
        if launcher := _LAUNCHERS.match(text, place, end):
            source += launcher[0]
        elif (launcher := _LOGGERS.match(text, place, end)) is None:
            break
        place = launcher.end()
        while text[place : place + 1].isspace():
            place += 1
    return source, _REPEATED.sub("", text[place:].rstrip("│┃ "))


def _unescaped(text: str) -> list[str]:
    """Return the lines that are escaped into a single one: a JSON record, or the repr of an exception."""
    if text.startswith("{") and '"' in text and (message := _message(text)):
        text = message
    text = text.replace("#012", "\n") if "#012" in text else text  # as rsyslog escapes a line end
    if "\n" in text:
        return text.split("\n")
    if "\\n" in text and _ESCAPED_LINES.search(text):
        return [_QUOTED.sub(r"\1", line) for line in _LINE_END.split(text)]
    return [text]


def _rows_of(text: str) -> list[str]:
    """Return the lines of a table whose line ends were lost."""
    return _ROW.split(text) if _TABLE.search(text) else [text]


def _message(text: str) -> str:
    """Return the longest string of a JSON record, which may be cut off; empty if it has none."""
    try:
        return max(_texts(json.loads(text), _DEEPEST), key=len, default="")
    except (ValueError, RecursionError):
        longest = max(_JSON_TEXT.findall(text), key=len, default="")
    try:
        return str(json.loads(f'"{longest}"')) if longest else ""
    except ValueError:
        return ""


def _texts(document: Any, deepest: int) -> Iterator[str]:
    """Yield the strings of a JSON document that have more than one word."""
    if isinstance(document, str):
        if " " in document:
            yield document
    elif deepest and isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from _texts(part, deepest - 1)
