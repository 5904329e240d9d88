"""What several commands take from their flags: the options of a site, and the dumps in the given paths."""

import argparse
from pathlib import Path
from typing import Any

from reportgen.errors import OptionError
from reportgen.input.archives import kept_pipe
from reportgen.input.remote import AnyPath, located


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
