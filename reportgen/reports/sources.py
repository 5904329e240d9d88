"""Source lines as pages show them: a place as text or link and, where the user allows it, the lines themselves."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from reportgen.input.source_lines import SourceLines, SourceRoot
from reportgen.parse.stack_frames import Frame
from reportgen.record import record


@record
class SourceFile:
    """A file that may be shown: `path` is below the root, `names` are those that the dump has for it."""

    path: str
    names: tuple[str, ...]
    lines: Sequence[str]


@record(kw_only=False)
class Sources:
    """What a site may show of the program's files: lines below `root`, links as the template `url` says."""

    root: Path | None = None
    url: str | None = None

    def place(self, frame: Frame, href: str = "") -> str:
        """Return `file:line` in function, as a link where there is a template, and one to the line's page, `href`."""
        text = f"<code>{escape(str(frame))}</code>"
        if self.url:
            found = self._around(frame)
            # Below the root a path is as the repository has it; the dump’s own may begin anywhere.
            path = quote(found.path if found else frame.file)
            elsewhere = self.url.replace("{path}", path).replace("{line}", str(frame.line))
            own = f' <a href="{escape(href)}">with its bytes</a>' if href else ""
            text = f'<a href="{escape(elsewhere)}">{text}</a>{own}'
        elif href:
            text = f'<a href="{escape(href)}">{text}</a>'
        return f"{text} in {escape(frame.function)}" if frame.function else text

    def excerpt(self, frame: Frame, href: str = "") -> str:
        """Return the line with its neighbours; empty where it may not be shown or is not there.

        `href` leads to the line on the page of its file.
        """
        found = self._around(frame)
        if found is None:
            return ""
        width = len(str(found.first + len(found.lines)))
        rows = []
        for number, line in enumerate(found.lines, found.first):
            text = f"{number:>{width}}  {escape(line)}"
            linked = f'<a href="{escape(href)}">{text}</a>' if href else text
            rows.append(f"<b>{linked}</b>" if number == frame.line else text)
        return "<pre class=source>" + "\n".join(rows) + "</pre>"

    def files(self, names: Iterable[str]) -> Sequence[SourceFile]:
        """Return the files of these names that may be shown, in the order of their paths."""
        found: dict[str, SourceFile] = {}
        for name in names if self.root else ():
            file = SourceRoot(self.root).file(name) if self.root else None
            if file is not None:
                before = found[file.path].names if file.path in found else ()
                found[file.path] = SourceFile(path=file.path, names=(*before, name), lines=file.lines)
        return [found[path] for path in sorted(found)]

    def _around(self, frame: Frame) -> SourceLines | None:
        return SourceRoot(self.root).around(frame.file, frame.line) if self.root else None


NO_SOURCES = Sources()
