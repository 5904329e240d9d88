"""Keep of the text of a dump only what is known to be safe: bytes in, bytes out, line by line.

The grammar of a dump, its numbers and the words of `reportgen.redact.vocabulary` stay; a token replaces everything
else. A line outside of the grammar and the name of a source file are replaced whole. Sizes, offsets, moments and the
number of lines do not change; columns to the right of a token do.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from io import BytesIO

from reportgen.input.dump_text import DumpText, TextPart
from reportgen.options import Redaction
from reportgen.parse import line_shapes
from reportgen.parse.line_shapes import STACK_HEADING, STACK_TAIL, LineShape
from reportgen.patterns import repeated
from reportgen.redact.quoted_names import Tokens
from reportgen.redact.vocabulary import GROUPED, is_known, is_measure

_ROWS = [shape.pattern for shape in vars(line_shapes).values() if isinstance(shape, LineShape)]
_HEADS = [shape.pattern + rb".*" for shape in (line_shapes.ALLOCATION, line_shapes.INSTRUCTION)]
_LISTS = [line_shapes.POSITION_ROWS.pattern, line_shapes.USE_ROWS.pattern, line_shapes.NO_USES.pattern]
_IN_GRAMMAR = re.compile(b"|".join(rb"(?:%s)" % pattern for pattern in (*_ROWS, *_HEADS, *_LISTS)))
_HEADING = re.compile(STACK_HEADING.pattern)

_ESCAPED = rb"\\(?:[0-7]{3}|[^\"'\n])"
_REST = repeated(rb"[\w$@~.\x80-\xff-]++|" + _ESCAPED)
_URL = rb"://[^\s\"'\\,;)\]}>]*"
_WORD = (
    rb"[A-Za-z]" + _REST + rb"(?:" + _URL + rb"|:\d{2,5}+(?![\w-]))?"
    rb"|(?:[\w~\x80-\xff]|" + _ESCAPED + rb")" + _REST + rb"(?:" + _URL + rb")?"
)
_GROUP = rb"[0-9a-fA-F]{1,4}+:"
_LONG_ADDRESS = rb"(?:" + repeated(_GROUP, 1) + rb":|::|" + repeated(_GROUP, 4) + rb")[0-9a-fA-F:.]*(?:\]:\d{1,5}+)?"
_ADDRESS = _LONG_ADDRESS + rb"|\d{1,3}+(?:\.\d{1,3}+){3}(?![\w.])(?::\d{1,5}+)?"
_WORDS = re.compile(rb"(?P<address>" + _ADDRESS + b")|" + _WORD)
# A string that is not closed takes all that follows: otherwise each later quote would be tried as a beginning.
_STRING = rb'"(?P<string>' + repeated(rb'[^"\\\n]++|\\.') + rb')(?P<end>"?)'
_STRING_OR_WORD = re.compile(rb"(?:\b(?P<key>\w+)=)?" + _STRING + rb"|" + _WORDS.pattern)
_NAMES = frozenset({b"op_name", b"op_type", b"custom_call_target", b"deduplicated_name", b"scheduling_name"})
_SUFFIX = re.compile(rb"(?:(?<!\d)\.\d{1,6}|(?:(?<!\d)\.\d{1,6})?\.(?:clone|remat\d{0,3}|cloned))?\Z")
_DOTTED = re.compile(rb"\d+" + repeated(rb"\.\d+", 2))
_STRUCTURE = re.compile(
    rb"""\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{0,3}|[KMGT]?i?B)?   # an amount
    |0x[0-9a-f]{1,12}                                             # an object of the compiler, in old dumps
    |\d{1,6}(?:_\d{1,6})?%b                                       # a window and its padding
    |(?=[bfio?]*\d)[bfio0-4?]{2,7}(?:_[bfio0-4?]{2,7})?-?          # the labels of dimensions
    |(?P<range>\d{1,12}-\d{1,12})"""
    % repeated(rb"x\d{1,6}(?:_\d{1,6})?"),
    re.VERBOSE,
)
_LABELS = frozenset(b"bfio?")
"""The first letters of the labels of dimensions that do not begin with a digit."""

_LONG = re.compile(rb"\d{7}|\d\d\.\d{5}|\d{3}\.\d{4}|\d{4}\.\d{3}|\d{5}\.\d\d|\d{6}\.\d")
"""The beginning of what may be the number of a telephone or an account, unless it is where only measures are."""
_BEFORE_MEASURE = re.compile(rb"(?:\bsize[= ]|\boffset=|[\[<,]|\bconstant\(-?|\(max | at )\Z")
_LONGEST_BEFORE = 10
_UNSAFE = re.compile(rb"/|(?<![\w$@~.-])(?<!\\\":)\d|" + GROUPED.encode())
"""The sign of a path, or a number that ends no word and has no key of JSON before it."""
# With addresses, because a number that begins or ends in one would leave a part of it.
_GROUPED_OR_ADDRESS = re.compile(
    rb"(?P<address>(?<!\w)(?:" + _LONG_ADDRESS + rb"))|" + GROUPED.encode() + rb"|(?<!\w)\d{1,6}:[\d:]+"
)
_EXTENSION = re.compile(rb"\.(?:py|pyx|ipynb|cc|cpp|cu|cuh|mlir|hlo|so)$")
_BRANCH = re.compile("[ │]*(?:├── |└── )|[ ]*".encode())


def redact_text(text: DumpText, redaction: Redaction) -> DumpText:
    """Return the same dump with tokens instead of everything that is not known to be safe."""
    redactor = Redactor(redaction)
    return DumpText(tuple(map(redactor.part, text.parts)), text.origin)


class Redactor:
    """Redact texts in order; equal texts get equal tokens in all of them."""

    def __init__(self, redaction: Redaction) -> None:
        self._tokens = Tokens()
        self._is_known = partial(is_known, redaction=redaction)
        self._key: bytes | None = None
        """The key of JSON that the next value of the line belongs to."""
        # Every leaf of a tuple repeats the text of its instruction.
        self._line = lru_cache(maxsize=16)(self._redacted_line)
        self._word = lru_cache(maxsize=1 << 16)(self._redacted_word)

    def part(self, part: TextPart) -> TextPart:
        """Redact one part. Lines keep their numbers."""
        data = part.data
        place = data.find(b"  Stack trace breakdown for peak usage: ")
        heading = STACK_HEADING.match(data, place) if place >= 0 else None
        end = heading.end() if heading else len(data)
        text = bytearray()
        # Line by line, because a list of all would take many times the memory of the text.
        for line in BytesIO(data[:end]):
            text += self._line(line)
        text += self._tree(data[end:])
        return replace(part, data=bytes(text), whole_lines=())

    def token(self, kind: str, text: str) -> str:
        """Return the token of a text that is hidden whole."""
        return self._tokens.of(kind, text.encode("utf-8", "surrogateescape")).decode()

    def words(self, text: str) -> str:
        """Return a text, such as an op_name, with a token for each word that is not known."""
        return self._words(text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")

    def _redacted_line(self, line: bytes) -> bytes:
        """Return a line with its words and strings redacted; a line outside of the grammar becomes a single token."""
        content = line.removesuffix(b"\n")
        if not content.strip() or _HEADING.fullmatch(content):
            return line
        self._key = None
        if _IN_GRAMMAR.fullmatch(content):
            redacted = _replaced(_STRING_OR_WORD, self._redacted_match, content)
        else:
            redacted = self._tokens.of("text", content)
        return redacted + line[len(content) :]

    def _redacted_match(self, match: re.Match[bytes]) -> bytes:
        """Return what replaces a word, or a string with its key and quotes.

        It notes a key of JSON for the values that follow, so the matches of a line must come in order.
        """
        content, key = match["string"], match["key"]
        follows = match.string[match.end() : match.end() + 1]
        if content is None:
            if follows == b"=":
                self._key = None
            if _is_structure(match, self._key):
                return match[0]
            return self._tokens.of("name", match[0]) if match[0].isdigit() else self._word(match[0])
        if key:
            self._key = None
            return self._word(key) + b'="' + self._redacted_string(key, content) + match["end"]
        if follows == b":":
            self._key = content
            return b'"' + self._redacted_string(None, content) + b'"'
        return b'"' + self._redacted_string(None, content) + match["end"]

    def _redacted_string(self, key: bytes | None, content: bytes) -> bytes:
        """Return what replaces the text between two quotes; `key` is what an `=` before the first one assigns to.

        A source file keeps its extension, and a name its known words. Any other string is kept or replaced as a whole:
        a number is kept where the grammar has a measure, and words are if all of them are known.
        """
        if key == b"source_file" and content:
            extension = _EXTENSION.search(content)
            return self._tokens.of("path", content) + (extension[0] if extension else b"")
        if key in _NAMES:
            return self._words(content)
        is_shown = _is_measure(key or self._key, content) if content.isdigit() else self._has_only_known_words(content)
        return content if is_shown else self._tokens.of("data", content)

    def _has_only_known_words(self, content: bytes) -> bool:
        """Return whether each word of a string is known; never with a slash, because `data/model` may be a path."""
        known = (self._is_known(word[0].decode("latin-1")) for word in _WORDS.finditer(content))
        return _UNSAFE.search(content) is None and all(known)

    def _words(self, text: bytes) -> bytes:
        pieces, after = [], 0
        for number in _GROUPED_OR_ADDRESS.finditer(text):
            if not number[0].isdigit():  # which is a part of a word
                pieces += [_replaced(_WORDS, self._in_words, text[after : number.start()])]
                pieces += [self._tokens.of("host" if number["address"] else "name", number[0])]
                after = number.end()
        return b"".join([*pieces, _replaced(_WORDS, self._in_words, text[after:])])

    def _in_words(self, match: re.Match[bytes]) -> bytes:
        return self._word(match[0])

    def _redacted_word(self, word: bytes) -> bytes:
        if self._is_known(word.decode("latin-1")):
            return word
        if b":" in word or _DOTTED.fullmatch(word):  # an address, or a URL
            return self._tokens.of("host", word)
        suffix = _SUFFIX.search(word)
        end = suffix.start() if suffix else len(word)
        return self._tokens.of("person" if b"@" in word else "name", word[:end]) + word[end:]

    def _tree(self, text: bytes) -> bytes:
        """Redact the labels of the stack trace, which are unquoted parts of op_names and may span several lines."""
        pieces, after = [], 0
        for tail in STACK_TAIL.finditer(text):
            pieces += [self._label(text[after : tail.start()]), tail[0]]
            after = tail.end()
        return b"".join([*pieces, self._label(text[after:])])

    def _label(self, prefixed: bytes) -> bytes:
        branch = _BRANCH.match(prefixed)
        end = branch.end() if branch else 0
        return prefixed[:end] + self._words(prefixed[end:])


def _replaced(pattern: re.Pattern[bytes], replacement: Callable[[re.Match[bytes]], bytes], text: bytes) -> bytes:
    """Return what `pattern.sub` does, without a list of all pieces, which takes many times the memory of the text."""
    replaced, after = bytearray(), 0
    for match in pattern.finditer(text):
        replaced += text[after : match.start()]
        replaced += replacement(match)
        after = match.end()
    return bytes(replaced + text[after:])


def _is_structure(match: re.Match[bytes], key: bytes | None) -> bool:
    """Return whether a word outside of quotes is a number of the grammar, and not a part of a path."""
    word = match[0]
    if not (word[:1].isdigit() or word[0] in _LABELS) or (shape := _STRUCTURE.fullmatch(word)) is None:
        return False
    start, end = match.span()
    before, after = match.string[max(0, start - 1) : start], match.string[end : end + 1]
    if shape["range"]:
        return before == b":"
    if before == b"/" or after in (b"/", b"\\") or _is_in_groups(match):
        return False
    return not _LONG.match(word) or _is_where_measures_are(match, key)


def _is_in_groups(match: re.Match[bytes]) -> bool:
    """Return whether another number is next to this one, as the grammar has it only in a stack trace."""
    text, (start, end) = match.string, match.span()
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return (before[1:] == b" " and before[:1].isdigit()) or (after[:1] == b" " and after[1:].isdigit())


def _is_where_measures_are(match: re.Match[bytes], key: bytes | None) -> bool:
    """Return whether the grammar has a measure here: after a key of measures, or between the words of a line."""
    if key is not None:
        return _is_measure(key, match[0])
    text, (start, end) = match.string, match.span()
    before = text[max(0, start - _LONGEST_BEFORE) : start]
    if before.endswith(b": "):
        return text.startswith((b" bytes", b" ("), end) or (end == len(text) and before.endswith(b"used: "))
    if before.endswith(b":"):
        return text.startswith(b"]", end)
    is_moment = not before.strip() and text.startswith(b":", end) and not text.startswith(b": ", end)
    return is_moment or _BEFORE_MEASURE.search(before) is not None


def _is_measure(key: bytes | None, digits: bytes) -> bool:
    return key is not None and is_measure(key.decode("latin-1"), digits.decode("latin-1"))
