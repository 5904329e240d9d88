"""Parse the command line, run the command, and turn errors into a message and an exit code.

Each command is a module of `reportgen.commands`. Only the chosen one is imported, and only once it is known that its
flags are right, because what the commands do takes longer to import than `--help` takes to print.
"""

import argparse
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import reportgen
from reportgen.commands import flags
from reportgen.errors import ReportgenError
from reportgen.terminal import Terminal

INTERRUPTED = 130
BROKEN_PIPE = 141  # 128 + SIGPIPE, which Windows does not have


COMMANDS: Mapping[str, str] = {
    "run": "Run a program, dump what XLA compiles in it, and build the site.",
    "build": "Build the site.",
    "watch": "Build the site, serve it, and update it as the compiler writes dumps.",
    "check": "Parse and analyse dumps without building a site.",
    "explain": "Explain in a page of text what needs the memory, whether it fits, and what would lower it.",
    "compare": "Compare two builds: what changed, by how much, and why.",
    "history": "Keep the figures of builds over time, and show them as a trend.",
    "export": "Print a module's memory over program order in a format of other tools.",
}
"""What each command does, in the words of its help."""

_DESCRIPTION = """\
Turn XLA's plan for the memory of a program into a static site that shows how much memory each module needs, what
its peak consists of, and where every value is placed."""
_EXAMPLE = """\
what to do with what you have:
  a profile                  reportgen build profile/
  a compiled JAX function    reportgen.report(compiled), in Python
  a program to run           reportgen run -- python train.py
  dumps or protos            reportgen build dumps -o site
XLA writes dumps with XLA_FLAGS="--xla_dump_to=dumps --xla_dump_hlo_as_text".
"""
_EXIT_CODES = """\
exit codes:
  0 success, 1 a problem with input or output (or findings under --strict), 2 usage,
  3 a module needs more than its capacity or budget (check, compare),
  4 an error of a dump makes a figure doubtful that was asked for (check, compare, history add),
  130 interrupted, 141 the program that read the output has closed it;
  run: the exit code of the program unless that is 0, 127 or 126 if it cannot be started"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    parser = argument_parser()
    if sys.stdout is None:  # as after `>&-`
        Terminal().error("stdout: cannot be written: it is closed")
        return 1
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.error(f"a command is needed\n\n{_EXAMPLE}\nreportgen help shows all commands.")
    if options.command == "help":
        parser.print_help()
        return 0
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # because a character that the encoding lacks must not end the command
    terminal = Terminal(quiet=getattr(options, "quiet", False))
    try:
        flags.apply_settings(options)
        terminal.is_published = bool(getattr(options, "redaction", None))
        code: int = import_module(f"reportgen.commands.{options.command}").run(options, terminal)
        sys.stdout.flush()
        return code
    except ReportgenError as error:
        terminal.error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        terminal.error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except OSError as error:
        _discard_output()
        # An error without a file name is one of stdout, because every other file is opened by its name.
        terminal.error(str(error) if error.filename else f"stdout: cannot be written: {error.strerror or error}")
        return 1


def argument_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, from which completions are made as well."""
    parser = argparse.ArgumentParser(
        prog="reportgen",
        description=_DESCRIPTION,
        epilog=f"{_EXAMPLE}\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {reportgen.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, purpose in COMMANDS.items():
        help_line = purpose[0].lower() + purpose[1:].removesuffix(".")
        add_flags = getattr(flags, f"add_{name}_flags")
        add_flags(commands.add_parser(name, help=help_line, description=purpose, allow_abbrev=False))
    commands.add_parser("help", help="show this help")
    return parser


def _discard_output() -> None:
    """Close stdout for good; Python would fail again when it writes the rest of its buffer at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
