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
from reportgen.input.names import read_name, split_part, without_compression
from reportgen.input.reading import DumpFiles, Problem
from reportgen.options import Redaction
from reportgen.record import record
from reportgen.redact.quoted_names import Names
from reportgen.redact.quotes import redact_message
from reportgen.redact.tokens import Tokens
from reportgen.redact.vocabulary import is_known, is_public_module

_NUMBERED = re.compile(r"(?:[0-9]+\.)?module_[0-9]+\.")
_LONGEST_COUNT = 5  # digits behind a `#`, where labels are made unique


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
            name = read_name(self.label(f"{files.name.stem}-buffer-assignment.txt"))
        parts = tuple(replace(part, label=self.label(part.label)) for part in files.parts)
        return replace(files, label=self.label(files.label), name=name, parts=parts, notes=None)

    def problem(self, problem: Problem) -> Problem:
        message = redact_message(self._names.replaced(problem.message))
        return replace(problem, file=self.label(problem.file), message=message)

    def label(self, label: str) -> str:
        return "".join(self._token(piece) if isinstance(piece, _Piece) else piece for piece in self._pieces(label))

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
        dump, named = read_name(name), _NUMBERED.match(name)
        if dump.module_number is None or named is None:
            yield from self._unnumbered(name)
            return
        yield named[0]
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

    def _unnumbered(self, name: str) -> Iterator[_Piece | str]:
        """Split the name of a file that XLA did not name; keep only a suffix that may come from XLA."""
        split = split_part(name)
        stem = split[0] if split else PurePath(without_compression(name)).stem
        suffix = name[len(stem) :]
        if name.isdigit() and len(name) < _LONGEST_COUNT:
            yield name
        elif is_known(suffix, "names"):
            yield _Piece("dump", stem)
            yield suffix
        else:
            yield _Piece("dump", name)
