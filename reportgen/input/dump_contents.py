"""Read the files of one dump once, for all stages that follow."""

from dataclasses import dataclass

from reportgen.input.dump_text import DumpText, Sibling
from reportgen.input.reading import DumpFiles, Problem, load_siblings, load_text
from reportgen.input.remote import AnyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The text of a dump, its sibling files, the text of its note, and the problems met while reading them."""

    files: DumpFiles
    text: DumpText
    siblings: tuple[Sibling, ...]
    note: str
    problems: tuple[Problem, ...]


def read_contents(files: DumpFiles, *, keeps_repeats: bool = False) -> Contents:
    """Read a dump and its sibling files. Raises UnreadableInput if its allocations cannot be read at all.

    `keeps_repeats` is for redaction, because cutting a line could cut a text that must be hidden in two.
    """
    text, problems = load_text(files, keeps_repeats=keeps_repeats)
    return Contents(
        files=files, text=text, siblings=load_siblings(files), note=read_note(files.notes), problems=problems
    )


def read_note(path: AnyPath | None) -> str:
    """Return the text of a note, or an empty string if there is no note or it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path else ""
    except OSError:
        return ""
