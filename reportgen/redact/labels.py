"""What dumps are called, without the names of folders and of files that somebody chose.

A name that XLA gave says which module it is and stays; the name of that module goes with the names of the
program. Numbers follow the sorted names of one build: a folder that joins may move those behind it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from reportgen.discover import Discovered
from reportgen.dump_names import DumpName, read_name, split_part, without_compression
from reportgen.options import Redaction
from reportgen.reading import DumpFiles, Problem
from reportgen.redact.text import redacted_message
from reportgen.redact.tokens import Tokens

_NUMBERED = re.compile(r"(?:[0-9]+\.)?module_[0-9]+\.")


def relabelled(discovered: Discovered, redaction: Redaction | None) -> Discovered:
    """The same dumps under names that can be published, without the notes beside them."""
    if redaction is None:
        return discovered
    labels = _Labels(discovered, redaction)
    return Discovered(
        tuple(sorted(map(labels.files, discovered.dumps), key=lambda files: files.label)),
        tuple(map(labels.problem, discovered.problems)),
        readme=None,
    )


def redacted_problems(problems: Sequence[Problem], redaction: Redaction | None) -> tuple[Problem, ...]:
    """Problems whose labels are redacted already, without what their messages quote."""
    if redaction is None:
        return tuple(problems)
    return tuple(replace(problem, message=redacted_message(problem.message)) for problem in problems)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a label that is to be hidden."""

    kind: str
    text: str


class _Labels:
    """The names of all dumps of a build, and what becomes of each."""

    def __init__(self, discovered: Discovered, redaction: Redaction) -> None:
        self._hides_names = redaction == "names"
        self._tokens = Tokens()
        labels = {part.label for files in discovered.dumps for part in files.parts}
        labels |= {files.label for files in discovered.dumps} | {problem.file for problem in discovered.problems}
        pieces = {piece for label in labels for piece in self._pieces(label) if isinstance(piece, _Piece)}
        for piece in sorted(pieces, key=lambda piece: (piece.kind, piece.text)):
            self._token(piece)
        self._texts = {piece.text: self._token(piece) for piece in pieces}

    def files(self, files: DumpFiles) -> DumpFiles:
        parts = tuple(replace(part, label=self.label(part.label)) for part in files.parts)
        return replace(files, label=self.label(files.label), name=self._name(files.name), parts=parts, notes=None)

    def problem(self, problem: Problem) -> Problem:
        message = problem.message
        for text in sorted(self._texts, key=len, reverse=True):
            message = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", self._texts[text], message)
        return replace(problem, file=self.label(problem.file), message=redacted_message(message))

    def label(self, label: str) -> str:
        return "".join(self._token(piece) if isinstance(piece, _Piece) else piece for piece in self._pieces(label))

    def _name(self, name: DumpName) -> DumpName:
        if name.module_number is None:
            token = self._token(_Piece("dump", name.stem))
            return replace(name, stem=token, module_name=token)
        return read_name(self.label(f"{name.stem}-buffer-assignment.txt"))

    def _token(self, piece: _Piece) -> str:
        return self._tokens.of(piece.kind, piece.text.encode("utf-8", "surrogateescape")).decode()

    def _pieces(self, label: str) -> Iterator[_Piece | str]:
        """Folders, then the file and, behind a `#`, the name that a log gives."""
        *folders, last = label.split("/")
        for folder in folders:
            yield _Piece("folder", folder)
            yield "/"
        for number, name in enumerate(last.split("#")):
            if number:
                yield "#"
            yield from self._file(name)

    def _file(self, name: str) -> Iterator[_Piece | str]:
        dump = read_name(name)
        if dump.module_number is None:
            split = split_part(name)
            stem = split[0] if split else PurePath(without_compression(name)).stem
            if stem and not name.isdigit():
                yield _Piece("dump", stem)
            yield name[len(stem) :] if not name.isdigit() else name
            return
        named = _NUMBERED.match(name)
        if not self._hides_names or named is None or not name.startswith(f"{dump.module_name}.", named.end()):
            yield name
            return
        yield named[0]
        yield _Piece("program", dump.module_name)
        yield name[named.end() + len(dump.module_name) :]
