"""`reportgen.report`, with a stand-in for JAX.

Real ones are in `test_real_programs.py`, which need an environment of their own.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

import reportgen
from reportgen.errors import MissingPackage, OutputRefused, UnreadableInput
from reportgen.protos.wire import fields
from tests.support.fake_xla import FUNCTION, SAMPLE
from tests.support.protos import sample_proto

pytestmark = pytest.mark.usefixtures("fake_jax")

STEM = "module_0003.jit_step.cpu_after_optimizations"
REFUSED = "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 32.00G of 15.75G hbm."


def dump(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in SAMPLE.glob("*_after_optimizations*.txt"):
        (folder / (STEM + path.name.partition("_after_optimizations")[2])).write_bytes(path.read_bytes())


class FakeJitted:
    """Compile by writing a sample where the options say; `error` is raised after that."""

    def __init__(self, error: Exception | None = None, *, dumps: bool = True) -> None:
        self.error, self.dumps = error, dumps
        self.arguments: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
        self.__name__ = "step"

    def lower(self, *args: Any, **kwargs: Any) -> "FakeJitted":
        self.arguments = (args, kwargs)
        return self

    def compile(self, compiler_options: dict[str, Any]) -> None:
        assert compiler_options["xla_dump_hlo_as_text"] is True
        if self.dumps:
            dump(Path(compiler_options["xla_dump_to"]))
        if self.error:
            raise self.error


@pytest.fixture
def fake_jax(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Install a `jax` whose `jit` compiles a sample."""
    monkeypatch.chdir(tmp_path)
    jax = ModuleType("jax")
    vars(jax).update(jit=lambda function: FakeJitted())
    monkeypatch.setitem(sys.modules, "jax", jax)


def test_a_function_has_a_report(tmp_path: Path) -> None:
    def step(x: int) -> int:
        return x

    made = reportgen.report(step, 1)
    assert made.page == Path("xla-memory/step/index.html")
    assert (tmp_path / made.page).is_file()
    assert [entry.title for entry in made.modules] == ["jit_step"]
    assert "jit_step: " in str(made)


@pytest.mark.parametrize("show_source", [True, False])
def test_the_report_has_the_functions_of_the_program_unless_they_are_left_out(
    tmp_path: Path, show_source: bool
) -> None:
    own = tmp_path / "train.py"
    own.write_text("SECRET = 1\n" * 8 + FUNCTION, encoding="utf-8")
    for path in SAMPLE.glob("*_after_optimizations*.txt"):
        text = path.read_text(encoding="utf-8").replace("/home/u/corpus/scripts/progs.py", str(own))
        (tmp_path / path.name).write_text(text, encoding="utf-8")

    class Named(FakeJitted):
        def compile(self, compiler_options: dict[str, Any]) -> None:
            for path in tmp_path.glob("*.txt"):
                shutil.copy(path, compiler_options["xla_dump_to"])

    made = reportgen.report(Named(), show_source=show_source)
    pages = list(made.page.parent.rglob("source-*.html"))
    assert len(pages) == show_source
    assert all("def tiny_matmul_gelu(x, w):" in page.read_text() and "SECRET" not in page.read_text() for page in pages)


def test_a_jitted_function_is_lowered_with_its_arguments(tmp_path: Path) -> None:
    step = FakeJitted()
    made = reportgen.report(step, 1, 2, key=3, output=tmp_path / "here")
    assert step.arguments == ((1, 2), {"key": 3})
    assert made.page == tmp_path / "here" / "index.html"


def test_a_program_that_does_not_fit_has_a_report_with_the_compilers_words() -> None:
    made = reportgen.report(FakeJitted(RuntimeError(REFUSED)))
    assert made.error == REFUSED
    assert "The compiler refused this program." in made._repr_html_()


@pytest.mark.parametrize(
    "step", [FakeJitted(ValueError("no such shape")), FakeJitted(RuntimeError(REFUSED), dumps=False)]
)
def test_other_errors_are_raised_as_they_are(step: FakeJitted, tmp_path: Path) -> None:
    with pytest.raises((ValueError, RuntimeError), match=str(step.error)[:10]):
        reportgen.report(step)
    assert list(tmp_path.iterdir()) == []


def test_a_site_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputRefused):
        reportgen.report(FakeJitted(), output=tmp_path)


def test_a_capacity_that_cannot_be_read_is_an_error_before_anything_is_compiled(tmp_path: Path) -> None:
    step = FakeJitted()
    with pytest.raises(ValueError, match="an amount such as 16GiB"):
        reportgen.report(step, capacity="much")
    assert list(tmp_path.iterdir()) == []


def test_without_jax_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingPackage, match="Install JAX here"):
        reportgen.report(len)


def test_the_package_is_light_until_something_is_called() -> None:
    script = "import reportgen, sys; print([name for name in sys.modules if name.startswith('reportgen.')])"
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "[]\n"


def test_other_names_are_no_attributes() -> None:
    assert not hasattr(reportgen, "frobnicate")


class FakeCompiled:
    """A compiled function whose runtime gives what it is told to."""

    def __init__(self, assignment: bytes | None, error: Exception | None = None) -> None:
        self.assignment, self.error = assignment, error

    def memory_analysis(self) -> object:
        return SimpleNamespace(serialized_buffer_assignment_proto=self.assignment)

    def runtime_executable(self) -> object:
        if self.error:
            raise self.error
        module = SimpleNamespace(name="jit_f", as_serialized_hlo_module_proto=lambda: PARTS[1])
        return SimpleNamespace(hlo_modules=lambda: [module], local_devices=lambda: [SimpleNamespace(platform="cpu")])


PARTS = {number: bytes(content) for number, content in fields(sample_proto("cpu-tiny")) if not isinstance(content, int)}


def test_a_compiled_function_has_a_report_without_compiling() -> None:
    made = reportgen.report(cast(Any, FakeCompiled(PARTS[3])))
    assert made.page == Path("xla-memory/jit_f/index.html")
    assert [(entry.title, entry.backend) for entry in made.modules] == [("jit_f", "cpu")]
    assert made.modules[0].peak_resident_bytes == 917_504


@pytest.mark.parametrize(
    ("compiled", "words"),
    [
        (FakeCompiled(None), "does not give XLA's buffer assignment"),
        (FakeCompiled(b""), "does not give XLA's buffer assignment"),
        (FakeCompiled(PARTS[3], RuntimeError("not here")), r"does not give its program \(not here\)"),
    ],
    ids=["old JAX", "empty", "no executable"],
)
def test_a_runtime_that_keeps_its_plan_is_named_with_what_helps(compiled: FakeCompiled, words: str) -> None:
    with pytest.raises(UnreadableInput, match=words) as refused:
        reportgen.report(cast(Any, compiled))
    assert "reportgen run -- COMMAND" in str(refused.value)


def test_a_compiled_function_takes_no_arguments() -> None:
    with pytest.raises(TypeError, match="has its arguments already"):
        reportgen.report(cast(Any, FakeCompiled(PARTS[3])), 1)


def test_a_lowered_function_is_compiled(tmp_path: Path) -> None:
    lowered = SimpleNamespace(compile=FakeJitted().compile, compiler_ir=None)
    made = reportgen.report(cast(Any, lowered), output=tmp_path / "site")
    assert [entry.title for entry in made.modules] == ["jit_step"]
