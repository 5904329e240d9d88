"""Read the files of one dump once, for all stages that follow."""

from reportgen.input.dump_text import DumpText, Sibling
from reportgen.input.proto_files import load_proto
from reportgen.input.reading import DumpFiles, Problem, load_siblings, load_text, read_text
from reportgen.input.remote import AnyPath
from reportgen.record import record


@record
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
    siblings = load_siblings(files)
    if files.parts[0].proto is None:
        text, problems = load_text(files, keeps_repeats=keeps_repeats)
    else:
        text, module, problems = load_proto(files, keeps_repeats=keeps_repeats)
        siblings = (*siblings, module)
    return Contents(files=files, text=text, siblings=siblings, note=read_note(files.notes), problems=problems)


def read_note(path: AnyPath | None) -> str:
    """Return the text of a note, or an empty string if there is no note or it cannot be read."""
    return read_text(path)[0].decode("utf-8", "replace") if path else ""
