"""Parse the command line, and turn errors into a message and an exit code.

Each command is a module of `reportgen.commands`.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence

import reportgen
from reportgen.commands import build, check, compare, export, history, watch
from reportgen.commands import run as run_command
from reportgen.commands.settings import apply_settings
from reportgen.errors import ReportgenError
from reportgen.terminal import Terminal

INTERRUPTED = 130
BROKEN_PIPE = 141  # 128 + SIGPIPE, which Windows does not have

COMMANDS = {
    "run": run_command,
    "build": build,
    "watch": watch,
    "check": check,
    "compare": compare,
    "history": history,
    "export": export,
}

_DESCRIPTION = """\
Turn XLA buffer-assignment dumps into a static site that shows how much memory each module needs, what its
peak consists of, and where every value is placed."""
_EXAMPLE = """\
example:
  reportgen run -- python train.py
or, with dumps that are there already:
  XLA_FLAGS="--xla_dump_to=dumps --xla_dump_hlo_as_text" python train.py
  reportgen build dumps -o site
"""
_EXIT_CODES = """\
exit codes:
  0 success, 1 a problem with input or output (or findings under --strict), 2 usage,
  3 a module needs more than its capacity or budget (check, compare), 130 interrupted,
  141 the program that read the output has closed it;
  run: the exit code of the program unless that is 0, 127 or 126 if it cannot be started"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    parser = argument_parser()
    if sys.stdout is None:  # as after `>&-`
        Terminal().error("stdout: cannot be written: it is closed")
        return 1
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.error(f"a command is needed\n\n{_EXAMPLE}\nreportgen help shows all commands.")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # because a character that the encoding lacks must not end the command
    terminal = Terminal(quiet=getattr(options, "quiet", False), verbose=getattr(options, "verbose", False))
    try:
        apply_settings(options)
        code: int = options.run(options, terminal)
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


def run() -> None:
    """Run the installed command."""
    sys.exit(main())


def argument_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, from which completions and the man page are made as well."""
    parser = argparse.ArgumentParser(
        prog="reportgen",
        description=_DESCRIPTION,
        epilog=f"{_EXAMPLE}\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {reportgen.__version__}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, module in COMMANDS.items():
        purpose = (module.__doc__ or "").strip()
        help_line = purpose.removesuffix(".").replace(purpose[0], purpose[0].lower(), 1)
        command = commands.add_parser(name, help=help_line, description=purpose, allow_abbrev=False)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    commands.add_parser("help", help="show this help").set_defaults(run=lambda *_: parser.parse_args(["--help"]))
    return parser


def _discard_output() -> None:
    """Close stdout for good; Python would fail again when it writes the rest of its buffer at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
