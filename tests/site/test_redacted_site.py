"""A redacted site shows no path, person or machine of its dumps, and no name if so requested; figures stay."""

import json
import re
import shutil
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

import pytest

from reportgen.advice.withheld import NAMES_REDACTED
from reportgen.build import build
from reportgen.input.reading import read_available
from reportgen.options import BuildOptions, Redaction
from reportgen.parse.instruction_parser import parse_instruction
from tests.support.samples import SAMPLE_FOLDERS
from tests.support.site import SAMPLES, SEEDS, tree

pytestmark = pytest.mark.slow

# Written without a look at how paths are hidden: whatever is quoted and has slashes around a word.
_PATHS = re.compile(r"(?<![\w)\]}>])(?:[A-Za-z]:|~\w*)?(?:/[\w.@+-]+){2,}|[\w./-]+\.(?:py|cc|ipynb)\b")
_SOURCE = re.compile(r'source_file="([^"]+)"')
_PERSON = re.compile(r"\w[\w.]*@[a-z]\w*[\w.]*")
_USER = re.compile(r"/(?:home|Users)/([\w.-]{3,})/")
_OF_PROGRAMS = re.compile("layer|attn|mlp|emb|odd|tiny|train|control_flow")
_OP_NAME = re.compile(r'op_name="((?:[^"\\]|\\.)+)"')


def dumps(samples: Path = SAMPLES) -> list[Path]:
    seeds = [path for number in ("001", "003") for path in SEEDS.glob(f"{number}_*.txt")]
    return [samples, *seeds]


def raw_text() -> str:
    paths = [file for path in dumps() for file in (path.rglob("*.txt*") if path.is_dir() else [path])]
    return "\n".join(read_available(path)[0].decode() for path in paths)


def secrets() -> set[str]:
    text = raw_text()
    found = {secret for pattern in (_PATHS, _SOURCE, _PERSON, _USER) for secret in pattern.findall(text)}
    return found | set(SAMPLE_FOLDERS)


def op_names() -> set[str]:
    """Return the names that cannot be anything else, and that say more than JAX does: `jit(step)/layer_1/add`."""
    metadata = [f"%a = f32[] b(), metadata={{{found[0]}}}" for found in _OP_NAME.finditer(raw_text())]
    names = {parse_instruction(text).op_name or "" for text in metadata}
    found = {name for name in names if re.search(r"[/(\[ ]", name) and _OF_PROGRAMS.search(name)}
    return found - {"parameters['embedding']"}  # two words of XLA itself


def built(output: Path, redaction: Redaction | None, samples: Path = SAMPLES) -> Path:
    options = BuildOptions(paths=tuple(dumps(samples)), output=output, redaction=redaction, jobs=2)
    assert not build(options, lambda done, total, label: None).problems
    return output


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("plain") / "site", None)


@pytest.fixture(scope="module")
def without_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the plain site of dumps that have no HLO text beside them, because redaction reads none."""
    folder = tmp_path_factory.mktemp("texts")
    shutil.copytree(SAMPLES, folder / "samples", ignore=shutil.ignore_patterns("*after_optimizations.txt*"))
    return built(folder / "site", None, folder / "samples")


@pytest.fixture(scope="module")
def without_paths(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("paths") / "site", "paths")


@pytest.fixture(scope="module")
def without_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("names") / "site", "names")


def occurrences(site: Path, secret: set[str]) -> Iterator[str]:
    """Yield where a secret is, also as it is escaped in HTML and in JSON, and in the names of files."""
    forms = {form for text in secret for form in (text, _escaped(text), json.dumps(text)[1:-1])}
    wanted = re.compile(b"|".join(re.escape(form.encode()) for form in sorted(forms, key=len, reverse=True)))
    for path, content in tree(site).items():
        if not path.startswith(("assets/", "help/")):
            yield from (f"{path}: {found.decode()}" for found in set(wanted.findall(path.encode() + b"\0" + content)))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;")


def test_the_dumps_contain_secrets_and_a_plain_site_shows_them(plain: Path) -> None:
    assert {"/home/u/corpus/scripts/progs.py", "cpu-tiny"} <= secrets()
    assert len(op_names()) > 50
    shown = list(occurrences(plain, secrets() | op_names()))
    assert any(line.startswith("m/") for line in shown)
    assert any(line.startswith(".reportgen.json") for line in shown)


def test_no_file_contains_a_path_a_person_or_a_folder(without_paths: Path, without_names: Path) -> None:
    assert list(occurrences(without_paths, secrets())) == []
    assert list(occurrences(without_names, secrets())) == []


def test_no_file_contains_a_name_of_an_operation_or_module(without_names: Path) -> None:
    modules = set(re.findall(r"jit_\w+", " ".join(path.name for path in SAMPLES.rglob("*.txt"))))
    assert {"jit_odd_names_fn", "jit_mlp_train_step"} <= modules
    assert list(occurrences(without_names, op_names() | modules)) == []


@pytest.mark.parametrize("redacted", ["without_paths", "without_names"])
def test_the_figures_are_the_same(without_texts: Path, redacted: str, request: pytest.FixtureRequest) -> None:
    site: Path = request.getfixturevalue(redacted)
    ignored = _BY_NAME if redacted == "without_names" else frozenset[str]()
    assert _figures(site, ignored) == _figures(without_texts, ignored)


_BY_NAME = frozenset(("refused", "scope"))
"""What names alone tell: that an error in a text is about a module, and where a scope of the program runs."""


def _figures(site: Path, ignored: Set[str]) -> list[str]:
    """Return all of report.json that is not text of the dumps; the order of modules is that of their names."""
    modules = json.loads((site / "report.json").read_text(encoding="utf-8"))["modules"]
    for module in modules:
        module["phases"] = [phase for phase in module["phases"] if phase["kind"] not in ignored]
        module["refused"] = None if "refused" in ignored else module["refused"]
    return sorted(json.dumps(_without_words(module), sort_keys=True) for module in modules)


def test_advice_is_withheld_where_names_are_hidden(without_names: Path, without_paths: Path) -> None:
    assert {reason for reason, suggestions in _advice(without_names)} == {NAMES_REDACTED}
    assert any(suggestions for reason, suggestions in _advice(without_paths))


def _advice(site: Path) -> list[tuple[str | None, int]]:
    """Return why advice is withheld, and how many suggestions there are, for each memory space."""
    modules = json.loads((site / "report.json").read_text(encoding="utf-8"))["modules"]
    found = [space for module in modules for space in module["spaces"].values()]
    return [(space["advice_withheld"], len((space["advice"] or {}).get("suggestions", ()))) for space in found]


_BESIDE = re.compile(r"HLO text|[Uu]sage report|[Pp]roto")


def _without_words(module: dict[str, Any]) -> dict[str, Any]:
    # Sibling files are left out, because they would leak what the dump no longer says.
    module = module | {"checks": [check for check in module["checks"] if not _BESIDE.search(check["name"])]}
    # Advice rests on the names of operations, so it is withheld where these are redacted.
    spaces = {
        color: space | {"advice": None, "advice_withheld": None, **_parts(space)}
        for color, space in module["spaces"].items()
    }
    # Arguments are grouped by their names.
    module = module | {"spaces": spaces, "devices": None, "arguments": None}
    findings = [{key: finding[key] for key in ("slug", "severity", "line")} for finding in module["findings"]]
    return {key: value for key, value in module.items() if key not in ("path", "name")} | {"findings": findings}


def _parts(space: dict[str, Any]) -> dict[str, Any]:
    """Return the largest parts of a peak without the names of the program."""
    nameless = {"value": None, "scope": None, "argument": None, "source": None, "read_first": None}
    return {
        "peak_resident_largest": [part | nameless for part in space["peak_resident_largest"]],
        "peak_resident_groups": None,  # which are those of one name
        "peak_resident_lines": None,
    }


def test_values_of_one_source_line_are_still_one_group(without_texts: Path, without_paths: Path) -> None:
    grouped = {_source_lines(page) for page in without_texts.glob("m/*/index.html")} - {()}
    assert grouped
    assert grouped <= {_source_lines(page) for page in without_paths.glob("m/*/index.html")}


def _source_lines(page: Path) -> tuple[str, ...]:
    """Return the numbers of the lines in a table by source line, in its order."""
    return tuple(re.findall(r"<code>[^ ]*py:(\d+)</code>", page.read_text(encoding="utf-8")))


def test_pages_say_that_they_are_redacted_and_link_to_an_explanation(without_paths: Path, plain: Path) -> None:
    pages = {path: content.decode() for path, content in tree(without_paths).items() if path.endswith(".html")}
    link = 'help/glossary.html#redacted"'
    assert [path for path, page in pages.items() if path.startswith("m/") and link not in page] == []
    assert "Notes are left out" in pages["index.html"]
    assert 'id="redacted"' in pages["help/glossary.html"]
    assert link not in (plain / "index.html").read_text(encoding="utf-8")


def test_redacting_an_existing_site_leaves_nothing_of_it(plain: Path, without_paths: Path, tmp_path: Path) -> None:
    site = shutil.copytree(plain, tmp_path / "site")
    assert tree(built(site, "paths")) == tree(without_paths)


def test_processes_and_a_second_build_change_nothing(without_names: Path, tmp_path: Path) -> None:
    options = BuildOptions(paths=tuple(dumps()), output=tmp_path / "site", redaction="names", jobs=1)
    first = build(options, lambda done, total, label: None)
    assert tree(tmp_path / "site") == tree(without_names)
    again = build(options, lambda done, total, label: None)
    assert (again.totals.changed, again.disclosure) == (0, first.disclosure)
