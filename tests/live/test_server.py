"""The development server sends pages of the site and nothing else, and only to requests that name it as host."""

import http.client
import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread
from threading import enumerate as threads
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.live.changes import BuildChange
from reportgen.live.served import Published, Served
from reportgen.live.server import LiveServer, PortTaken
from reportgen.live.tracked import ShownBuild
from reportgen.work import Outcome, Part
from tests.support.gate_records import gate_module_of
from tests.support.watching import free_port

POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'"
PAGE = f'<html><head><meta http-equiv="Content-Security-Policy" content="{POLICY}"></head><body>overview</body></html>'
COMMON = {"index.html": PAGE.encode(), "404.html": b"<head></head>gone", "assets/site.js": b"1;", "report.json": b"{}"}
FOLDER = "m/step-0a1b2c3d/"
ON_DISK = ("index.html", "explore.html", "data/values.js")
EXPLORE = f"{FOLDER}explore.html"
COMPARED = "compare/step-0a1b2c3d/index.html"


class Shown(ShownBuild):
    """A module whose values are known without a dump."""

    values: ClassVar = {"a": f"{EXPLORE}#v3", "t{1}": f"{EXPLORE}#v7"}

    def place_of(self, name: str) -> str | None:
        return self.values.get(name)


def published(version: str = "1", number: int = 0) -> Published:
    figures = gate_module_of(path="step.txt", name="step", backend="cpu")
    module = Shown(
        key=version,
        label="step.txt",
        title="step",
        outcome=Outcome(label="step.txt", summary=None, part=Part(version, tuple(FOLDER + name for name in ON_DISK))),
        number=1,
        time="12:00:00",
        figures=figures,
        change=BuildChange(headline="new"),
    )
    return Published(
        common=frozenset(COMMON),
        compared={COMPARED: b"<head></head>compared"},
        modules={FOLDER: module},
        successors={"m/old-00000000/": FOLDER},
        changes=lambda path: {"build": number},
        is_starting=False,
    )


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site's directory, with a file in it and one beside it that are not pages of the site."""
    output = tmp_path_factory.mktemp("served") / "site"
    on_disk = {FOLDER + name: b"<head></head>" for name in ON_DISK} | COMMON
    for name, content in on_disk.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_bytes(content)
    (output / FOLDER / "secret.html").write_text("secret", encoding="utf-8")
    (output.parent / "secret.html").write_text("secret", encoding="utf-8")
    return output


@pytest.fixture(scope="module")
def server(output: Path) -> Iterator[LiveServer]:
    server = LiveServer(Served(output), "127.0.0.1", None)
    server.site.publish(published())
    server.start()
    yield server
    server.close()
    wait_for_handlers()


def handlers() -> list[Thread]:
    """Return the threads that answer requests."""
    return [thread for thread in threads() if "process_request_thread" in thread.name]


def wait_for_handlers(but: Sequence[Thread] = ()) -> None:
    for thread in handlers():
        if thread not in but:
            thread.join()


def asked(server: LiveServer, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port)) as connection:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer, answer.read()


def raw(server: LiveServer, text: bytes) -> bytes:
    """Send bytes and return everything that comes back."""
    with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        while piece := connection.recv(65536):
            received += piece
        return received


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/assets/site.js", "text/javascript; charset=utf-8"),
        ("/report.json", "application/json; charset=utf-8"),
        (f"/{FOLDER}", "text/html; charset=utf-8"),
        ("/-/live.css", "text/css; charset=utf-8"),
    ],
)
def test_a_page_has_its_type_and_is_not_cached(server: LiveServer, path: str, kind: str) -> None:
    answer, content = asked(server, path)
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert content


def test_only_sent_pages_have_the_script(server: LiveServer, output: Path) -> None:
    """The script, and the permission to connect that it needs, are added to pages as they are sent."""
    page = asked(server, "/index.html")[1].decode()
    assert "connect-src 'self'" in page
    assert '<script defer src="/-/live.js" data-page="index.html" data-version="' in page
    assert asked(server, "/assets/site.js")[1] == COMMON["assets/site.js"]
    assert "live" not in (output / FOLDER / "index.html").read_text(encoding="utf-8")


def test_a_comparison_is_sent_that_is_not_on_the_disk(server: LiveServer, output: Path) -> None:
    page = asked(server, f"/{COMPARED}")[1].decode()
    assert "compared" in page
    assert f'data-page="{COMPARED}"' in page
    assert not (output / COMPARED).exists()


def test_head_is_get_without_the_content(server: LiveServer) -> None:
    whole, content = asked(server, "/")
    head, nothing = asked(server, "/", "HEAD")
    assert head.headers["Content-Length"] == whole.headers["Content-Length"] == str(len(content))
    assert nothing == b""


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.html",
        "/%2e%2e/secret.html",
        "/..%2fsecret.html",
        "/..%5csecret.html",
        f"/{FOLDER}../../../secret.html",
        f"/{FOLDER}secret.html.",
        "//etc/passwd",
        "/etc/passwd",
        "/m/../../secret.html",
        "/assets/%00",
        "/%ff",
        "/index.html%0d%0aX-Evil:%201",
        "/.reportgen.json",
        "/-/../index.html",
        "/-/keep.js",
        "http://evil.example/",
        "/[",
    ],
)
def test_nothing_outside_the_site_is_sent(server: LiveServer, path: str) -> None:
    answer, content = asked(server, path)
    assert answer.status in {400, 403, 404}
    assert b"secret" not in content
    assert b"root:" not in content
    assert "X-Evil" not in answer.headers


def test_a_foreign_file_in_the_sites_directory_is_not_sent(server: LiveServer) -> None:
    answer, content = asked(server, f"/{FOLDER}secret.html")
    assert answer.status == 302
    assert b"secret" not in content


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60))
def test_every_request_is_answered(server: LiveServer, path: str) -> None:
    lines = raw(server, f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode())
    assert lines.split(b" ")[1] in {b"200", b"302", b"400", b"404"}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "10.0.0.1:{port}", "", "[", "user@localhost:{port}"]
)
def test_a_request_for_another_host_is_refused(server: LiveServer, host: str) -> None:
    answer, content = asked(server, "/", Host=host.format(port=server.server_port))
    assert answer.status == 403
    assert b"overview" not in content


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}", "127.0.0.2:{port}"]
)
def test_a_request_for_one_of_its_own_names_is_answered(server: LiveServer, host: str) -> None:
    assert asked(server, "/", Host=host.format(port=server.server_port))[0].status == 200


def test_a_request_with_no_host_or_two_is_refused(server: LiveServer) -> None:
    own = f"Host: 127.0.0.1:{server.server_port}\r\n".encode()
    assert b" 403 " in raw(server, b"GET / HTTP/1.1\r\n\r\n")
    assert b" 403 " in raw(server, b"GET / HTTP/1.1\r\n" + own + own + b"\r\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "NONSENSE"])
def test_other_methods_are_refused(server: LiveServer, method: str) -> None:
    answer, content = asked(server, "/", method)
    assert answer.status == 501
    assert b"overview" not in content


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET " + b"/a" * 40_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"\xff\xfe\x00" * 100 + b"\r\n\r\n",
    ],
    ids=["nothing", "blank", "tls", "long path", "version", "headers", "long header", "body", "bytes"],
)
def test_malformed_requests_do_no_harm(server: LiveServer, text: bytes) -> None:
    try:
        answer = raw(server, text)
    except OSError:  # closed while it was still being sent to
        answer = b""
    assert b"overview" not in answer
    assert asked(server, "/")[0].status == 200


def test_two_hundred_open_connections_do_no_harm(server: LiveServer) -> None:
    """Half of them wait for events, the others send nothing."""
    with ExitStack() as open_ones:
        for number in range(200):
            connection = socket.create_connection(("127.0.0.1", server.server_port))
            open_ones.enter_context(connection)
            if number % 2:
                connection.sendall(f"GET /-/events HTTP/1.1\r\nHost: localhost:{server.server_port}\r\n\r\n".encode())
                assert b" 200 " in connection.recv(65536)
        assert asked(server, "/")[0].status == 200
        server.site.publish(published("2"))
        assert asked(server, "/")[0].status == 200
    assert asked(server, "/")[0].status == 200


def test_publishing_sends_an_event(server: LiveServer) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port)) as connection:
        connection.request("GET", "/-/events")
        answer = connection.getresponse()
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.readline() == b"retry: 500\n"
        assert answer.readline() == b"\n"
        first = answer.readline()
        answer.readline()
        server.site.publish(published("3"))
        second = answer.readline()
    assert int(second.removeprefix(b"data: ")) == int(first.removeprefix(b"data: ")) + 1


def changes(server: LiveServer, page: str, version: str = "", name: str = "") -> dict[str, str]:
    found: dict[str, str] = json.loads(asked(server, f"/-/changes?page={page}&version={version}&name={name}")[1])
    return found


@pytest.mark.parametrize(
    ("page", "name", "place", "why"),
    [
        (f"{FOLDER}index.html", "", f"{FOLDER}index.html", ""),
        (EXPLORE, "a", EXPLORE, ""),
        (EXPLORE, "b", f"{FOLDER}index.html", "b is gone"),
        (f"{FOLDER}source-3.html", "", f"{FOLDER}index.html", "that page is gone"),
        ("m/old-00000000/explore.html", "", EXPLORE, ""),
        ("m/gone-00000000/index.html", "", "index.html", "that module is gone"),
        ("modules.page-2.html", "", "index.html", "that page is gone"),
    ],
)
def test_a_page_that_is_gone_leads_to_the_nearest_one(
    server: LiveServer, page: str, name: str, place: str, why: str
) -> None:
    found = changes(server, page, name=name)
    assert (found["path"], found["why"]) == (place, why)


def test_a_value_is_followed_by_its_name(server: LiveServer) -> None:
    assert changes(server, EXPLORE, name="t%7B1%7D")["place"] == "v7"


def test_an_unchanged_page_stays(server: LiveServer) -> None:
    version = changes(server, EXPLORE)["version"]
    assert changes(server, EXPLORE, version, "b")["path"] == EXPLORE


def test_a_link_to_a_page_that_is_gone_is_redirected(server: LiveServer) -> None:
    answer, _ = asked(server, f"/{FOLDER}source-9.html")
    assert answer.status == 302
    assert answer.headers["Location"] == f"/{FOLDER}index.html?why=that%20page%20is%20gone"


def test_a_request_waits_for_its_page_while_the_site_is_starting(output: Path) -> None:
    site = Served(output)
    found: list[bytes | None] = []
    asking = Thread(target=lambda: found.append(site.page("index.html")))
    asking.start()
    site.publish(published())
    asking.join()
    assert found == [COMMON["index.html"]]


def test_a_port_in_use_is_an_error_only_if_it_was_asked_for(server: LiveServer, output: Path) -> None:
    with pytest.raises(PortTaken, match=f"127.0.0.1:{server.server_port}: .*Omit --port"):
        LiveServer(Served(output), "127.0.0.1", server.server_port)
    other = LiveServer(Served(output), "127.0.0.1", None)
    other.start()
    assert other.server_port != server.server_port
    other.close()


def test_a_closed_server_leaves_no_thread_and_frees_its_port(output: Path) -> None:
    port = free_port()
    before = handlers()
    server = LiveServer(Served(output), "127.0.0.1", port)
    server.site.publish(published())
    server.start()
    with socket.create_connection(("127.0.0.1", port)) as waiting:
        waiting.sendall(f"GET /-/events HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
        assert b" 200 " in waiting.recv(65536)
        server.close()
    wait_for_handlers(before)
    LiveServer(Served(output), "127.0.0.1", port).server_close()
