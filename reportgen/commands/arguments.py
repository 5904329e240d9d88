"""What several commands take from their flags: the options of a site, and the dumps in the given paths."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from reportgen.check import check
from reportgen.errors import OptionError
from reportgen.input.archives import kept_pipe
from reportgen.input.remote import AnyPath, located
from reportgen.options import ReportOptions
from reportgen.record import copied
from reportgen.search import SearchResult, search
from reportgen.terminal import Terminal
from reportgen.work import BuildResult, Progress

_Options = TypeVar("_Options", bound=ReportOptions)


def options_of(cls: type[_Options], options: argparse.Namespace, **own: Any) -> _Options:
    """Return the options of a site of dumps with its `own` ones. Raises OptionError for options that contradict."""
    root = options.source_root
    if options.redaction and (root or options.source_url):
        raise OptionError("--source-root and --source-url show what redaction hides; leave out one, or add --no-redact")
    if root and not root.is_dir():
        raise OptionError(f"--source-root {root}: there is no such directory")
    own |= {"redaction": options.redaction or None, "capacities": tuple(options.capacities)}
    return copied(cls, options, source_root=root.absolute() if root else None, **own)


def paths_of(options: argparse.Namespace) -> tuple[AnyPath, ...]:
    """Return the given paths; absolute for a cluster, whose workers start in other directories."""
    # What comes through a pipe can be read once, and every file is read twice: its head, to find dumps, then all of it.
    paths = (kept_pipe(path) if isinstance(path, Path) else path for path in map(located, options.paths))
    return tuple(path.absolute() if options.executor and isinstance(path, Path) else path for path in paths)


def gathered(
    options: argparse.Namespace,
    paths: Sequence[AnyPath],
    terminal: Terminal,
    progress: Progress,
    *,
    module: str | None = None,
    with_report: bool = True,
) -> tuple[SearchResult, BuildResult]:
    """Return the dumps in some paths and what is known of them, and print the problems with them.

    `module` and `with_report` are those of a search and a check.
    """
    redaction = options.redaction or None
    found = search(paths, redaction, options.max_dump_bytes, module=module)
    report = check(
        found.shown,
        options.jobs,
        progress,
        options.executor,
        capacities=options.capacities,
        redaction=redaction,
        stage=terminal.stage,
        with_report=with_report,
    )
    terminal.problems(report.problems)
    return found, replace(report, errors=found.errors)
