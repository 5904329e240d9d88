"""Build the site, serve it, and update it as the compiler writes dumps."""

import argparse
import signal
import webbrowser
from pathlib import Path

from reportgen.commands.arguments import options_of
from reportgen.errors import UnreadableInput
from reportgen.input.remote import located
from reportgen.live.loop import Watcher
from reportgen.options import WatchOptions
from reportgen.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Watch until Ctrl-C or SIGTERM."""
    # So that SIGTERM raises KeyboardInterrupt as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    watcher = Watcher(
        options_of(
            WatchOptions,
            options,
            paths=tuple(map(_local, options.paths)),
            polls=options.poll,
            serves=not options.no_serve,
        ),
        terminal.line,
    )
    with watcher.running() as server:
        index = (options.output / "index.html").resolve()
        page = options.output / "index.html" if options.redaction else index
        terminal.line(server.url if server else str(page))
        watcher.scan()
        if options.open:
            webbrowser.open(server.url if server else index.as_uri())
        watcher.wait()
        watcher.run()
    return 0


def _local(text: str) -> Path:
    path = located(text)
    if not isinstance(path, Path):
        raise UnreadableInput(f"{path}: dumps at a URL can be built, but not watched")
    return path
