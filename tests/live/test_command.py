"""`reportgen watch` as a user runs it: what it prints, and that it ends at once and cleanly."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.output.writer import UNFINISHED
from tests.support.compiler import compiled, write
from tests.support.site import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    write(tmp_path / "dumps" / "a", compiled(1024))
    return tmp_path / "dumps"


@contextmanager
def command(*arguments: str | Path) -> Iterator["subprocess.Popen[str]"]:
    whole = [sys.executable, "-u", "-m", "reportgen", "watch", *map(str, arguments)]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def until(process: "subprocess.Popen[str]", words: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(process.stderr and process.stderr.read())


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("arguments", [(), ("--poll",), ("--no-serve",)], ids=" ".join)
def test_an_interrupt_ends_it_at_once(
    number: signal.Signals, arguments: tuple[str, ...], dumps: Path, tmp_path: Path
) -> None:
    """A page that listens for events does not delay the end."""
    with ExitStack() as stack:
        process = stack.enter_context(command(dumps, "-o", tmp_path / "site", *arguments))
        place = process.stdout and process.stdout.readline().strip()
        assert place
        until(process, "build 1")
        if place.startswith("http"):
            address = (place.split("/")[2].split(":")[0], int(place.rsplit(":", 1)[1].strip("/")))
            listening = stack.enter_context(socket.create_connection(address))
            listening.sendall(f"GET /-/events HTTP/1.1\r\nHost: localhost:{address[1]}\r\n\r\n".encode())
            assert b" 200 " in listening.recv(65536)
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "reportgen: error: interrupted\n"
    # The list of pages about to be written may stay, because the next build needs it; half-written pages may not.
    assert {path.name for path in (tmp_path / "site").rglob("*.unfinished")} <= {UNFINISHED}


def test_without_a_server_the_site_on_disk_is_kept_up_to_date(dumps: Path, tmp_path: Path) -> None:
    with command(dumps, "-o", tmp_path / "site", "--no-serve") as process:
        until(process, "jit_step: new, peak resident 5.00 KiB")
        write(dumps / "a", compiled(2048))
        until(process, "jit_step: +4.00 KiB (+80.0 %) in memory")
        until(process, "1 temporary buffer is of another shape, type or padding (+4.00 KiB), mainly big")


def test_without_a_port_the_next_free_one_is_taken(dumps: Path, tmp_path: Path) -> None:
    with (
        command(dumps, "-o", tmp_path / "one") as first,
        command(dumps, "-o", tmp_path / "two") as second,
    ):
        urls = [until(process, "http://127.0.0.1:").strip() for process in (first, second)]
        assert urls[0] != urls[1]
        for url in urls:
            with closing(HTTPConnection(url.split("/")[2])) as connection:
                connection.request("GET", "/report.json")
                assert connection.getresponse().status == 200


def test_a_port_in_use_is_an_error_if_it_was_asked_for(
    dumps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["watch", str(dumps), "-o", str(tmp_path / "site"), "--port", str(port)]) == 1
    assert f"127.0.0.1:{port}: " in capsys.readouterr().err


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1", "٣"])
def test_a_port_must_be_a_number(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["watch", "dumps", f"--port={port}"])
    assert ended.value.code == 2
    assert "a number from 1 to 65535" in capsys.readouterr().err


def test_the_site_cannot_be_written_into_the_directory_of_the_dumps(
    dumps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", str(dumps), "-o", str(dumps)]) == 1
    assert "Choose another one with -o" in capsys.readouterr().err


def test_a_foreign_directory_is_refused(dumps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.txt").write_text("mine", encoding="utf-8")
    assert main(["watch", str(dumps), "-o", str(tmp_path / "site"), "--no-serve"]) == 1
    assert "not made by reportgen" in capsys.readouterr().err
