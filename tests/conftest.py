"""Provide what tests of all kinds share: a built wheel and site, goldens, and a check that browser tests ran."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import hostile
from tests.support.goldens import Goldens
from tests.support.site import SAMPLES, build_site

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


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of this checkout, built as an installer builds it."""
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(directory), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(directory.glob("*.whl"))


@pytest.fixture(scope="session")
def samples_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of `samples/`, built once: a test that would change it takes a copy."""
    return build_site(SAMPLES, tmp_path_factory.mktemp("samples") / "site")


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of dumps in which everything is named to do harm."""
    if sys.platform == "win32":
        pytest.skip("Windows has no files of such names")
    directory = tmp_path_factory.mktemp("hostile")
    return build_site(hostile.write(directory), directory / "the site")


@pytest.fixture
def goldens(request: pytest.FixtureRequest) -> Goldens:
    """Return the texts of earlier runs; `--update-goldens` rewrites them."""
    return Goldens(is_updating=request.config.getoption("--update-goldens"))


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")  # of pytest-xdist, which sends its reports to the process that counts
    if os.environ.get("REPORTGEN_REQUIRE_BROWSER") and not config.option.collectonly and not is_worker:
        config.pluginmanager.register(BrowserTestsMustRun())


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
