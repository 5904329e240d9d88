"""Remove from the text of a dump what a public report must not show: bytes in, bytes out, line by line.

Strings that XLA's grammar identifies, such as `source_file="…"`, are hidden whole. Everywhere else anything that looks
like a path, a URL, an address or a person at a machine is hidden: better too much than too little. Sizes, offsets,
moments and the number of lines do not change; columns to the right of a hidden text do.
"""

import re
from functools import lru_cache

from reportgen.input.text import DumpText, TextPart
from reportgen.options import Redaction
from reportgen.parse.line_shapes import STACK_HEADING, STACK_TAIL
from reportgen.parse.op_names import path_parts
from reportgen.redact.tokens import Tokens

# What may precede a path. XLA prints strings C-escaped, so `\n` or an octal byte may precede it, too.
_BEFORE = rb"""(?:(?<![^\s"'`=(\[{,;:<>|%#])|(?<=\\[0-7]{3})|(?<=\\[nrt]))"""
_WORD = rb"(?:[\w.@+~$!-]|[\x80-\xff]|\\[0-7]{3}|\\')"
# A folder's name may contain spaces: they belong to the name if a separator follows.
_NAME = rb"(?:" + _WORD + rb"++(?:\ +" + _WORD + rb"++)*+)"
_TO_THE_LAST = rb"(?:" + _NAME + rb"/+)*" + _WORD + rb"*"
_EXTENSION = rb"(?:py|pyx|ipynb|cc|cpp|cu|cuh|mlir|hlo|so)"

_PATH = rb"""(?:
    [A-Za-z][A-Za-z0-9+.-]*+://[^\s"'`<>()\\]++                     # gs://bucket/x, file:///x
    | (?<!\w)[A-Za-z]:(?:/|\\{1,4})\w(?:[^"'`<>|,;(){}\[\]\\\n]|\\(?!"))*+  # C:\x, or escaped
    | \\{2,4}[\w.-]++(?:\\{1,2}[^"'`<>|,;(){}\[\]\\\n]++)++   # \\server\share
    | ~[\w.-]*+/""" + _TO_THE_LAST + rb"""
    | /+""" + _WORD + rb"""++(?:/+""" + _TO_THE_LAST + rb""")
)"""  # fmt: skip
_FREE = re.compile(
    rb"(?P<quoted>(?<=\\[\"'])" + _PATH + rb"[^\"'\\\n]*+)"
    rb"|(?P<path>" + _BEFORE + _PATH + rb")"
    # After anything at all: -I/home/alice, -Lgs://bucket.
    rb"|(?P<home>(?::/+|~[\w.-]*+/|(?:/+|\\{1,4})(?:home|Users)(?:/+|\\{1,4}))(?:[^\s\"'`<>|,;(){}\[\]\\]|\\(?!\"))++)"
    rb"|(?P<file>(?<![\w./+@~$!\x80-\xff-])(?:[\w.@+~$!\x80-\xff-]++/)*+[\w+-][\w+.-]*\." + _EXTENSION + rb"\b)"
    rb"|(?P<person>(?<![\w.+-])[\w.+-]++@[A-Za-z][\w-]*(?:\.[\w-]+)*)"
    rb"|(?P<host>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))",
    re.VERBOSE,
)
_STRING = re.compile(rb'(?:\b(source_file|op_name)=)?"((?:[^"\\\n]|\\.)*+)"')
_STARTS_AS_PATH = re.compile(_PATH, re.VERBOSE)
# Serialized code is hidden whole because its names are cut in ways that no pattern here recognizes.
_BINARY = re.compile(rb"\\0(?:0[0-6]|1[6-7]|[2-3][0-7])|[A-Za-z0-9+/]{120}")
_MAY_HIDE = re.compile(rb'["/\\~]|\w@|\.' + _EXTENSION + rb"\b|\d\.\d+\.\d")
_KEPT_EXTENSION = re.compile(rb"\.(" + _EXTENSION + rb")$")
_BRANCH = re.compile("[ │]*(?:├── |└── )|[ ]*".encode())


def redact_text(text: DumpText, redaction: Redaction) -> DumpText:
    """Return the same dump with tokens instead of everything to be hidden."""
    redactor = Redactor(redaction)
    return DumpText(tuple(map(redactor.part, text.parts)))


def redact_message(message: str) -> str:
    """Return a message, which may quote a file that could not be read, without paths, people and machines."""
    return _FREE.sub(b"(redacted)", message.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")


class Redactor:
    """Redact texts in order; equal texts get equal tokens in all of them."""

    def __init__(self, redaction: Redaction) -> None:
        self._tokens = Tokens()
        self._hides_names = redaction == "names"
        # Every leaf of a tuple repeats the text of its instruction.
        self._line = lru_cache(maxsize=16)(self._redacted_line)

    def part(self, part: TextPart) -> TextPart:
        """Redact one part. Lines keep their numbers; of a log around the dump only the line breaks are kept."""
        before = b"\n" * part.data.count(b"\n", 0, part.start)
        window = part.data[part.start : part.end]
        if self._hides_names:
            window = self._without_labels(window)
        text = b"\n".join([self._line(line) if _MAY_HIDE.search(line) else line for line in window.split(b"\n")])
        return TextPart(part.label, before + text, len(before), len(before) + len(text))

    def token(self, kind: str, text: str) -> str:
        """Return the token of a text that is hidden whole."""
        return self._tokens.of(kind, text.encode("utf-8", "surrogateescape")).decode()

    def op_name(self, text: str) -> str:
        """Return an op_name without what must not be shown."""
        return self._string(b"op_name", text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")

    def _redacted_line(self, line: bytes) -> bytes:
        pieces, after = [], 0
        for string in _STRING.finditer(line):
            pieces.append(self._free(line[after : string.start()]))
            pieces.append(line[string.start() : string.start(2)] + self._string(string[1], string[2]) + b'"')
            after = string.end()
        return b"".join([*pieces, self._free(line[after:])])

    def _string(self, key: bytes | None, content: bytes) -> bytes:
        if key == b"source_file" and content:
            return self._path(content)
        if key == b"op_name" and self._hides_names:
            # A token for each component, so that the tree of scopes keeps its form.
            parts = path_parts(content.decode("latin-1"))
            return b"/".join(self._tokens.of("name", part.encode("latin-1")) for part in parts if part)
        if key is None and _BINARY.search(content):
            return self._tokens.of("data", content)
        if key is None and _STARTS_AS_PATH.match(content):
            return self._path(content)
        return self._free(content)

    def _free(self, text: bytes) -> bytes:
        return _FREE.sub(self._hidden, text)

    def _hidden(self, found: re.Match[bytes]) -> bytes:
        if found.lastgroup in ("person", "host"):
            return self._tokens.of(found.lastgroup, found[0])
        return self._path(found[0])

    def _path(self, path: bytes) -> bytes:
        extension = _KEPT_EXTENSION.search(path)
        return self._tokens.of("path", path) + (extension[0] if extension else b"")

    def _without_labels(self, text: bytes) -> bytes:
        """Hide the labels of the stack trace, which are unquoted parts of op_names and may span several lines."""
        start = text.find(b"  Stack trace breakdown for peak usage: ")
        heading = STACK_HEADING.match(text, start) if start >= 0 else None
        if heading is None:
            return text
        pieces, after = [text[: heading.end()]], heading.end()
        for tail in STACK_TAIL.finditer(text, after):
            pieces += [self._label(text[after : tail.start()]), tail[0]]
            after = tail.end()
        return b"".join([*pieces, self._label(text[after:]) if text[after:].strip() else text[after:]])

    def _label(self, prefixed: bytes) -> bytes:
        branch = _BRANCH.match(prefixed)
        end = branch.end() if branch else 0
        return prefixed[:end] + self._tokens.of("name", prefixed[end:]) + b"\n" * prefixed.count(b"\n", end)
