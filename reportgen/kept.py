"""One dump as the last build left it: whether all of that still holds. It is read and compared, not analysed.

This is all that a build does where nothing has changed, so it needs little of the program.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from reportgen.analyse.identity import Digests, digests
from reportgen.beside import beside
from reportgen.manifest import Part
from reportgen.options import Redaction
from reportgen.output import is_intact
from reportgen.parse.assignment_proto import can_read_protos
from reportgen.reading import DumpFiles, Problem, load_siblings, load_text
from reportgen.remote import AnyPath
from reportgen.render.summary import Summary
from reportgen.source import DumpText, Sibling


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one dump; `summary` is None where it could not be read at all.

    `part` is what it has in the site, and `changed` how many of its pages were written.
    """

    label: str
    summary: Summary | None
    problems: tuple[Problem, ...]
    part: Part | None = None
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """A dump, what the last build made of it, and how many processes may share the work on it."""

    files: DumpFiles
    previous: Part | None = None
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for all dumps of a site. `fingerprint` stands for the program itself."""

    site_title: str
    output: Path
    fingerprint: str
    value_pages: int | None = None
    redaction: Redaction | None = None


@dataclass(frozen=True)
class Loaded:
    """What the pages of a dump are made from: all that its files say, as far as it may be shown."""

    files: DumpFiles
    text: DumpText
    problems: tuple[Problem, ...]
    siblings: tuple[Sibling, ...]
    notes: str

    @cached_property
    def digests(self) -> Digests:
        return digests(self.text)

    def key(self, settings: Settings) -> str:
        """Of everything that the pages are made from."""
        labels = [part.label for part in self.files.parts]
        options = [settings.fingerprint, settings.site_title, settings.value_pages, settings.redaction]
        contents = [self.digests.exact, _digest(self.siblings)]
        problems = [asdict(problem) for problem in self.problems]
        stated = json.dumps([options, labels, asdict(self.files.name), contents, self.notes, problems])
        return hashlib.sha256(stated.encode()).hexdigest()


def load(files: DumpFiles, redaction: Redaction | None) -> Loaded:
    """Read a dump. Raises UnreadableInput if nothing of it can be."""
    text, problems = load_text(files)
    if redaction:
        from reportgen.redact.labels import redacted_problems
        from reportgen.redact.text import redacted

        text, problems = redacted(text, redaction), redacted_problems(problems, redaction)
    siblings = () if redaction else load_siblings(files)  # they would tell what the dump does not any more
    return Loaded(files, text, problems, siblings, note(files.notes))


def note(path: AnyPath | None) -> str:
    """The text of a note, empty where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path else ""
    except OSError:
        return ""


def _digest(siblings: Sequence[Sibling]) -> str:
    """Of what lies beside a dump, and of whether all of it can be read here."""
    has_proto = any(sibling.kind == "proto" for sibling in siblings)
    made = hashlib.sha256(str(has_proto and can_read_protos()).encode())
    for sibling in siblings:
        made.update(f"{sibling.label}\0{len(sibling.data)}\0".encode())
        made.update(sibling.data)
    return made.hexdigest()


def are_kept(tasks: Sequence[Task], settings: Settings, jobs: int) -> list[bool]:
    """Of each dump whether there is nothing to do for it. In order of size, every other one is for a second process."""
    sizes = [task.previous.size_bytes if task.previous else 0 for task in tasks]
    in_order = sorted(range(len(tasks)), key=sizes.__getitem__)
    with beside(lambda: _still_hold(tasks, in_order[1::2], settings), jobs if any(sizes) else 1) as others:
        kept = _still_hold(tasks, in_order[::2], settings) | others()
    return [kept[number] for number in range(len(tasks))]


def _still_hold(tasks: Sequence[Task], numbers: Iterable[int], settings: Settings) -> dict[int, bool]:
    return {number: _still_holds(tasks[number], settings) for number in numbers}


def _still_holds(task: Task, settings: Settings) -> bool:
    """Whatever is wrong with a dump is said when it is built."""
    if task.previous:
        with suppress(Exception):
            return holds(task.previous, load(task.files, settings.redaction), settings)
    return False


def holds(previous: Part, loaded: Loaded, settings: Settings) -> bool:
    """Whether what the last build made is what would be made of what was read now."""
    return previous.key == loaded.key(settings) and is_intact(settings.output, previous)


def outcome_of(previous: Part) -> Outcome | None:
    """The outcome of the last build, if it was noted."""
    try:
        entry = Summary.from_json(previous.note["summary"])
        problems = tuple(Problem(**problem) for problem in previous.note["problems"])
    except (KeyError, TypeError, ValueError):
        return None
    return Outcome(entry.label, entry, problems, previous)
