"""Build the site."""

import argparse
from dataclasses import replace
from pathlib import Path

from reportgen.commands.arguments import add_analysis, add_pages, add_paths, add_site, paths_of, report_options
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
    add_pages(parser)
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
    from reportgen.build import build, build_file, opening_page
    from reportgen.options import BuildOptions

    asked = BuildOptions(
        **report_options(options), paths=paths_of(options), jobs=options.jobs, cluster=options.executor
    )
    if options.executor:  # because the workers of a cluster start in other directories
        asked = replace(asked, output=options.output.absolute())
    if options.single_file:
        report = build_file(asked, options.single_file, terminal.stage)
        shown = options.single_file
    else:
        report = build(asked, terminal.progress, terminal.stage)
        shown = options.output / opening_page(report)
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
