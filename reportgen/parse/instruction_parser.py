"""Split the text of one instruction into its parts; only instructions that a page shows are parsed.

    %NAME = SHAPE opcode(OPERANDS), attribute=…, metadata={op_name="…" source_file="…" source_line=7}

Shapes, attributes and strings nest, so splitting at commas or braces would cut parts in two.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from reportgen.input.dump_text import DumpText, TextOffset
from reportgen.parse.shape_parser import ShapeError, scan_shape
from reportgen.patterns import STRING, STRING_OR_REST, repeated
from reportgen.record import record

_OPERANDS = re.compile(r'[^()"]*+' + repeated(r'\([^()"]*+\)[^()"]*+') + r"(?=\))")
"""Operands whose brackets nest no deeper than those of a tiled layout, which covers nearly all of them."""

_METADATA = re.compile(r'[^"(){}\[\]]*?, metadata={(' + repeated(r'[^"{}]++|' + STRING) + ")}")
"""Metadata without brackets or strings before it, which is the usual case."""

_TOKEN = re.compile(rf"{STRING_OR_REST}|[(){{}}\[\]]|,")
_OPERAND = re.compile(r"%([^\s,(){}\[\]]+)")
_BARE_OPERAND = re.compile(r"(?:.*[\s/])?([A-Za-z_][\w.\-]*)")
"""An operand in HLO text that is printed without percent signs, after its shape or the comment with its index."""

_OPENING = ord("{")
_CONTINUED = re.compile(repeated(rb'\n"[^\n]*+') + rb"\n\}")

_WITHOUT_OPERANDS = frozenset(("constant", "parameter"))
_FIELD = re.compile(rf"\b(\w++)=({STRING}|[^\s\"{{}}]++)")
_FIELD_NAME = re.compile(r"\b(\w+)=")
_WITHIN_FIELDS = re.compile(rf"{STRING_OR_REST}|\{{[^{{}}]*\}}")
_ESCAPE = re.compile(rb"\\([0-7]{3}|[\s\S])")
_NAMED_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


_LATER_FIELDS = (
    "source_end_line", "source_column", "source_end_column", "deduplicated_name", "scheduling_name", "profile_type",
    "stack_frame_id",
)  # fmt: skip
_KNOWN_FIELDS = frozenset(("op_type", "op_name", "source_file", "source_line", *_LATER_FIELDS))
_STATED = re.compile(
    rb", metadata=\{(?:op_type=%s ?)?(?:op_name=(%s) ?)?(?:source_file=(%s) ?)?(?:source_line=(\d++))?%s(\})?"
    % (*(3 * [STRING.encode()]), repeated(rf" ?(?:{'|'.join(_LATER_FIELDS)})=(?:{STRING}|[^\s\"{{}}]++)").encode())
)
"""Metadata whose fields are all known, in the order in which XLA prints them; the bracket is missing otherwise."""


class Stated(NamedTuple):
    """What an instruction states about its origin in the program; empty where it states nothing.

    `unread` are the names of fields that are not known.
    """

    op_name: str = ""
    file: str = ""
    line: str = ""
    unread: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Return `file:line`, or the file alone where no line is stated."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


@record
class Instruction:
    """The parts of an instruction that the report needs, as printed; the values of `metadata` are unescaped."""

    name: str
    shape: str = ""
    opcode: str = ""
    operands: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def op_name(self) -> str | None:
        return self.metadata.get("op_name") or None

    @property
    def source(self) -> str | None:
        """Return `file:line` of the program if the dump states it (newer JAX prints only a stack frame's id)."""
        file, line = self.metadata.get("source_file"), self.metadata.get("source_line")
        return f"{file}:{line}" if file and line else file


def parse_instruction(text: str) -> Instruction:
    """Return the parts of an instruction; leave parts that cannot be recognised empty. Never raises an exception."""
    name, equals, rest = text.partition(" = ")
    name = name.strip().removeprefix("ROOT ").removeprefix("%")
    if not equals:
        return Instruction(name=name)
    try:
        shape_end = scan_shape(rest)
    except ShapeError:
        shape_end = max(rest.find(" "), 0)
    opcode, opened, _ = rest[shape_end:].lstrip().partition("(")
    if not opened:
        return Instruction(name=name, shape=rest[:shape_end])
    operands_start = rest.find("(", shape_end) + 1
    operands_end = _closing(rest, operands_start)
    return Instruction(
        name=name,
        shape=rest[:shape_end],
        opcode=opcode,
        operands=_operands(opcode, rest[operands_start:operands_end]),
        metadata=_metadata(rest, operands_end + 1),
    )


def end_of_instruction(data: bytes, start: int, stop: int) -> int:
    """Return the offset of the newline that ends the instruction at `start`; -1 if none comes before `stop`.

    XLA prints the metadata of a Pallas kernel as JSON over several lines: `kernel_metadata={`, the JSON, and
    `}}, metadata=…`. So the text goes on where a line ends with an opening bracket, and JSON and a closing one follow.
    """
    newline = data.find(b"\n", start, stop)
    while newline > start and data[newline - 1] == _OPENING:
        closing = _CONTINUED.match(data, newline, stop)
        if closing is None:
            break
        newline = data.find(b"\n", closing.end(), stop)
    return newline


def _operands(opcode: str, text: str) -> tuple[str, ...]:
    """Return the names of the operands; older compilers print HLO text, but not dumps, without percent signs."""
    # A "%" skips the shapes that builds before 2025-03-11 print: `add(f32[4] %a, …)`.
    if "%" in text or opcode in _WITHOUT_OPERANDS:
        return tuple(_OPERAND.findall(text))
    return tuple(match[1] for operand in _split(text, 0) if (match := _BARE_OPERAND.fullmatch(operand)))


def _closing(text: str, start: int) -> int:
    """Return the offset of the bracket that closes the one open at `start`, or the end of the text if none does."""
    if plain := _OPERANDS.match(text, start):
        return plain.end()
    depth = 1
    for token in _TOKEN.finditer(text, start):
        if token[0] in "({[":
            depth += 1
        elif token[0] in ")}]":
            depth -= 1
            if depth == 0:
                return token.start()
    return len(text)


def _split(text: str, start: int) -> Iterator[str]:
    """Yield the attributes from `start` on, separated at commas outside of brackets and strings."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in "({[":
            depth += 1
        elif token[0] in ")}]":
            depth -= 1
        elif token[0] == "," and depth == 0:
            yield from filter(None, [text[start : token.start()].strip()])
            start = token.end()
    yield from filter(None, [text[start:].strip()])


def _metadata(text: str, start: int) -> dict[str, str]:
    """Return the metadata among the attributes that follow the operands."""
    # Try the usual case first, because the text after the metadata can be long and is not needed.
    if plain := _METADATA.match(text, start):
        return {key: unquoted(value) for key, value in _FIELD.findall(plain[1])}
    if "metadata={" in text:
        for attribute in _split(text, start):
            if attribute.startswith("metadata={"):
                return {key: unquoted(value) for key, value in _FIELD.findall(attribute, len("metadata={"))}
    return {}


def stated(text: DumpText, places: Iterable[tuple[TextOffset, TextOffset]]) -> Iterator[Stated]:
    """Yield what the instruction between each two offsets states about its origin.

    This is much faster than parsing instructions, of which a large dump has a hundred thousand.
    """
    known: dict[tuple[bytes, bytes, bytes], Stated] = {}
    spans = list(places)
    for (start, end), match in zip(spans, text.searches(_STATED, b", metadata={", spans), strict=True):
        if match is None:
            yield Stated()
            continue
        if not match[4]:
            yield _stated_otherwise(text.slice(start, end).decode("utf-8", "replace"))
            continue
        key = match[1] or b"", match[2] or b"", match[3] or b""
        if key not in known:
            op_name, file, line = (part.decode("utf-8", "replace") for part in key)
            known[key] = Stated(unquoted(op_name), unquoted(file), line)
        yield known[key]


def _stated_otherwise(text: str) -> Stated:
    """Return what the metadata of an instruction states if some of its fields are unknown."""
    metadata = text[text.rfind(", metadata={") + len(", metadata={") :]
    own = _WITHIN_FIELDS.sub("", metadata).partition("}")[0]
    fields = {name: unquoted(value) for name, value in reversed(_FIELD.findall(metadata))}
    unread = tuple(sorted(set(_FIELD_NAME.findall(own)) - _KNOWN_FIELDS))
    return Stated(fields.get("op_name", ""), fields.get("source_file", ""), fields.get("source_line", ""), unread)


def unquoted(value: str) -> str:
    r"""Resolve C escapes, which print bytes other than ASCII in octal: `\316\273` is λ."""

    def unescaped(escape: re.Match[bytes]) -> bytes:
        code = escape[1]
        return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _NAMED_ESCAPES.get(code, code)

    if not value.startswith('"'):
        return value
    if "\\" not in value:
        return value[1:-1]
    # As bytes, because each octal escape is one byte of a character that has several in UTF-8.
    return _ESCAPE.sub(unescaped, value[1:-1].encode()).decode("utf-8", "replace")
