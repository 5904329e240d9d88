"""HTTP for one reader on the same machine: pages, and a stream of events for those that are open.

For development only. It answers on loopback unless told otherwise, to requests that name it as their host: a page of
another site whose name was made to lead here (DNS rebinding) is refused. Nothing is cached. The script that reloads
pages is put into them here, on their way out, and never into the site.
"""

import ipaddress
import json
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from socketserver import TCPServer
from threading import BoundedSemaphore, Thread, current_thread
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import reportgen
from reportgen.errors import ReportgenError
from reportgen.render import routes
from reportgen.render.assets import template_root
from reportgen.serve.site import LiveSite

OWN = "-/"
"""What does not belong to the site stands below this; no page of a site does."""

_OWN_FILES = {"live.js": ("keep.js", "panel.js", "live.js"), "live.css": ("live.css",)}
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
_IDLE_SECONDS = 15.0
_HEARTBEAT_SECONDS = 10.0
_MOST_CONNECTIONS = 400
_FIRST_PORT, _PORTS_TRIED = 8000, 100
_POLICY = b"default-src 'none'; "
_CONNECTING = b"connect-src 'self'; "


class PortTaken(ReportgenError):
    """The port that was asked for is in use."""


class _Handler(BaseHTTPRequestHandler):
    server: "LiveServer"
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    server_version = f"reportgen/{reportgen.__version__}"
    sys_version = ""
    # A page is written in two pieces, and Nagle's algorithm would hold back the second.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Every other method is refused; the base class says that it is unknown."""
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def _refuse_method(self) -> None:
        self.close_connection = True  # a body may follow, which nobody reads
        self._send_text(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are answered.", {"Allow": "GET, HEAD"})

    def _answer(self) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True
        if not self.server.is_own_host(self.headers.get_all("Host", [])):
            self.close_connection = True
            self._send_text(HTTPStatus.FORBIDDEN, "This server answers only to its own name.")
            return
        path, query = _split(self.path)
        if path is None:
            self._send_text(HTTPStatus.BAD_REQUEST, "That is no address of a page.")
        elif path.startswith(OWN):
            self._send_own(path.removeprefix(OWN), query)
        else:
            with self.server.site.request():
                self._send_page(path)

    def _send_page(self, path: str) -> None:
        site = self.server.site
        version = site.version(path)  # before the page: if it changes in between, the page is loaded once more
        content = site.page(path)
        if content is not None:
            is_page = path.endswith(".html")
            self._send(HTTPStatus.OK, _type(path), _with_live(content, path, version) if is_page else content)
        elif site.is_starting():
            self._send_text(HTTPStatus.SERVICE_UNAVAILABLE, "The report is being built.", {"Retry-After": "2"})
        elif path.endswith(".html") and path.startswith("m/"):
            place = site.place(path)
            self._send_text(HTTPStatus.FOUND, place.why, {"Location": f"/{quote(place.path)}?why={quote(place.why)}"})
        else:
            missing = site.page(routes.NOT_FOUND) or b""
            self._send(HTTPStatus.NOT_FOUND, _type(routes.NOT_FOUND), missing)

    def _send_own(self, name: str, query: Mapping[str, str]) -> None:
        if name == "events":
            self._send_events()
        elif name == "news":
            text = json.dumps(self._news(query), ensure_ascii=False, separators=(",", ":"))
            self._send(HTTPStatus.OK, _TYPES[".json"], text.encode("utf-8", "replace"))
        elif name in _OWN_FILES:
            parts = (template_root() / "live" / part for part in _OWN_FILES[name])
            self._send(HTTPStatus.OK, _type(name), b"\n".join(part.read_bytes() for part in parts))
        else:
            self._send_text(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _send_events(self) -> None:
        """A number whenever there is something to ask for; it says no more, so one listener serves all open pages."""
        self.close_connection = True
        self._send_head(HTTPStatus.OK, {"Content-Type": "text/event-stream; charset=utf-8", "Connection": "close"})
        if self.command == "HEAD":
            return
        after = -1
        self.wfile.write(b"retry: 500\n\n")
        while (number := self.server.site.wait(after, _HEARTBEAT_SECONDS)) is not None:
            # A comment finds out whether anybody is still there.
            self.wfile.write(b":\n\n" if number == after else f"data: {number}\n\n".encode())
            after = number

    def _news(self, query: Mapping[str, str]) -> Mapping[str, Any]:
        """For the page at `page`, loaded as `version`; where it has to be only if it has changed since."""
        site, path = self.server.site, query.get("page", "")
        version = site.version(path)
        if site.is_starting():
            return {**site.news(path), "starting": True}
        if version and version == query.get("version"):
            return {**site.news(path), "version": version, "path": path, "why": ""}
        place = site.place(path, query.get("name", ""))
        return {**site.news(path), "version": version, "path": place.path, "why": place.why}

    def _send_text(self, status: HTTPStatus, text: str, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{text}\n".encode("utf-8", "replace"), headers)

    def _send(self, status: HTTPStatus, kind: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        length = {"Content-Type": kind, "Content-Length": str(len(content))}
        self._send_head(status, {**length, **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(content)

    def _send_head(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **headers}.items():
            self.send_header(name, value)
        if self.close_connection and "Connection" not in headers:
            self.send_header("Connection", "close")
        self.end_headers()

    def version_string(self) -> str:
        return self.server_version

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so in the base class
        """Silent: the terminal is for what changed."""


class LiveServer(ThreadingHTTPServer):
    """Serves a `LiveSite` from a thread of its own until it is closed.

    Raises PortTaken when `port` is in use; without one the first free port from 8000 on is taken.
    """

    daemon_threads = True
    block_on_close = False  # those that wait for events are let go by the site
    allow_reuse_port = False
    request_queue_size = 256

    def __init__(self, site: LiveSite, host: str, port: int | None) -> None:
        self.site = site
        self.host = host
        self._room = BoundedSemaphore(_MOST_CONNECTIONS)
        self._open: dict[Thread, socket.socket] = {}
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._bind(host, port)
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True, name="server")

    def _bind(self, host: str, port: int | None) -> None:
        ports = range(_FIRST_PORT, _FIRST_PORT + _PORTS_TRIED) if port is None else [port]
        reason = ""
        for number in ports:
            try:
                super().__init__((host, number), _Handler)
                return
            except OSError as error:
                reason = error.strerror or str(error)
        if port is None:
            raise PortTaken(f"{host}: no port from {ports[0]} to {ports[-1]} can be used: {reason}")
        raise PortTaken(f"{host}:{port}: {reason}. Leave --port out for the next free one.")

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        reachable = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
        return f"http://{reachable}:{self.server_port}/"

    def server_bind(self) -> None:
        """Without asking the network for its full name, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.host, self.server_address[1]

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """No new request is taken, those that wait are let go, and the port is free."""
        self.site.close()
        self.shutdown()
        self._thread.join()
        self.server_close()
        for thread, connection in list(self._open.items()):
            with suppress(OSError):  # closed by the other side
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(_IDLE_SECONDS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Beyond the most connections one is closed at once: more threads would only hold memory."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._room.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        thread = current_thread()
        self._open[thread] = request
        try:
            super().process_request_thread(request, client_address)
        finally:
            del self._open[thread]
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader who went away in the middle is no news; and one request must not fill the terminal."""

    def is_own_host(self, headers: list[str]) -> bool:
        """Whether the `Host` of a request is a name of this server: one, and none that a stranger can point here."""
        if len(headers) != 1:
            return False
        try:
            parts = urlsplit(f"//{headers[0]}")
            host, port = (parts.hostname or "").rstrip("."), parts.port
        except ValueError:
            return False
        if parts.path or parts.query or parts.username is not None or (port or 80) != self.server_port:
            return False
        return host in {"localhost", self.host} or self._is_own_address(host)

    def _is_own_address(self, host: str) -> bool:
        """An address cannot be rebound; with a server that is open to others any of them is its own."""
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return not self._is_loopback() and host == socket.gethostname().lower()
        return address.is_loopback or not self._is_loopback()

    def _is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def _split(target: str) -> tuple[str | None, Mapping[str, str]]:
    """The path of a page from the site's root, and the query; None for what can be no such path."""
    try:
        parts = urlsplit(target)
        path = unquote(parts.path, errors="strict")
        query = {name: values[0] for name, values in parse_qs(parts.query, max_num_fields=10).items()}
    except ValueError:
        return None, {}
    climbs = not {".", ".."}.isdisjoint(path.split("/"))
    if parts.scheme or parts.netloc or not path.startswith("/") or not path.isprintable() or climbs:
        return None, {}
    path = path[1:]
    return (path + routes.OVERVIEW if path == "" or path.endswith("/") else path), query


def _type(path: str) -> str:
    return _TYPES.get(PurePosixPath(path).suffix, "application/octet-stream")


def _with_live(content: bytes, path: str, version: str) -> bytes:
    """The page with the script that reloads it, and a policy that lets the script listen."""
    script = (
        f'<link rel="stylesheet" href="/{OWN}live.css">'
        f'<script defer src="/{OWN}live.js" data-page="{quote(path)}" data-version="{version}"></script>\n</head>'
    )
    return content.replace(_POLICY, _POLICY + _CONNECTING, 1).replace(b"</head>", script.encode(), 1)
