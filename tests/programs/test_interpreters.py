"""The ways of starting `reportgen run`: each ends with a report of the user's Python, which is not reportgen's own."""

import os
import sys
from pathlib import Path

import pytest

from reportgen.cli import main
from tests.support.commands import Ran, Run
from tests.support.samples import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the interpreters of these tests are shell scripts")

OWN = str(Path(sys.executable).parent)
PROGRAM = """\
import os
from tests.support.fake_xla import compile_module
compile_module("jit_step")
print("python:", os.environ.get("FAKE_PYTHON", "own"))
"""
FAILING = "raise SystemExit(4)\n"
LINE = "which has jax; reportgen’s own Python, first on PATH, has no JAX, TensorFlow or PyTorch/XLA"


def interpreter(folder: Path, framework: str = "", names: tuple[str, ...] = ("python", "python3")) -> str:
    """Make a directory with a Python that has a framework or none, and return it as it is on PATH."""
    folder.mkdir(parents=True)
    for name in names:
        script = folder / name
        script.write_text(
            f"""\
#!/bin/sh
case "$2" in *find_spec*) echo "{framework}"; exit ;; esac
FAKE_PYTHON="{folder.name} {name}" exec "{sys.executable}" "$@"
""",
            encoding="utf-8",
        )
        script.chmod(0o755)
    return str(folder)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return `run(path, "python", "train.py")`: `reportgen run` of a command with these directories on PATH."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "failing.py").write_text(FAILING, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XLA", "JAX", "RANK", "PYTHON"))}

    def run(path: list[str], *command: str) -> Ran:
        variables = {**kept, "PYTHONPATH": str(ROOT), "PATH": os.pathsep.join(path)}
        monkeypatch.setattr(os, "environ", variables)
        return Ran(main(["run", "--jobs", "1", "--", *command]), *capfd.readouterr())

    return run


@pytest.fixture
def framework_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a framework into the environment of reportgen."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "jax.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "packages")


def has_report(ran: Ran, tmp_path: Path) -> bool:
    return ran.code == 0 and any((tmp_path / "xla-memory").glob("*/index.html"))


def test_uvx_puts_its_own_environment_first_and_the_users_python_is_taken(run: Run, tmp_path: Path) -> None:
    user = interpreter(tmp_path / "project", "jax")
    ran = run([OWN, user], "python", "train.py")
    assert has_report(ran, tmp_path)
    assert ran.out == "python: project python\n"
    assert [line for line in ran.err.splitlines() if LINE in line] == [f"python finds {user}/python, {LINE}"]


def test_an_activated_environment_of_reportgen_alone_is_passed_over(run: Run, tmp_path: Path) -> None:
    system = interpreter(tmp_path / "bin")
    conda = interpreter(tmp_path / "conda", "jax")
    ran = run([OWN, system, conda], "python3", "train.py")
    assert has_report(ran, tmp_path)
    assert ran.out == "python: conda python3\n"


def test_pipx_leaves_the_users_python_first_and_nothing_is_said(run: Run, tmp_path: Path) -> None:
    ran = run([interpreter(tmp_path / "project", "jax")], "python", "train.py")
    assert has_report(ran, tmp_path)
    assert ran.out == "python: project python\n"
    assert "first on PATH" not in ran.err


@pytest.mark.usefixtures("framework_of_our_own")
def test_an_environment_with_reportgen_and_a_framework_is_left_alone(run: Run, tmp_path: Path) -> None:
    """So is that of `uv run`, in the user's project or layered on it with `--with`."""
    ran = run([OWN, interpreter(tmp_path / "other", "jax")], "python", "train.py")
    assert has_report(ran, tmp_path)
    assert ran.out == "python: own\n"
    assert "first on PATH" not in ran.err


def test_a_system_with_python3_only_runs_that(run: Run, tmp_path: Path) -> None:
    debian = interpreter(tmp_path / "debian", "jax", names=("python3",))
    ran = run([OWN, debian], "python", "train.py")
    assert has_report(ran, tmp_path)
    assert ran.out == "python: debian python3\n"


def test_where_there_is_no_python_python3_is_offered(run: Run, tmp_path: Path) -> None:
    debian = interpreter(tmp_path / "debian", names=("python3",))
    ran = run([debian], "python", "train.py", "--steps", "a b")
    assert ran.code == 127
    assert "python: command not found; there is python3: reportgen run -- python3 train.py --steps 'a b'" in ran.err
    ran = run([debian], "train.py")
    assert "perhaps: reportgen run -- python3 train.py" in ran.err


def test_a_script_finds_the_users_python_too(run: Run, tmp_path: Path) -> None:
    ran = run([OWN, interpreter(tmp_path / "project", "jax"), "/bin", "/usr/bin"], "sh", "-c", "python train.py")
    assert has_report(ran, tmp_path)
    assert ran.out == "python: project python\n"


def test_where_no_python_has_a_framework_path_is_left_alone(run: Run, tmp_path: Path) -> None:
    ran = run([OWN, interpreter(tmp_path / "bin")], "python", "train.py")
    assert has_report(ran, tmp_path)
    assert ran.out == "python: own\n"
    assert "first on PATH" not in ran.err


def test_a_python_that_is_named_by_its_path_is_taken(run: Run, tmp_path: Path) -> None:
    ran = run([OWN, interpreter(tmp_path / "project", "jax")], f"{OWN}/python", "train.py")
    assert ran.out == "python: own\n"


def test_a_python_that_does_not_start_has_no_framework(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "python").write_text("no program", encoding="utf-8")
    (broken / "python").chmod(0o755)
    ran = run([OWN, str(broken), interpreter(tmp_path / "project", "jax")], "python", "train.py")
    assert ran.out == "python: project python\n"


@pytest.mark.parametrize(
    ("framework", "words"), [("jax", "if it said `Unknown flag in XLA_FLAGS`"), ("", "has no JAX, TensorFlow or")]
)
def test_the_hint_after_a_failure_is_about_the_python_that_ran(
    run: Run, tmp_path: Path, framework: str, words: str
) -> None:
    ran = run([interpreter(tmp_path / "project", framework)], "python", "failing.py")
    assert ran.code == 4
    assert words in ran.err
