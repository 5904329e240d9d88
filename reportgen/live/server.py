"""Serve the site over HTTP to one reader on the same machine, with a stream of events for open pages.

This server is for development. By default it listens on loopback. It answers only requests that name it as
their host (see `hosts`), and forbids caching. The script that reloads pages is inserted as they are sent, so the site
on disk does not contain it.

Each request has its own thread and its own connection (HTTP/1.0): on loopback a connection costs less than a
millisecond, and there are no idle connections to close at the end.
"""

import json
import socket
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from socketserver import TCPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import reportgen
from reportgen.errors import ReportgenError
from reportgen.live.hosts import is_own_host
from reportgen.live.served import Served, version_of
from reportgen.render import routes
from reportgen.render.site.assets import read_template, script

OWN = "-/"
"""The folder of resources that only the server has; the site has no page in it."""

_OWN_FILES = {"live.js": script, "live.css": read_template}
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Cache-Control": "no-store",  # because any page may change with the next build
    # Against other sites in the same browser, because they could read pages, learn their addresses, or frame them.
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
_HEARTBEAT_SECONDS = 10.0  # because the thread of a closed page ends only when it writes
_STREAM = {"Content-Type": "text/event-stream; charset=utf-8"}
_FIRST_PORT, _PORTS_TRIED = 8000, 100
_POLICY = b"default-src 'none'; "
_CONNECTING = b"connect-src 'self'; "


class PortTaken(ReportgenError):
    """The server cannot listen on the port asked for, or on any of those it tries."""


class _RequestHandler(BaseHTTPRequestHandler):
    server: "LiveServer"
    timeout = 15.0  # because a silent client would keep its thread forever
    server_version = f"reportgen/{reportgen.__version__}"
    sys_version = ""  # because no client needs the version of Python

    def do_GET(self) -> None:
        if not is_own_host(self.headers.get_all("Host", []), self.server.host, self.server.server_port):
            self._send_text(HTTPStatus.FORBIDDEN, "This server answers only to its own name.")
            return
        path, query = _split(self.path)
        if path is None:
            self._send_text(HTTPStatus.BAD_REQUEST, "This is not the address of a page.")
        elif path.startswith(OWN):
            self._send_own(path.removeprefix(OWN), query)
        else:
            self._send_page(path)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _send_page(self, path: str) -> None:
        """Send the page at `path`, or lead from one that is gone to the nearest one there is."""
        site = self.server.site
        content = site.page(path)
        if content is not None:
            self._send(HTTPStatus.OK, path, _with_script(content, path) if _is_html(path) else content)
        elif site.is_starting():
            self._send_text(HTTPStatus.SERVICE_UNAVAILABLE, "The report is being built.", {"Retry-After": "2"})
        elif _is_html(path) and routes.module_folder(path):
            nearest = site.nearest(path)
            location = f"/{quote(nearest.path)}?why={quote(nearest.why)}"
            self._send_text(HTTPStatus.FOUND, nearest.why, {"Location": location})
        else:
            self._send(HTTPStatus.NOT_FOUND, routes.NOT_FOUND, site.page(routes.NOT_FOUND) or b"")

    def _send_own(self, name: str, query: Mapping[str, str]) -> None:
        if name == "events":
            self._send_events()
        elif name == "changes":
            text = json.dumps(self._changes(query), ensure_ascii=False, separators=(",", ":"))
            self._send(HTTPStatus.OK, "changes.json", text.encode("utf-8", "replace"))
        elif name in _OWN_FILES:
            self._send(HTTPStatus.OK, name, _OWN_FILES[name](f"live/{name}"))
        else:
            self._send_text(HTTPStatus.NOT_FOUND, "This address does not exist.")

    def _send_events(self) -> None:
        """Send a number whenever pages should ask for changes; without details, so one stream serves all pages."""
        if self.command == "HEAD":
            self._send_head(HTTPStatus.OK, _STREAM)
        else:
            self._stream_events()

    def _stream_events(self) -> None:
        self._send_head(HTTPStatus.OK, _STREAM)
        last = -1
        self.wfile.write(b"retry: 500\n\n")  # milliseconds, because browsers wait for seconds by default
        while (number := self.server.site.wait(last, _HEARTBEAT_SECONDS)) is not None:
            # The heartbeat is a comment, which pages ignore; only writing reveals that the client has gone.
            self.wfile.write(b":\n\n" if number == last else f"data: {number}\n\n".encode())
            last = number

    def _changes(self, query: Mapping[str, str]) -> Mapping[str, Any]:
        """Return what the page at `page`, loaded as `version`, must show, and the path that replaces it."""
        site, path = self.server.site, query.get("page", "")
        version = site.version(path)
        if site.is_starting():
            return {**site.changes(path), "starting": True}
        if version and version == query.get("version"):
            return {**site.changes(path), "version": version, "path": path, "why": ""}
        nearest = site.nearest(path, query.get("name", ""))
        replacement = {"version": version, "path": nearest.path, "why": nearest.why, "place": nearest.place}
        return {**site.changes(path), **replacement}

    def _send_text(self, status: HTTPStatus, text: str, headers: Mapping[str, str] | None = None) -> None:
        plain = {"Content-Type": "text/plain; charset=utf-8", **(headers or {})}
        self._send(status, "", f"{text}\n".encode("utf-8", "replace"), plain)

    def _send(self, status: HTTPStatus, name: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send `content`, whose type follows from `name` unless `headers` say otherwise."""
        kind = _TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
        self._send_head(status, {"Content-Type": kind, "Content-Length": str(len(content)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(content)

    def _send_head(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so in the base class
        """Discard the log of requests, because the terminal is for what changed."""


class LiveServer(ThreadingHTTPServer):
    """Serve a `Served` site from its own thread until it is closed.

    Without `port`, take the first free one from 8000. Raises PortTaken if the port is in use.
    """

    daemon_threads = True
    block_on_close = False  # because a silent client must not delay the end; the site ends waiting streams
    allow_reuse_port = False  # because a port that another server listens on must count as taken
    request_queue_size = 64  # because a browser with many tabs opens more than the five of the base class at once

    def __init__(self, site: Served, host: str, port: int | None) -> None:
        self.site = site
        self.host = host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listen(port)
        # A short interval, because Ctrl-C waits for up to one before the server ends.
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True, name="server")

    def _listen(self, port: int | None) -> None:
        """Bind the port, or the first free one if it is None. Raises PortTaken."""
        ports = range(_FIRST_PORT, _FIRST_PORT + _PORTS_TRIED) if port is None else [port]
        reason = ""
        for number in ports:
            try:
                super().__init__((self.host, number), _RequestHandler)
                return
            except OSError as error:
                reason = error.strerror or str(error)
        if port is None:
            raise PortTaken(f"{self.host}: no port from {ports[0]} to {ports[-1]} can be used: {reason}")
        raise PortTaken(f"{self.host}:{port}: {reason}. Omit --port to use the next free one.")

    @property
    def url(self) -> str:
        """Return the address to open in a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        # A server listens on 0.0.0.0 or [::] for all addresses, but no browser can open these everywhere.
        reachable = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
        return f"http://{reachable}:{self.server_port}/"

    def server_bind(self) -> None:
        """Bind without looking up the machine's full name as HTTPServer does, because that can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.host, self.server_address[1]

    def start(self) -> None:
        """Start answering requests."""
        self._thread.start()

    def close(self) -> None:
        """Stop answering and free the port. Streams of events end; other requests finish on their own."""
        self.site.close()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect during a response, because the terminal is for what changed."""


def _is_html(path: str) -> bool:
    return path.endswith(".html")


def _split(target: str) -> tuple[str | None, Mapping[str, str]]:
    """Return the path of a page from the site's root, and the query; None if the target has no such path."""
    try:
        parts = urlsplit(target)
        path = unquote(parts.path, errors="strict")
        query = {name: values[0] for name, values in parse_qs(parts.query, max_num_fields=10).items()}
    except ValueError:
        return None, {}
    climbs = not {".", ".."}.isdisjoint(path.split("/"))
    # Control characters are refused, because a path also goes into the `Location` header.
    if parts.scheme or parts.netloc or not path.startswith("/") or not path.isprintable() or climbs:
        return None, {}
    path = path[1:]
    return (path + routes.OVERVIEW if path == "" or path.endswith("/") else path), query


def _with_script(content: bytes, path: str) -> bytes:
    """Add the script that keeps a page up to date, and let the page's policy allow it to connect."""
    about = f'data-page="{quote(path)}" data-version="{version_of(content)}"'
    script = (
        f'<link rel="stylesheet" href="/{OWN}live.css"><script defer src="/{OWN}live.js" {about}></script>\n</head>'
    )
    return content.replace(_POLICY, _POLICY + _CONNECTING, 1).replace(b"</head>", script.encode(), 1)
