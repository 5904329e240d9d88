"""Run a command transparently: its input, output, signals and exit code are the user's.

The terminal sends Ctrl-C to both the program and us. The program decides what that means; we wait for its end.
"""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from reportgen.errors import CommandNotFound, CommandNotStarted
from reportgen.programs.interpreters import name_on_path

_PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCONT")
_FROM_TERMINAL = ("SIGINT", "SIGQUIT")


def run_command(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run `command` to its end and return its exit code, 128 + n for the signal n, as a shell does.

    Raises CommandNotFound or CommandNotStarted if there is nothing to wait for.
    """
    hint = _hint(command, environment)
    with _signals_passed_on() as started:
        try:
            program = subprocess.Popen(command, env=environment)
        except FileNotFoundError as error:
            raise CommandNotFound(f"{command[0]}: command not found{hint}") from error
        except OSError as error:
            raise CommandNotStarted(f"{command[0]}: cannot be started: {error.strerror or error}{hint}") from error
        started(program)
        code = program.wait()
    return code if code >= 0 else 128 - code


def _hint(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the command to write instead of one that cannot be started; empty if none is known."""
    if command[0].endswith(".py"):
        python = None if shutil.which("python", path=environment.get("PATH")) else name_on_path("python", environment)
        return f"; perhaps: reportgen run -- {python or 'python'} {command[0]}"
    python = name_on_path(command[0], environment)
    return f"; there is {python}: reportgen run -- {shlex.join([python, *command[1:]])}" if python else ""


@contextmanager
def _signals_passed_on() -> "Iterator[_Relay]":
    """Yield a relay for the signals to this process, and restore their handlers at the end."""
    relay = _Relay()
    previous = {}
    for name in (*_PASSED_ON, *_FROM_TERMINAL):
        number = getattr(signal, name, None)  # Windows has few of them
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            # Never SIG_IGN, because the program would inherit that.
            previous[number] = signal.signal(number, relay.receive)
    try:
        yield relay
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


class _Relay:
    """Send each signal to the program, also one that came while the program was being started."""

    def __init__(self) -> None:
        self._program: subprocess.Popen[bytes] | None = None
        self._waiting: list[int] = []

    def __call__(self, program: "subprocess.Popen[bytes]") -> None:
        self._program = program
        for number in self._waiting:
            program.send_signal(number)

    def receive(self, number: int, _frame: FrameType | None) -> None:
        if signal.Signals(number).name in _FROM_TERMINAL and _is_in_foreground():
            return
        if self._program is None:
            self._waiting.append(number)
        else:
            self._program.send_signal(number)


def _is_in_foreground() -> bool:
    """Return whether the terminal sends its signals to us, and so to the program, which is in the same group."""
    if not hasattr(os, "tcgetpgrp"):
        return True
    with suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
        try:
            return os.tcgetpgrp(terminal) == os.getpgrp()
        finally:
            os.close(terminal)
    return False
