"""Build the site."""

import argparse
from pathlib import Path

from reportgen.commands.arguments import add_analysis, add_paths, add_redaction, add_site, count, paths_of, source_url
from reportgen.errors import OptionError
from reportgen.terminal import Terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the paths and flags of `build`."""
    add_paths(parser)
    add_flags(parser)
    parser.add_argument(
        "--single-file",
        type=_html,
        metavar="FILE.html",
        help="write the report of one module as a single HTML file instead of a site, to attach to an issue:"
        " summary, charts, peak, and all values as searchable rows",
    )


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `build`, which `run` has too."""
    add_analysis(parser)
    add_site(parser)
    parser.add_argument(
        "--value-pages",
        type=count,
        metavar="N",
        help="make pages only for the N largest values of each module and for those of a peak;"
        " tables and search still list all values (default: make pages for all)",
    )
    add_redaction(parser)
    parser.add_argument(
        "--source-root",
        type=Path,
        metavar="DIR",
        help="show the source lines that the dump names, from files below this directory",
    )
    parser.add_argument(
        "--source-url",
        type=source_url,
        metavar="TEMPLATE",
        help="link source lines, such as https://github.com/OWNER/REPO/blob/COMMIT/{path}#L{line}",
    )
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    volume.add_argument("-v", "--verbose", action="store_true", help="print the findings of each module")


def _html(text: str) -> Path:
    """Return the path of an HTML file. Any other is refused, because it would be overwritten and could be a dump."""
    if not text.lower().endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError("a name that ends in .html is needed")
    return Path(text)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Build the site and return the exit code."""
    from reportgen.build import build, build_file
    from reportgen.options import BuildOptions

    if options.redaction and (options.source_root or options.source_url):
        raise OptionError("--source-root and --source-url show what redaction hides; leave out one, or add --no-redact")
    if options.source_root and not options.source_root.is_dir():
        raise OptionError(f"--source-root {options.source_root}: there is no such directory")

    asked = BuildOptions(
        paths=paths_of(options),
        # The workers of a cluster start in other directories.
        output=options.output.absolute() if options.executor else options.output,
        title=options.title,
        force=options.force,
        jobs=options.jobs,
        value_pages=options.value_pages,
        redaction=options.redaction or None,
        max_dump_bytes=options.max_dump_bytes,
        siblings=options.siblings,
        capacities=tuple(options.capacities),
        source_root=options.source_root.absolute() if options.source_root else None,
        source_url=options.source_url,
        cluster=options.executor,
    )
    if options.single_file:
        report = build_file(asked, options.single_file, terminal.stage)
        shown = options.single_file
    else:
        report = build(asked, terminal.progress, terminal.stage)
        shown = options.output / report.first_page
    terminal.problems(report.problems)
    terminal.modules(report.summaries if options.verbose else ())
    # A redacted report is published, and so are the logs of its build.
    is_published = bool(options.redaction)
    if options.single_file:
        terminal.file_written(report, shown, is_published=is_published)
    else:
        terminal.finished(report, options.output, None if is_published else (options.output / "index.html").resolve())
    terminal.took()
    if options.open:
        import webbrowser  # takes as long to load as a small dump to check

        webbrowser.open(shown.resolve().as_uri())
    return 1 if report.has_problems(strict=options.strict) else 0
