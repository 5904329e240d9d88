"""Source lines as pages show them: a place as text or link and, where the user allows it, the lines themselves."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from reportgen.input.source_lines import SourceLines, SourceRoot
from reportgen.parse.stack_frames import Frame


@dataclass(frozen=True, slots=True)
class Sources:
    """What a site may show of the program's files: lines below `root`, links as the template `url` says."""

    root: Path | None = None
    url: str | None = None

    def place(self, frame: Frame) -> str:
        """Return `file:line` in function, as a link where there is a template."""
        text = f"<code>{escape(str(frame))}</code>"
        if self.url:
            found = self._around(frame)
            # Below the root a path is as the repository has it; the dump’s own may begin anywhere.
            path = quote(found.path if found else frame.file)
            href = self.url.replace("{path}", path).replace("{line}", str(frame.line))
            text = f'<a href="{escape(href)}">{text}</a>'
        return f"{text} in {escape(frame.function)}" if frame.function else text

    def excerpt(self, frame: Frame) -> str:
        """Return the line with its neighbours; empty where it may not be shown or is not there."""
        found = self._around(frame)
        if found is None:
            return ""
        width = len(str(found.first + len(found.lines)))
        rows = []
        for number, line in enumerate(found.lines, found.first):
            text = f"{number:>{width}}  {escape(line)}"
            rows.append(f"<b>{text}</b>" if number == frame.line else text)
        return "<pre class=source>" + "\n".join(rows) + "</pre>"

    def _around(self, frame: Frame) -> SourceLines | None:
        return SourceRoot(self.root).around(frame.file, frame.line) if self.root else None


NO_SOURCES = Sources()
