"""What several commands take from their flags: the options of a site, and the dumps in the given paths."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.check import check
from reportgen.errors import OptionError
from reportgen.input.archives import kept_pipe
from reportgen.input.remote import AnyPath, located
from reportgen.search import SearchResult, search
from reportgen.terminal import Terminal
from reportgen.work import BuildResult, Progress


def report_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a `ReportOptions`, without its paths. Raises OptionError for options that contradict."""
    if options.redaction and (options.source_root or options.source_url):
        raise OptionError("--source-root and --source-url show what redaction hides; leave out one, or add --no-redact")
    if options.source_root and not options.source_root.is_dir():
        raise OptionError(f"--source-root {options.source_root}: there is no such directory")
    return {
        "output": options.output,
        "title": options.title,
        "force": options.force,
        "redaction": options.redaction or None,
        "max_dump_bytes": options.max_dump_bytes,
        "capacities": tuple(options.capacities),
        "source_root": options.source_root.absolute() if options.source_root else None,
        "source_url": options.source_url,
        "own_functions": options.own_functions,
    }


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
    devices: int | None = None,
    with_report: bool = True,
) -> tuple[SearchResult, BuildResult]:
    """Return the dumps in some paths and what is known of them, and print the problems with them.

    `module`, `devices` and `with_report` are those of a search and a check.
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
        devices=devices,
        with_report=with_report,
    )
    terminal.problems(report.problems)
    return found, replace(report, errors=found.errors)
