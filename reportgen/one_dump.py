"""One dump, from its files to its pages: a unit of work that any process can do.

It takes the names of files and gives back a small outcome.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial

from reportgen.analyse.analysis import joined, judged_figures, judged_placement, measure
from reportgen.analyse.records import Analysis
from reportgen.beside import beside, can_fork
from reportgen.errors import OutputRefused, ReportgenError
from reportgen.kept import Outcome, Settings, Task, holds, load, outcome_of
from reportgen.manifest import Part
from reportgen.output import NOTHING_WRITTEN, Written, confirm_started, write_pages
from reportgen.parse.dump import parse_dump
from reportgen.reading import DumpFiles, Problem, load_siblings, load_text
from reportgen.render.formats import shortened
from reportgen.render.module import Module
from reportgen.render.summing_up import summary, summary_for_site
from reportgen.source import DumpText, Sibling

_MANY_VALUES = 10_000

_NO_MEMORY = "there is not enough memory for this dump. Try again with --jobs 1, or on a larger machine."


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
    loaded = load(task.files, settings.redaction)
    if task.previous and holds(task.previous, loaded, settings) and (outcome := outcome_of(task.previous)):
        return outcome

    def identified() -> tuple[str, str]:
        return loaded.digests.content, loaded.key(settings)

    with beside(identified, 1 if task.previous else task.jobs) as identity:
        module = module_of(loaded.files, loaded.text, loaded.notes, settings, loaded.siblings, task.jobs)
        content, key = identity()
    entry = summary_for_site(module, content)
    written = _write(module, settings, task.jobs)
    for_later = {"summary": entry.as_json(), "problems": [asdict(problem) for problem in loaded.problems]}
    part = Part(key, written.paths, written.size_bytes, written.digest, for_later)
    return Outcome(task.files.label, entry, loaded.problems, part, written.changed)


def module_of(
    files: DumpFiles,
    text: DumpText,
    notes: str = "",
    settings: Settings | None = None,
    siblings: Sequence[Sibling] = (),
    jobs: int = 1,
) -> Module:
    """The dump that `text` is, analysed and compared with what lies beside it, in two processes unless `jobs` is 1."""
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


def _write(module: Module, settings: Settings, jobs: int) -> Written:
    from reportgen.render.module_pages import page_groups

    confirm_started(settings.output)
    groups = page_groups(module, settings.site_title)

    def write_group(number: int) -> Written:
        return write_pages(settings.output, groups[number]())

    if jobs == 1 or not can_fork():
        return sum(map(write_group, range(len(groups))), NOTHING_WRITTEN)
    from reportgen.executors import forked

    return sum(forked(write_group, len(groups), jobs), NOTHING_WRITTEN)
