"""Build the site, serve it, and update it as the compiler writes dumps."""

import argparse
import signal
from pathlib import Path

from reportgen.commands.arguments import add_contents, add_pages, add_paths, add_site, number_to, report_options
from reportgen.errors import UnreadableInput
from reportgen.input.remote import located
from reportgen.options import DEFAULT_HOST
from reportgen.terminal import Terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `watch`."""
    add_paths(parser)
    add_contents(parser)
    add_site(parser)
    add_pages(parser)
    parser.add_argument("--host", default=DEFAULT_HOST, help="address to serve at (default: %(default)s)")
    parser.add_argument(
        "--port", type=number_to(65535), metavar="N", help="port to serve at (default: 8000, or the next free one)"
    )
    parser.add_argument(
        "--poll", action="store_true", help="poll for changes instead of waiting for events, for network drives"
    )
    parser.add_argument("--no-serve", action="store_true", help="only keep the site on disk up to date")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Watch until Ctrl-C or SIGTERM, which are treated alike."""
    from reportgen.live.loop import Watcher
    from reportgen.options import WatchOptions

    # So that SIGTERM raises KeyboardInterrupt as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    watcher = Watcher(
        WatchOptions(
            **report_options(options),
            paths=tuple(map(_local, options.paths)),
            host=options.host,
            port=options.port,
            polls=options.poll,
            serves=not options.no_serve,
        ),
        terminal.line,
    )
    with watcher.running() as server:
        index = (options.output / "index.html").resolve()
        terminal.line(server.url if server else str(index))
        watcher.scan()
        if options.open:
            import webbrowser  # takes as long to load as a small dump to check

            webbrowser.open(server.url if server else index.as_uri())
        watcher.wait()
        watcher.run()
    return 0


def _local(text: str) -> Path:
    path = located(text)
    if not isinstance(path, Path):
        raise UnreadableInput(f"{path}: dumps at a URL can be built, but not watched")
    return path
