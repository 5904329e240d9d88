"""One dump, from its files to its pages: a unit of work that any process can do.

It takes the names of files and gives back a small outcome. A dump of which nothing has changed since the
last build, and whose pages are all there, is only read and compared.
"""

import gc
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path

from reportgen.analyse.identity import digests
from reportgen.analyse.records import Analysis
from reportgen.errors import OutputRefused, ReportgenError
from reportgen.executors import beside, can_fork, forked
from reportgen.manifest import Part
from reportgen.options import Redaction
from reportgen.output import NOTHING_WRITTEN, Written, confirm_started, is_intact, write_pages
from reportgen.parse.assignment_proto import can_read_protos
from reportgen.reading import DumpFiles, Problem, load_siblings, load_text
from reportgen.remote import AnyPath
from reportgen.render.formats import shortened
from reportgen.render.module import Module
from reportgen.render.summary import Summary, summary, summary_for_site
from reportgen.source import DumpText, Sibling

_MANY_VALUES = 10_000

_NO_MEMORY = "there is not enough memory for this dump. Try again with --jobs 1, or on a larger machine."


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


def check_dump(task: Task) -> Outcome:
    """Parse and analyse one dump; never raises."""
    files = task.files

    def work() -> Outcome:
        text, problems = load_text(files)
        module = module_of(files, text, siblings=load_siblings(files), jobs=task.jobs)
        return Outcome(files.label, summary(module), problems)

    return _guarded(files, work)


def build_dump(task: Task, settings: Settings) -> Outcome:
    """Parse, analyse, render and write one dump. Raises OutputRefused; what is wrong with the dump it returns."""
    outcome = _guarded(task.files, lambda: _build(task, settings))
    if settings.redaction is None:
        return outcome
    from reportgen.redact.labels import redacted_problems

    return replace(outcome, problems=redacted_problems(outcome.problems, settings.redaction))


def _guarded(files: DumpFiles, work: Callable[[], Outcome]) -> Outcome:
    try:
        return work()
    except OutputRefused:
        raise
    except ReportgenError as error:
        return Outcome(files.label, None, (Problem("error", files.label, str(error).removeprefix(f"{files.label}: ")),))
    except MemoryError:
        return Outcome(files.label, None, (Problem("error", files.label, _NO_MEMORY),))
    except Exception as error:  # a defect of ours in one dump must not lose the report of the others
        message = f"reportgen failed on this dump, please report it: {type(error).__name__}: {error}"
        return Outcome(files.label, None, (Problem("error", files.label, message),))


def _build(task: Task, settings: Settings) -> Outcome:
    files = task.files
    text, problems = load_text(files)
    if settings.redaction:
        from reportgen.redact.labels import redacted_problems
        from reportgen.redact.text import redacted

        text, problems = redacted(text, settings.redaction), redacted_problems(problems, settings.redaction)
    siblings = () if settings.redaction else load_siblings(files)  # they would tell what the dump does not any more
    notes = note(files.notes)

    def identified() -> tuple[str, str]:
        content = digests(text)
        return content.content, _key(files, [content.exact, _digest(siblings)], problems, notes, settings)

    with beside(identified, 1 if task.previous else task.jobs) as identity:
        identity = cache(identity)
        if task.previous and (kept := _kept(task.previous, identity()[1], settings.output)):
            return kept
        module = module_of(files, text, notes, settings, siblings, task.jobs)
        content, key = identity()
    entry = summary_for_site(module, content)
    written = _write(module, settings, task.jobs)
    for_later = {"summary": entry.as_json(), "problems": [asdict(problem) for problem in problems]}
    part = Part(key, written.paths, written.size_bytes, written.digest, for_later)
    return Outcome(files.label, entry, problems, part, written.changed)


def _key(
    files: DumpFiles, contents: Sequence[str], problems: tuple[Problem, ...], notes: str, settings: Settings
) -> str:
    """Of everything that the pages of a dump are made from."""
    labels = [part.label for part in files.parts]
    options = [settings.fingerprint, settings.site_title, settings.value_pages, settings.redaction]
    stated = json.dumps(
        [options, labels, asdict(files.name), contents, notes, [asdict(problem) for problem in problems]]
    )
    return hashlib.sha256(stated.encode()).hexdigest()


def _digest(siblings: Sequence[Sibling]) -> str:
    """Of what lies beside a dump, and of whether all of it can be read here."""
    has_proto = any(sibling.kind == "proto" for sibling in siblings)
    made = hashlib.sha256(str(has_proto and can_read_protos()).encode())
    for sibling in siblings:
        made.update(f"{sibling.label}\0{len(sibling.data)}\0".encode())
        made.update(sibling.data)
    return made.hexdigest()


def _kept(previous: Part, key: str, output: Path) -> Outcome | None:
    """The outcome of the last build, if it still holds."""
    if previous.key != key or not is_intact(output, previous):
        return None
    try:
        entry = Summary.from_json(previous.note["summary"])
        problems = tuple(Problem(**problem) for problem in previous.note["problems"])
    except (KeyError, TypeError, ValueError):
        return None
    return Outcome(entry.label, entry, problems, previous)


def module_of(
    files: DumpFiles,
    text: DumpText,
    notes: str = "",
    settings: Settings | None = None,
    siblings: Sequence[Sibling] = (),
    jobs: int = 1,
) -> Module:
    """The dump that `text` is, analysed and compared with what lies beside it, in two processes unless `jobs` is 1."""
    # Where nothing has changed since the last build there is no need for any of these.
    from reportgen.analyse.analysis import joined, judged_figures, judged_placement, measure
    from reportgen.parse.dump import parse_dump

    with _garbage_collection_paused():
        measured = measure(parse_dump(text), files.name.backend)
        with beside(partial(judged_figures, measured, siblings), jobs) as figures:
            analysis = joined(judged_placement(measured), figures())
        if len(analysis.facts) > _MANY_VALUES:
            gc.freeze()  # it would find none later, and by touching them would copy what forked processes share
    return module_from(files, analysis, notes, settings)


def module_from(files: DumpFiles, analysis: Analysis, notes: str = "", settings: Settings | None = None) -> Module:
    """What was found out about a dump, under the names that its files give it."""
    name = files.name
    return Module(
        label=files.label,
        title=shortened(name.module_name),
        stage=name.stage,
        number=name.module_number,
        timestamp_microseconds=name.timestamp_microseconds,
        analysis=analysis,
        notes=notes,
        value_pages=settings.value_pages if settings else None,
        redaction=settings.redaction if settings else None,
    )


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Records only pile up while a dump is read; looking for cycles among them costs 40 % of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def note(path: AnyPath | None) -> str:
    """The text of a note, empty where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path else ""
    except OSError:
        return ""


def _write(module: Module, settings: Settings, jobs: int) -> Written:
    from reportgen.render.module_pages import page_groups

    confirm_started(settings.output)
    groups = page_groups(module, settings.site_title)

    def write_group(number: int) -> Written:
        return write_pages(settings.output, groups[number]())

    numbers = range(len(groups))
    return sum(
        forked(write_group, len(groups), jobs) if jobs > 1 and can_fork() else map(write_group, numbers),
        NOTHING_WRITTEN,
    )
