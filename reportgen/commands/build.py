"""Build the site."""

import argparse
import webbrowser
from dataclasses import replace

from reportgen.build import build, build_file, opening_page
from reportgen.commands.arguments import paths_of, report_options
from reportgen.commands.printing import print_finished, print_single_file
from reportgen.commands.settings import files_read
from reportgen.errors import OptionError
from reportgen.options import BuildOptions
from reportgen.output.named_files import confirm_apart
from reportgen.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Build the site and return the exit code."""
    if options.module and not options.single_file:
        raise OptionError("--module chooses what --single-file writes; a site has all modules")
    build_options = BuildOptions(
        **report_options(options), paths=paths_of(options), jobs=options.jobs, cluster=options.executor
    )
    inputs = (*build_options.paths, *files_read())
    confirm_apart({"--single-file": options.single_file}, inputs)
    if options.executor:  # because the workers of a cluster start in other directories
        build_options = replace(build_options, output=options.output.absolute())
    if options.single_file:
        report = build_file(build_options, options.single_file, terminal.stage, module=options.module)
        page = options.single_file
    else:
        report = build(build_options, terminal.progress, terminal.stage)
        page = options.output / opening_page(report)
    terminal.problems(report.problems)
    # A redacted report is published, and so are the logs of its build.
    is_published = bool(options.redaction)
    if options.single_file and not options.quiet:
        print_single_file(report, page, is_published=is_published)
    elif not options.quiet:
        if options.explains:
            # Imported here, because a build that finds its site unchanged needs none of it.
            from reportgen.commands.explaining import print_explanation

            print_explanation(report.summaries, report.errors, terminal)
            print()
        index = (options.output / "index.html").resolve()
        print_finished(report, options.output, None if is_published else index, terminal)
    terminal.took()
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    return 1 if report.has_problems(strict=options.strict) else 0
