"""Provide what tests of all kinds share: a built wheel and sites, goldens, and a check that browser tests ran."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.run import has_npm_packages
from tests.support import hostile
from tests.support.builds import write_builds
from tests.support.commands import Run, runner
from tests.support.goldens import Goldens
from tests.support.guards import PATIENCE, missing
from tests.support.shared import made_once
from tests.support.site import SAMPLES, SEEDS, build_site

ROOT = Path(__file__).parents[1]

# A slow machine fails no test.
settings.register_profile("reportgen", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("reportgen"), max_examples=1_000)
settings.load_profile("reportgen")


# What a shell runs in the background ignores Ctrl-C, and so would every program that the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="rewrite tests/goldens/ with what the tests give now"
    )
    parser.addoption("--kills", type=int, default=5, help="how many builds tests/test_kills.py kills (default: 5)")
    parser.addoption(
        "--world", action="store_true", help="compile the programs of tests/world with the JAX that pip gives today"
    )


@pytest.fixture(scope="session")
def run_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all processes of a run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if _is_worker(request.config) and sys.platform != "win32" else folder


@pytest.fixture(scope="session")
def wheel(run_folder: Path) -> Path:
    """Return the wheel of this checkout, built as an installer builds it."""

    def build(directory: Path) -> None:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(directory), str(ROOT)]
        built = subprocess.run(pip, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout + built.stderr

    return next(made_once(run_folder / "wheel", build).glob("*.whl"))


@pytest.fixture(scope="session")
def samples_site(run_folder: Path) -> Path:
    """Return the site of `samples/`, built once: a test that would change it takes a copy."""
    return made_once(run_folder / "samples", lambda folder: build_site(SAMPLES, folder / "site")) / "site"


@pytest.fixture(scope="session")
def seeds_site(run_folder: Path) -> Path:
    """Return the site of the five seeds, which are not part of the repository."""
    if not SEEDS.is_dir():
        pytest.skip(f"{'/'.join(SEEDS.parts[-3:])} is not beside this checkout")
    return made_once(run_folder / "seeds", lambda folder: build_site(SEEDS, folder / "site")) / "site"


@pytest.fixture(scope="session")
def hostile_site(run_folder: Path) -> Path:
    """Return the site of dumps in which everything is named to do harm."""
    if sys.platform == "win32":
        pytest.skip("Windows has no files of such names")
    name = "the site"
    return made_once(run_folder / "hostile", lambda folder: build_site(hostile.write(folder), folder / name)) / name


@pytest.fixture(scope="session", autouse=True)
def patient() -> Iterator[None]:
    """Let the package wait as long as a slow machine needs, for what it gives up on soon where people use it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in (
            "programs.interpreters._LONGEST_START",
            "workers.dask._SECONDS_TO_ANSWER",
            "live.served._WAITING_SECONDS",
        ):
            patch.setattr(f"reportgen.{name}", PATIENCE)
        yield


@pytest.fixture(scope="session")
def npm() -> None:
    """Need what `python tests/run.py` installs from npm."""
    if not has_npm_packages():
        missing("NPM", "no packages of npm: run `python tests/run.py`, which installs them")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return `run("check", path)`, the command line in the process of the test."""
    return runner(capsys)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty directory."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def two_builds(run: Run, empty_folder: None) -> None:
    """Work in a directory with two builds of a program, `before` and `after`, and the report of the first."""
    write_builds(run)


@pytest.fixture
def goldens(request: pytest.FixtureRequest) -> Goldens:
    """Return the texts of earlier runs; `--update-goldens` rewrites them."""
    return Goldens(is_updating=request.config.getoption("--update-goldens"))


def pytest_configure(config: pytest.Config) -> None:
    # A worker sends its reports to the process that counts.
    if os.environ.get("REPORTGEN_REQUIRE_BROWSER") and not config.option.collectonly and not _is_worker(config):
        config.pluginmanager.register(BrowserTestsMustRun())


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    return OnceScheduling(config, log)


class OnceScheduling(LoadFileScheduling):  # type: ignore[misc]
    """Runs each test once: one that ended its process is not given to the process that takes the place."""

    def remove_node(self, node: WorkerController) -> str | None:
        files: list[dict[str, bool]] = list(self.assigned_work[node].values())
        running = next(((tests, name) for tests in files for name, is_done in tests.items() if not is_done), None)
        if running:
            tests, name = running
            tests[name] = True
        super().remove_node(node)
        return running[1] if running else None


def _is_worker(config: pytest.Config) -> bool:
    """Return whether this is one of several processes of pytest-xdist."""
    return hasattr(config, "workerinput")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that have slow tests, because a slow one at the end keeps one process busy alone."""
    slow = {item.path for item in items if "slow" in item.keywords}
    items.sort(key=lambda item: item.path not in slow)


class BrowserTestsMustRun:
    """Fails a run in which no browser test has passed."""

    def __init__(self) -> None:
        self._passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed += report.when == "call" and report.passed and "browser" in report.keywords

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._passed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._passed:
            terminalreporter.section("no browser test passed", red=True, bold=True)
            terminalreporter.line("REPORTGEN_REQUIRE_BROWSER is set: a run without them is a failure.")
