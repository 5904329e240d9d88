"""The wheel is what users get: it must hold what the checkout has, and the chart library that is made for it."""

import re
import tomllib
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from zipfile import ZipFile

import altair
import pytest
from jinja2 import FileSystemLoader, ModuleLoader

import reportgen
from reportgen.errors import BrokenInstallation
from reportgen.one_dump import module_from
from reportgen.render import assets, templates
from reportgen.render.charts import specifications_script
from reportgen.render.module_pages import module_pages
from reportgen.render.page import Page
from reportgen.render.site_pages import fixed_pages
from tests.support.samples import sample_analysis, samples

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def metadata(wheel: Path, names: list[str]) -> Message:
    name = next(name for name in names if name.endswith(".dist-info/METADATA"))
    with ZipFile(wheel) as archive:
        return BytesParser().parsebytes(archive.read(name))


def test_the_wheel_holds_every_module_and_template(names: list[str]) -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("reportgen/**/*.py")}
    templates = {f"reportgen/{path.relative_to(ROOT).as_posix()}" for path in _files(ROOT / "templates")}
    made = {f"reportgen/templates/assets/{name}" for name in assets.MADE_AT_INSTALLATION}
    made |= {f"reportgen/templates/{assets.COMPILED}/{assets.STAMP}"}
    assert modules | templates | made | {"reportgen/py.typed"} <= set(names)
    assert len(names) == len(set(names))


def test_the_wheel_holds_nothing_else(names: list[str]) -> None:
    assert {name.split("/")[0] for name in names} == {"reportgen", names[-1].split("/")[0]}


def test_the_metadata_says_what_the_package_says(metadata: Message) -> None:
    assert metadata["Name"] == "xla-reportgen"
    assert metadata["Version"] == reportgen.__version__
    assert metadata["License-Expression"] == "Apache-2.0"


def test_what_makes_the_charts_is_not_needed_at_run_time(metadata: Message) -> None:
    needed = {re.split(r"[^\w-]", requirement)[0] for requirement in _required(metadata)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert needed == {re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]}
    assert not needed & {"altair", "vl-convert-python"}


def _required(metadata: Message) -> list[str]:
    """Of every installation; the extras need more."""
    return [requirement for requirement in metadata.get_all("Requires-Dist", []) if "extra ==" not in requirement]


def test_the_charts_are_those_that_altair_writes() -> None:
    assert assets.read_asset("chart-specifications.js").decode("utf-8") == specifications_script(), (
        "reportgen/render/charts.py has changed since the installation: run `pip install -e .`"
    )


def test_the_chart_library_is_the_one_that_altair_writes_for() -> None:
    title = assets.read_asset("vega.js").decode("utf-8").splitlines()[0]
    bundled = re.search(r"Vega-Lite (\d+\.\d+)", title)
    expected = re.match(r"v?(\d+\.\d+)", altair.VEGALITE_VERSION)
    assert bundled
    assert expected
    assert bundled[1] == expected[1]


@pytest.mark.parametrize("name", assets.MADE_AT_INSTALLATION)
def test_what_was_made_for_the_wheel_is_what_the_checkout_has(wheel: Path, name: str) -> None:
    with ZipFile(wheel) as archive:
        assert archive.read(f"reportgen/templates/assets/{name}") == assets.read_asset(name)


@pytest.mark.parametrize("name", assets.MADE_AT_INSTALLATION)
def test_what_was_not_made_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setattr(assets, "template_root", lambda: tmp_path)
    with pytest.raises(BrokenInstallation, match=rf"{re.escape(name)} is missing.*Run `pip install"):
        assets.read_asset(name)


def test_the_templates_as_python_are_those_of_the_checkout() -> None:
    assert assets.compiled_templates(), "templates have changed since the installation: run `pip install -e .`"


def test_templates_as_python_of_other_templates_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(templates.made_environment().loader, ModuleLoader)
    monkeypatch.setattr(assets, "stamp", lambda: "of others")
    assert isinstance(templates.made_environment().loader, FileSystemLoader)


def test_templates_give_the_same_pages_compiled_then_and_now(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(assets, "stamp", lambda: "of others")
        now = templates.made_environment()
    pages = _pages()
    monkeypatch.setattr(templates, "environment", lambda: now)
    assert _pages() == pages


def test_the_help_is_the_same_made_then_and_now(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list(fixed_pages("Memory"))
    monkeypatch.setattr(assets, "stamp", lambda: "of others")
    assert list(fixed_pages("Memory")) == made


def _pages() -> list[Page]:
    modules = [module_from(files, sample_analysis(label)) for label, files in samples().items()]
    return [*fixed_pages("Memory"), *(page for module in modules for page in module_pages(module, "Memory"))]


def test_a_missing_asset_says_that_the_installation_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(assets, "template_root", lambda: tmp_path)
    with pytest.raises(BrokenInstallation, match=r"theme\.css is missing"):
        assets.read_asset("theme.css")


def _files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
