"""The wheel is what users get: it must hold what the checkout has, and the chart library that is made for it."""

import re
import shutil
import subprocess
import tomllib
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from zipfile import ZipFile

import altair
import pytest

import reportgen
from reportgen.cli import COMMANDS
from reportgen.errors import BrokenInstallation
from reportgen.render.drawings.charts import FONT, specifications_script
from reportgen.render.site import assets

pytestmark = pytest.mark.slow

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
    assert modules | templates | made | {"reportgen/py.typed"} <= set(names)
    assert len(names) == len(set(names))


def test_the_wheel_holds_nothing_else(names: list[str]) -> None:
    release = f"xla_reportgen-{reportgen.__version__}"
    assert {name.split("/")[0] for name in names} == {"reportgen", f"{release}.data", f"{release}.dist-info"}


@pytest.fixture(scope="module")
def shared(wheel: Path) -> dict[str, str]:
    """Return what the wheel puts into the `share` of an environment."""
    with ZipFile(wheel) as archive:
        parts = {name.partition(".data/data/share/")[2]: name for name in archive.namelist()}
        return {place: archive.read(name).decode("utf-8") for place, name in parts.items() if place}


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["reportgen", "wa"], ["watch"]),
        (["reportgen", "build", "--source-u"], ["--source-url"]),
        (["reportgen", "check", "hatch_b"], ["hatch_build.py"]),
        (["reportgen", "build", "--output", "sampl"], ["samples"]),
    ],
)
def test_bash_completes_commands_options_and_paths(
    shared: dict[str, str], words: list[str], expected: list[str]
) -> None:
    typed = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _shtab_reportgen"
    script = f"{shared['bash-completion/completions/reportgen']}\n{typed}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    ran = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == expected, ran.stderr


@pytest.mark.parametrize("place", ["zsh/site-functions/_reportgen", "fish/vendor_completions.d/reportgen.fish"])
def test_other_shells_know_every_command(shared: dict[str, str], place: str) -> None:
    assert [command for command in COMMANDS if command not in shared[place]] == []


def test_uvx_finds_a_command_of_the_name_of_the_distribution(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        commands = archive.read(name).decode("utf-8").splitlines()
    assert "xla-reportgen = reportgen.__main__:run" in commands


def test_the_metadata_says_what_the_package_says(metadata: Message) -> None:
    assert metadata["Name"] == "xla-reportgen"
    assert metadata["Version"] == reportgen.__version__
    assert metadata["License-Expression"] == "Apache-2.0 AND BSD-3-Clause AND ISC AND MIT"  # with those of vega.js


def test_what_makes_the_charts_is_not_needed_at_run_time(metadata: Message) -> None:
    needed = {re.split(r"[^\w-]", requirement)[0] for requirement in _required(metadata)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert needed == {re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]}
    assert not needed & {"altair", "vl-convert-python"}


def _required(metadata: Message) -> list[str]:
    """Return what every installation needs; the extras need more."""
    return [requirement for requirement in metadata.get_all("Requires-Dist", []) if "extra ==" not in requirement]


def test_the_charts_are_those_that_altair_writes() -> None:
    assert assets.read_asset("chart-specifications.js").decode("utf-8") == specifications_script(), (
        "reportgen/render/drawings/charts.py has changed since the installation: run `pip install -e .`"
    )


def test_charts_have_the_typeface_of_the_pages() -> None:
    assert f"--sans: {FONT};" in assets.read_asset("theme.css").decode("utf-8")


def test_the_chart_library_is_the_one_that_altair_writes_for() -> None:
    title = assets.read_asset("vega.js").decode("utf-8").splitlines()[0]
    bundled = re.search(r"Vega-Lite (\d+\.\d+)", title)
    expected = re.match(r"v?(\d+\.\d+)", altair.VEGALITE_VERSION)
    assert bundled
    assert expected
    assert bundled[1] == expected[1]


def test_a_changed_script_is_in_the_next_site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "templates" / "scripts", tmp_path / "scripts")
    before = assets.read_asset("site.js")
    monkeypatch.setattr(assets, "template_root", lambda: tmp_path)
    assert assets.read_asset("site.js") == before
    with (tmp_path / "scripts" / "keys.js").open("a", encoding="utf-8") as file:
        file.write("// changed\n")
    assert assets.read_asset("site.js").count(b"// changed") == 1


@pytest.mark.parametrize("name", [*assets.SCRIPTS, "live/live.js"])
def test_scripts_set_no_globals_but_the_one_that_data_files_call(name: str) -> None:
    text = assets.script(assets.SCRIPTS.get(name, name)).decode("utf-8")
    assert re.findall(r"(?:window|globalThis|self)\.(\w+) = ", text) == []
    assert text.count("Object.assign(window, ") == (name == "site.js")


@pytest.mark.parametrize("name", assets.MADE_AT_INSTALLATION)
def test_what_was_made_for_the_wheel_is_what_the_checkout_has(wheel: Path, name: str) -> None:
    with ZipFile(wheel) as archive:
        assert archive.read(f"reportgen/templates/assets/{name}") == assets.read_asset(name)


@pytest.mark.parametrize("name", assets.MADE_AT_INSTALLATION)
def test_what_was_not_made_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setattr(assets, "template_root", lambda: tmp_path)
    with pytest.raises(BrokenInstallation, match=rf"{re.escape(name)} is missing.*Run `pip install"):
        assets.read_asset(name)


def test_a_missing_asset_says_that_the_installation_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(assets, "template_root", lambda: tmp_path)
    with pytest.raises(BrokenInstallation, match=r"theme\.css is missing"):
        assets.read_asset("theme.css")


def _files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
