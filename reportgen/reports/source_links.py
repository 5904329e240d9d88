"""Source lines as pages show them: a place as text or link and, where the user allows it, the lines themselves."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import field
from functools import cached_property
from html import escape
from pathlib import Path
from urllib.parse import quote

from reportgen.input.reading import DumpFiles, Problem, newer_words
from reportgen.input.source_lines import SourceLines, are_of_one_file, is_below, names_of, source_lines
from reportgen.parse.stack_frames import Frame, StatedLine
from reportgen.program.source_agreement import why_not_shown
from reportgen.record import record


@record
class SourceFile:
    """A file that may be shown: `path` is below the root, `names` are those that the dump has for it.

    Only the lines with the numbers that are `published` may be shown; all if that is None.
    """

    path: str
    names: tuple[str, ...]
    lines: Sequence[str]
    published: Set[int] | None = None


@record(slots=False, kw_only=False)
class Sources:
    """What a site may show of the program's files: lines below `root`, links as the template `url` says.

    `names` are those that the dump has for all files of the program, and `stated` the lines that it names in them. A
    file that is not the one that was compiled is treated as absent. With `is_own`, only files that the dump names by
    their whole path are shown, and no files of Python; of these, pages may show the functions that have bytes.
    """

    root: Path | None = None
    url: str | None = None
    names: Collection[str] = ()
    is_own: bool = False
    stated: Mapping[str, Set[StatedLine]] = field(default_factory=dict)

    def url_of(self, line: str) -> str:
        """Return the URL of a line, `FILE:LINE`, elsewhere; empty without a template."""
        file, _, number = line.rpartition(":")
        if not self.url or not number.isdecimal():
            return ""
        # Below the root a path is as the repository has it; the dump’s own may begin anywhere.
        source = self._source(Frame(file, "", int(number)))
        return self.url.replace("{path}", quote(source.path if source else file)).replace("{line}", number)

    def place(self, frame: Frame, href: str = "") -> str:
        """Return `file:line` in function, as a link where there is a template, and one to the line's page, `href`."""
        text = f"<code>{escape(str(frame))}</code>"
        if elsewhere := self.url_of(str(frame)):
            own = f' <a href="{escape(href)}">with its bytes</a>' if href else ""
            text = f'<a href="{escape(elsewhere)}">{text}</a>{own}'
        elif href:
            text = f'<a href="{escape(href)}">{text}</a>'
        return f"{text} in {escape(frame.function)}" if frame.function else text

    def excerpt(self, frame: Frame, href: str = "") -> str:
        """Return the line with its neighbours; empty where it may not be shown or is not there.

        `href` leads to the line on the page of its file. Where the file may be another of the program, that is said.
        """
        if others := self._contested.get(frame.file):
            return f"<br><small>Its lines are not shown: the file of this name may be {escape(others)}.</small>"
        source = self._source(frame)
        if source is None or self.is_own:
            return ""
        first = max(1, frame.line - 1)
        width = len(str(min(frame.line + 1, len(source.lines)) + 1))
        rows = []
        for number, line in enumerate(source.lines[first - 1 : frame.line + 1], first):
            text = f"{number:>{width}}  {escape(line)}"
            linked = f'<a href="{escape(href)}">{text}</a>' if href else text
            rows.append(f"<b>{linked}</b>" if number == frame.line else text)
        return "<pre class=source>" + "\n".join(rows) + "</pre>"

    def files(self) -> Sequence[SourceFile]:
        """Return the files of the program that may be shown, in the order of their paths."""
        return [
            SourceFile(path=path, names=tuple(names), lines=file.lines)
            for path, names in sorted(self._names_at.items())
            if names[0] in self._shown and (file := self._lines_of(names[0]))
        ]

    def notes(self, dump: DumpFiles) -> Iterator[Problem]:
        """Yield which files are left out, and which of the others are newer than the dump."""
        for path in sorted(self._names_at):
            if why := self._left_out.get(path):
                yield Problem("note", dump.label, f"{path} {why}")
            elif age := newer_words((self.root or Path()) / path, dump.parts[0].path):
                yield Problem("note", dump.label, f"{path} was written {age}, so its lines may be of other code")

    @cached_property
    def _left_out(self) -> Mapping[str, str]:
        """Map the path of each file that is certain to why it is not shown; empty for those that are."""
        certain = {path: names for path, names in self._names_at.items() if are_of_one_file(names)}
        files = ((path, names, self._lines_of(names[0])) for path, names in certain.items())
        return {path: why_not_shown(file, names, self.stated) for path, names, file in files if file}

    @cached_property
    def _names_at(self) -> Mapping[str, Sequence[str]]:
        """Map each path below the root to the names that may stand for it: those most like it."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.names:
            if (not self.is_own or is_below(name, self.root or Path())) and (file := self._lines_of(name)):
                found[file.path].append(name)
        return {path: names_of((self.root or Path()) / path, names) for path, names in found.items()}

    @cached_property
    def _contested(self) -> Mapping[str, str]:
        """Map each name that stands for a path as well as another name does to all of these."""
        several = (names for names in self._names_at.values() if not are_of_one_file(names))
        return {name: " or ".join(names) for names in several for name in names}

    @cached_property
    def _shown(self) -> Collection[str]:
        return {name for path, why in self._left_out.items() if not why for name in self._names_at[path]}

    def _lines_of(self, name: str) -> SourceLines | None:
        return source_lines(self.root, name) if self.root else None

    def _source(self, frame: Frame) -> SourceLines | None:
        """Return the file of a frame; None where it may not be shown or has no such line."""
        source = self._lines_of(frame.file) if frame.file in self._shown else None
        return source if source and 1 <= frame.line <= len(source.lines) else None


NO_SOURCES = Sources()
