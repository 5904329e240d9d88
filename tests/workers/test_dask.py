"""Work on a Dask cluster: the same site as without one, and every way in which a cluster fails, in one line."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster

from reportgen import build
from reportgen.cli import main
from reportgen.errors import ClusterFailed, OutputRefused
from reportgen.options import BuildOptions
from reportgen.output.writer import MANIFEST, SiteDirectory
from reportgen.workers.pool import open_workers, unordered
from tests.support.site import SAMPLES, tree

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Start a scheduler with two workers, which are processes of one thread; yield its host:port."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as started:
        yield started.scheduler_address.removeprefix("tcp://")


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """Write four small dumps."""
    for number in range(4):
        shutil.copytree(SAMPLES / "cpu-tiny", tmp_path / "dumps" / f"host-{number}")
    return tmp_path / "dumps"


def test_the_site_is_the_same_as_without_a_cluster(
    cluster: str, dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the workers stay where they were started
    assert main(["build", "dumps", "-o", "there", "--executor", f"dask://{cluster}"]) == 0
    assert main(["build", "dumps", "-o", "here", "--jobs", "1"]) == 0
    assert tree(tmp_path / "there") == tree(tmp_path / "here")


def test_check_prints_the_same(cluster: str, dumps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(dumps), "--executor", f"dask://{cluster}"]) == 0
    there = capsys.readouterr().out
    assert main(["check", str(dumps), "--jobs", "1"]) == 0
    assert there == capsys.readouterr().out


def test_work_is_distributed_over_the_workers(cluster: str) -> None:
    with open_workers(1, cluster) as workers:
        assert workers.number == 2
        assert len(set(unordered(process_id, range(50), workers))) == 2


def process_id(_: int) -> int:
    return os.getpid()


def test_an_unreadable_dump_is_reported_and_the_rest_is_shown(
    cluster: str, dumps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (dumps / "host-0" / "bad-buffer-assignment.txt.gz").write_bytes(b"\1\2\3")
    assert main(["build", str(dumps), "-o", str(tmp_path / "site"), "--executor", f"dask://{cluster}"]) == 1
    printed = capsys.readouterr()
    assert "error: host-0/bad-buffer-assignment.txt.gz: its compressed data is damaged" in printed.err
    assert "4 modules:" in printed.out


def test_a_worker_that_does_not_see_the_output_is_reported(
    cluster: str, dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Elsewhere(SiteDirectory):
        """As if what was written here were on a disk that the workers do not have."""

        def __init__(self, directory: Path, *, force: bool) -> None:
            super().__init__(directory, force=force)
            (directory / MANIFEST).unlink()

    monkeypatch.setattr("reportgen.site.SiteDirectory", Elsewhere)
    options = BuildOptions(paths=(dumps,), output=tmp_path / "site", cluster=cluster)
    with pytest.raises(OutputRefused, match="must share the directory"):
        build.build(options, lambda *_: None)


def test_a_worker_that_cannot_write_is_reported(
    cluster: str, dumps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    assert main(["build", str(dumps), "-o", str(site), "-q"]) == 0
    shutil.rmtree(site / "m")
    (site / "m").touch()
    assert main(["build", str(dumps), "-o", str(site), "--executor", f"dask://{cluster}"]) == 1
    assert re.search(r"reportgen: error: \S+/site/m/.*: cannot be written: ", capsys.readouterr().err)


def test_dead_workers_are_reported(cluster: str) -> None:
    with (
        pytest.raises(ClusterFailed, match=r"^dask://\S+: Workers of the cluster died"),
        open_workers(1, cluster) as workers,
    ):
        list(unordered(os._exit, [3], workers))


def test_a_lost_scheduler_is_reported() -> None:
    started = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    with started, pytest.raises(ClusterFailed, match="connection to the scheduler was lost"):
        work_through_a_loss(started)


def work_through_a_loss(started: LocalCluster) -> None:
    with open_workers(1, started.scheduler_address.removeprefix("tcp://")) as workers:
        results = unordered(first_or_wait, range(3), workers)
        next(results)
        started.close()
        list(results)


def first_or_wait(number: int) -> int:
    return number if number == 0 else threading.Event().wait()


def test_a_cluster_without_workers_is_reported(dumps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with LocalCluster(n_workers=0, dashboard_address=":0") as started:
        address = started.scheduler_address.replace("tcp:", "dask:")
        assert main(["check", str(dumps), "--executor", address]) == 1
    assert capsys.readouterr().err == f"reportgen: error: {address}: the scheduler has no workers.\n"


@pytest.mark.parametrize("is_there", [True, False], ids=["silent", "refusing"])
def test_a_scheduler_that_does_not_answer_is_reported(
    is_there: bool, dumps: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("reportgen.workers.dask._SECONDS_TO_ANSWER", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"dask://127.0.0.1:{silent.getsockname()[1]}"
        if not is_there:
            silent.close()
        assert main(["check", str(dumps), "--executor", address]) == 1
    assert capsys.readouterr().err == f"reportgen: error: {address}: no scheduler answers at this address.\n"


@pytest.mark.parametrize("address", ["", "dask://", "dask://host", "ray://host:1", "host:8786", "dask://:8786"])
def test_an_invalid_address_is_a_usage_error(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["check", "dumps", "--executor", address])
    assert "dask://HOST:PORT is needed" in capsys.readouterr().err


def test_a_missing_package_is_named() -> None:
    program = (
        "import sys; sys.modules['distributed'] = None; from reportgen.cli import main;"
        " sys.exit(main(['check', sys.argv[1], '--executor', 'dask://host:8786']))"
    )
    command = [sys.executable, "-c", program, str(SAMPLES / "cpu-tiny")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.endswith("needs Dask: pip install 'xla-reportgen[dask]'\n")
