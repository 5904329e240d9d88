"""Rename dumps so that no folder or file keeps a name that a person chose.

File names that XLA gave identify the module and are kept, but for words that are not known; the module's name in them
is hidden as well if the names of the program are. Tokens are numbered in the order of the sorted names, so a new folder
may change those of later folders.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from reportgen.input.discover import Discovered
from reportgen.input.names import PART_SUFFIXES, DumpName, read_name, split_part, without_compression
from reportgen.input.reading import DumpFiles, Problem
from reportgen.options import Redaction
from reportgen.record import record
from reportgen.redact.quoted_names import Names, Tokens
from reportgen.redact.vocabulary import is_known, is_public_module, redact_message

_NUMBERED = re.compile(r"(?:(?P<timestamp>[0-9]+)\.)?module_(?P<number>[0-9]+)\.")
_LONGEST_COUNT = 5  # digits behind a `#`, where labels are made unique
_LONGEST_NUMBER = 6  # digits in front of the name of a module: more may be the number of a telephone or an account
_MOMENT = re.compile(r"1[4-9][0-9]{14}")
"""A timestamp in the name of a file: microseconds, from 2014 to 2033."""


def redact_labels(discovered: Discovered, redaction: Redaction | None) -> Discovered:
    """Return the same dumps under names that can be published, without notes; unchanged if `redaction` is None."""
    if redaction is None:
        return discovered
    labels = _Labels(discovered, redaction)
    return Discovered(
        tuple(sorted(map(labels.files, discovered.dumps), key=lambda files: files.label)),
        tuple(map(labels.problem, discovered.problems)),
        readme=None,
    )


@record(kw_only=False)
class _Piece:
    """A part of a label that must be hidden."""

    kind: str
    text: str


class _Labels:
    """The labels of all dumps of a build, with a token for each part that must be hidden."""

    def __init__(self, discovered: Discovered, redaction: Redaction) -> None:
        self._redaction = redaction
        self._tokens = Tokens()
        labels = {part.label for files in discovered.dumps for part in files.parts}
        labels |= {files.label for files in discovered.dumps} | {problem.file for problem in discovered.problems}
        pieces = {piece for label in labels for piece in self._pieces(label) if isinstance(piece, _Piece)}
        for piece in sorted(pieces, key=lambda piece: (piece.kind, piece.text)):
            self._token(piece)
        self._names = Names({piece.text: self._token(piece) for piece in pieces})

    def files(self, files: DumpFiles) -> DumpFiles:
        if files.name.module_number is None:
            token = self._token(_Piece("dump", files.name.stem))
            name = replace(files.name, stem=token, module_name=token)
        else:
            name = self._name(files.name.stem)
        parts = tuple(replace(part, label=self.label(part.label)) for part in files.parts)
        return replace(files, label=self.label(files.label), name=name, parts=parts, notes=None)

    def problem(self, problem: Problem) -> Problem:
        message = redact_message(self._names.replaced(problem.message))
        return replace(problem, file=self.label(problem.file), message=message)

    def label(self, label: str) -> str:
        return "".join(map(self._published, self._pieces(label)))

    def _published(self, piece: _Piece | str) -> str:
        return self._token(piece) if isinstance(piece, _Piece) else piece

    def _name(self, stem: str) -> DumpName:
        """Return the name of a dump that XLA named, without the numbers that are hidden."""
        pieces = [*self._pieces(stem + PART_SUFFIXES[0])]
        published = "".join(map(self._published, pieces)).removesuffix(PART_SUFFIXES[0])
        # Read with zeros, because a name with a token instead of a number is not read as that of a module.
        name = read_name("".join("0000" if _is_number(piece) else self._published(piece) for piece in pieces))
        module = next(part for part in published.split(".") if part.startswith("module_"))
        return replace(
            name,
            stem=published,
            module_name=module if name.module_name == "module_0000" else name.module_name,
            module_number=name.module_number if module[-4:].isdigit() else None,
            timestamp_microseconds=name.timestamp_microseconds or None,
        )

    def _token(self, piece: _Piece) -> str:
        return self._tokens.of(piece.kind, piece.text.encode("utf-8", "surrogateescape")).decode()

    def _pieces(self, label: str) -> Iterator[_Piece | str]:
        """Split a label into folders, the file and, after a `#`, the name of the dump inside a log."""
        *folders, last = label.split("/")
        for folder in folders:
            yield _Piece("folder", folder)
            yield "/"
        for number, name in enumerate(last.split("#")):
            if number:
                yield "#"
            yield from self._file(name)

    def _file(self, name: str) -> Iterator[_Piece | str]:
        """Split the name of a file into text to show and pieces to hide: numbers, module, stage, suffix."""
        dump, named = read_name(name), _NUMBERED.match(name)
        if dump.module_number is None or named is None:
            yield from self._unnumbered(name)
            return
        yield from self._numbers(named)
        rest = named.end()
        if name.startswith(f"{dump.module_name}.", rest):
            is_public = is_public_module(dump.module_name, self._redaction)
            yield dump.module_name if is_public else _Piece("program", dump.module_name)
            rest += len(dump.module_name)
        stage = name[rest : len(dump.stem)]
        if is_known(stage, "names"):
            yield stage
        else:
            yield "."
            yield _Piece("name", stage.removeprefix("."))
        yield name[len(dump.stem) :]

    def _numbers(self, named: re.Match[str]) -> Iterator[_Piece | str]:
        """Split what comes before the name of a module."""
        timestamp, number = named["timestamp"], named["number"]
        if timestamp:
            is_moment = self._redaction == "paths" and _MOMENT.fullmatch(timestamp)
            yield timestamp if is_moment or len(timestamp) <= _LONGEST_NUMBER else _Piece("number", timestamp)
            yield "."
        yield "module_"
        yield number if len(number) <= _LONGEST_NUMBER else _Piece("number", number)
        yield "."

    def _unnumbered(self, name: str) -> Iterator[_Piece | str]:
        """Split the name of a file that XLA did not name; keep only a suffix that may come from XLA."""
        split = split_part(name)
        stem = split.stem if split else PurePath(without_compression(name)).stem
        suffix = name[len(stem) :]
        if name.isdigit() and len(name) < _LONGEST_COUNT:
            yield name
        elif is_known(suffix, "names"):
            yield _Piece("dump", stem)
            yield suffix
        else:
            yield _Piece("dump", name)


def _is_number(piece: _Piece | str) -> bool:
    return isinstance(piece, _Piece) and piece.kind == "number"
