"""The architecture: which modules import which, which may use files, and where each question is answered."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "reportgen"

# Imports run downwards: a stage may import the stages above it in this list. Within a stage there are no cycles.
STAGES = (
    {"", "document", "errors", "intervals", "oom", "patterns", "protos", "record", "workers"},
    {"input", "options"},
    {"model", "parse"},
    {"program"},
    {"analyse"},
    {"advice"},
    {"reports"},
    {"compare", "work"},
    {"redact", "render"},
    {"output", "failures"},
    {"pipeline", "search"},
    {"dump_pages", "check", "sides"},
    {"site"},
    {"build"},
    {"comparison_site"},
    {"live", "programs"},
    {"terminal", "commands", "cli", "__main__"},
)
KNOW_PAGES = {"build", "comparison_site", "dump_pages", "live", "site"}
HOMES = {
    "altair": {"render/drawings/charts.py"},
    "jinja2": {"render/html/templates.py"},
    "markdown_it": {"render/html/markdown.py"},
    "distributed": {"workers/dask.py"},
    "fsspec": {"input/remote.py"},
    "google": {"protos/proto_messages.py"},
    "watchdog": {"live/events.py"},
    "jax": {"programs/functions.py"},
}
PURE = {"intervals", "oom", "protos", "model", "parse", "program", "analyse", "advice", "reports", "compare", "render"}
WRITERS = {
    "input/archives.py",
    "output/lock.py",
    "output/named_files.py",
    "output/own_files.py",
    "output/writer.py",
    "programs/dumps.py",
    "programs/hook/sitecustomize.py",
}
READERS_IN_RENDER = {"render/site/assets.py", "render/site/site_pages.py"}
READERS_OF_INSTRUCTIONS = {"model", "parse", "program"}
SHOW_INSTRUCTIONS = {"render/value/about.py", "reports/report.py"}
"""They show the text of an instruction as it is, and learn nothing from it."""
READING_INSTRUCTIONS = {"ModuleText", "instruction_text", "parse_instruction", "stated"}
WRITING = {"write_bytes", "write_text", "mkdir", "unlink", "rmdir", "touch", "rename", "symlink_to", "makedirs"}
READING = {"read_bytes", "read_text", "open", "iterdir", "glob", "rglob"}
HEAVY = (
    "altair",
    "asyncio",
    "jinja2",
    "markdown_it",
    "concurrent.futures.process",
    "distributed",
    "fsspec",
    "google.protobuf",
    "multiprocessing",
    "urllib.request",
    "watchdog",
)


def modules() -> list[str]:
    """Return every module of the package, as a path below it."""
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def python_files() -> list[str]:
    """Return every module of the package, every test and fuzzer, as a path in the repository."""
    others = ((ROOT / folder).rglob("*.py") for folder in ("fuzz", "tests"))
    paths = chain(PACKAGE.rglob("*.py"), *others)
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


@cache
def tree(module: str) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"))


def imported(module: str) -> set[str]:
    """Return the full names of what a module imports, at its top or later."""
    names: set[str] = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def area(module: str) -> str:
    """Return `render` for everything in that folder, `cli` for `cli.py`, and an empty text for the package itself."""
    return module.partition("/")[0].removesuffix(".py").removesuffix("__init__")


def imported_areas(module: str) -> set[str]:
    """Return the areas that a module imports from, without its own."""
    areas = {area(module_name(name)) for name in imported(module) if name.split(".")[0] == "reportgen"}
    return areas - {area(module)}


def module_name(name: str) -> str:
    """Return the area of a name: `analyse` for `reportgen.analyse.analyse`, and "" for `reportgen.__version__`."""
    first = name.removeprefix("reportgen").lstrip(".").partition(".")[0]
    is_area = (PACKAGE / first).is_dir() or (PACKAGE / f"{first}.py").is_file()
    return first if is_area else ""


def stage(name: str) -> int:
    return next(number for number, areas in enumerate(STAGES) if name in areas)


def calls(module: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call with the last part of the name that is called."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


def opens_for_writing(call: ast.Call) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    modes = [argument.value for argument in arguments if isinstance(argument, ast.Constant)]
    return any(isinstance(mode, str) and set(mode) <= set("rwaxbt+") and set(mode) & set("wax+") for mode in modes)


def repeated(names: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    """Return the names that several modules have, from pairs of a name and a module."""
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for name, module in names:
        homes[name].append(module)
    return {name: found for name, found in homes.items() if len(found) > 1}


def test_imports_run_one_way() -> None:
    assert {area(module) for module in modules()} <= set().union(*STAGES)
    back = {
        module: upwards
        for module in modules()
        if (upwards := {name for name in imported_areas(module) if stage(name) > stage(area(module))})
    }
    assert back == {}


def test_only_those_that_write_or_serve_pages_import_from_render() -> None:
    others = [module for module in modules() if area(module) not in KNOW_PAGES]
    assert [module for module in others if "render" in imported_areas(module)] == []


def test_there_are_no_cycles_between_areas() -> None:
    arrows: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules():
        arrows[area(module)] |= imported_areas(module)
    TopologicalSorter(arrows).prepare()


def test_each_foreign_package_is_imported_in_one_module() -> None:
    homes = defaultdict(set)
    for module in modules():
        for package in {name.split(".")[0] for name in imported(module)} - sys.stdlib_module_names - {"reportgen"}:
            homes[package].add(module)
    assert {area(module) for module in homes.pop("markupsafe")} == {"render"}
    assert all(found <= HOMES.get(package, set()) for package, found in homes.items()), homes


def test_only_the_output_writes_files() -> None:
    writing = {
        module: name
        for module in modules()
        for name, call in calls(module)
        if name in WRITING or (name == "open" and opens_for_writing(call))
    }
    assert writing.keys() <= WRITERS, writing


def test_nothing_between_text_and_pages_opens_files_but_templates() -> None:
    declared = "oom/forms.py"  # reads what it declares
    readers = {*READERS_IN_RENDER, declared}
    pure = [module for module in modules() if area(module) in PURE and module not in readers]
    assert [(module, name) for module in pure for name, _ in calls(module) if name in READING] == []


def test_one_room_reads_the_text_of_instructions() -> None:
    others = [module for module in modules() if area(module) not in READERS_OF_INSTRUCTIONS]
    reading = {module for module in others for name, _ in calls(module) if name in READING_INSTRUCTIONS}
    assert reading == SHOW_INSTRUCTIONS


def test_no_two_files_and_no_two_classes_have_one_name() -> None:
    own = [module for module in modules() if area(module) != "commands" and not module.endswith("__init__.py")]
    assert repeated((module.rpartition("/")[2], module) for module in own) == {}
    classes = [
        (node.name, module) for module in modules() for node in ast.walk(tree(module)) if isinstance(node, ast.ClassDef)
    ]
    assert repeated(classes) == {}


def test_every_module_says_why_it_exists() -> None:
    silent = [file for file in python_files() if not ast.get_docstring(ast.parse((ROOT / file).read_text("utf-8")))]
    assert silent == []


def test_the_room_of_comparisons_says_what_is_in_each_file() -> None:
    heads = re.findall(r"^- (.*?):", ast.get_docstring(tree("compare/__init__.py")) or "", re.MULTILINE)
    files = {module.removeprefix("compare/").removesuffix(".py") for module in modules() if area(module) == "compare"}
    assert set(re.findall(r"`(\w+)`", "".join(heads))) == files - {"__init__"}


@pytest.mark.parametrize("arguments", [["--version"], ["build"], ["check", "--jobs=0", "x"]], ids=" ".join)
def test_a_short_answer_imports_nothing_heavy(arguments: Sequence[str]) -> None:
    program = (
        "import sys; sys.argv[0] = 'reportgen'; import atexit;"
        f" atexit.register(lambda: print('heavy:', *(name for name in {HEAVY} if name in sys.modules)));"
        " from reportgen.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", program, *arguments]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert finished.stdout.splitlines()[-1].split() == ["heavy:"], finished.stderr
