"""Provide what browser tests need: a Chromium, a server under a sub-path, and a watch over the page.

The report must open from a disk, from under any path of a web server, and without a network; a page
that only seems to work logs an error or asks another site. `Watch` makes both a failure of the test.

`python -m tests.browser.browser` prints the Chromium that would be used, and fails if there is none.
That must work before anything is installed, so nothing here needs more than the standard library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Request, Response, Route, WebError, WebSocketRoute

SUB_PATH = "/some/sub/path/"

_COMMANDS = (
    # First, because the same engine without windows takes a third of the time for a page.
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_PLAYWRIGHT_HOMES = ("~/.cache/ms-playwright", "~/Library/Caches/ms-playwright", "~/AppData/Local/ms-playwright")
_PLAYWRIGHT_EXECUTABLES = (
    "chromium_headless_shell-*/chrome-*/*headless*shell*",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)


def find_browser() -> str | None:
    """Return the Chromium named by REPORTGEN_CHROMIUM and no other or, if that is not set, the first that starts."""
    named = os.environ.get("REPORTGEN_CHROMIUM")
    candidates = iter([named]) if named else _candidates()
    return next(filter(_starts, candidates), None)


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, _COMMANDS))
    yield from filter(os.path.exists, _APPLICATIONS)
    for home in filter(None, (os.environ.get("PLAYWRIGHT_BROWSERS_PATH"), *_PLAYWRIGHT_HOMES)):
        for executable in _PLAYWRIGHT_EXECUTABLES:
            yield from map(str, sorted(Path(home).expanduser().glob(executable), reverse=True))


def _starts(executable: str) -> bool:
    """Return whether it is a browser; on some systems the command only says how to install one."""
    if sys.platform == "win32":
        return True  # asked for its version, it opens a window there
    try:
        return subprocess.run([executable, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class _UnderSubPath(SimpleHTTPRequestHandler):
    """Serves a directory below `SUB_PATH`; a link that climbs out of it is not found."""

    def translate_path(self, path: str) -> str:
        inside = path.removeprefix(SUB_PATH)
        return super().translate_path("/" + inside if inside != path else "/not-found" + path)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so in the base class
        """Print nothing, because the test's own message says what went wrong."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # Chromium opens many connections at once, and five may wait otherwise


@contextmanager
def served(directory: Path) -> Iterator[str]:
    """Yield the address under which `directory` is served on loopback, ending in `SUB_PATH`."""
    with _Server(("127.0.0.1", 0), partial(_UnderSubPath, directory=str(directory))) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{SUB_PATH}"
        server.shutdown()


class Watch:
    """Listens to all pages of a browser context and keeps the problems they have.

    Only URLs under an allowed root may be requested; all others are refused and recorded.
    """

    def __init__(self, context: BrowserContext) -> None:
        self._roots: list[str] = ["data:", "blob:", "about:"]
        self._problems: list[str] = []
        self.context = context
        context.route("**/*", self._route)
        context.route_web_socket("**/*", self._refuse_socket)
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("requestfailed", self._failed)
        context.on("response", self._response)

    def allow(self, root: Path | str) -> str:
        """Allow requests under `root`, a directory or an address; returns the address, ending in a slash."""
        address = root.resolve().as_uri() if isinstance(root, Path) else root
        address = address.rstrip("/") + "/"
        self._roots.append(address)
        return address

    def take(self) -> list[str]:
        """Return the problems so far, which are then forgotten: for tests that cause some on purpose."""
        for page in self.context.pages:
            page.evaluate("0")  # events are delivered in order, so all that came before the answer are here
        problems, self._problems = self._problems, []
        return problems

    def check(self) -> None:
        problems = self.take()
        assert not problems, "the page has problems:\n" + "\n".join(problems)

    def _allows(self, address: str) -> bool:
        return address.startswith(tuple(self._roots))

    def _route(self, route: Route) -> None:
        if self._allows(route.request.url):
            route.continue_()
        else:
            self._problems.append(f"request that leaves the site: {route.request.url}")
            route.abort()

    def _refuse_socket(self, socket: WebSocketRoute) -> None:
        self._problems.append(f"request that leaves the site: {socket.url}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._problems.append(f"console error: {message.text} ({message.location.get('url')})")

    def _error(self, error: WebError) -> None:
        self._problems.append(f"page error: {error.error}")

    def _failed(self, request: Request) -> None:
        # A page aborts requests itself when it is left, such as an open stream of events.
        if self._allows(request.url) and request.failure != "net::ERR_ABORTED":
            self._problems.append(f"request failed: {request.url} ({request.failure})")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self._problems.append(f"request failed: {response.url} ({response.status})")


if __name__ == "__main__":
    print(find_browser() or sys.exit("no Chromium found"))
