"""The hook reads XLA_FLAGS as XLA does, undoes what it did, and runs on every Python that people have."""

import ast
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import UnreadableInput
from reportgen.input.names import ERROR_TEXT
from reportgen.programs.environment import program_environment
from reportgen.programs.hook import sitecustomize as hook

FLAGS = "--xla_dump_hlo_as_text"
OWN = st.lists(st.from_regex(r"--xla_[a-z]{1,8}(=[a-z0-9/]{1,8})?", fullmatch=True), max_size=3).map(" ".join)
FOLDERS = st.text(st.sampled_from("ab /\"'\\-=é"), min_size=1, max_size=12).map(lambda text: "/" + text)


@given(OWN, FOLDERS, OWN)
def test_our_flags_come_off_again(own: str, folder: str, later: str) -> None:
    merged = hook.with_dump_flags(own, folder + "/main", FLAGS)
    assert hook.without_dump_flags(merged, folder, FLAGS) == own
    added = hook.without_dump_flags(f"{merged} {later}".strip(), folder, FLAGS)
    assert added == " ".join(filter(None, [own, later]))


@given(FOLDERS)
def test_a_folder_of_any_name_is_one_flag(folder: str) -> None:
    if "\\" in folder and hook.quoted(folder) == folder:  # without quotes XLA reads a backslash as it is
        return
    assert shlex.split(hook.with_dump_flags("", folder, FLAGS)) == [f"--xla_dump_to={folder}", FLAGS]


def test_the_hook_is_written_for_python_3_6() -> None:
    ast.parse(Path(hook.__file__).read_text(encoding="utf-8"), feature_version=(3, 6))


def test_the_hook_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(hook.__file__).read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names == {"os", "sys", "types", "importlib.machinery", "importlib.util"}


def test_the_hook_and_the_search_for_dumps_agree_on_the_name_of_an_error() -> None:
    assert hook.OOM_FILE == ERROR_TEXT


def test_existing_flags_come_first_so_that_ours_win(tmp_path: Path) -> None:
    environment = program_environment({"XLA_FLAGS": "--xla_own", "PYTHONPATH": "mine"}, tmp_path)
    assert environment["XLA_FLAGS"] == f"--xla_own --xla_dump_to={tmp_path / 'main'} {FLAGS}"
    assert environment["PYTHONPATH"].endswith("mine")


def test_caches_are_turned_off(tmp_path: Path) -> None:
    cached = {"XLA_PERSISTENT_CACHE_PATH": "/cache"}
    assert program_environment(cached, tmp_path)["JAX_ENABLE_COMPILATION_CACHE"] == "false"
    assert "XLA_PERSISTENT_CACHE_PATH" not in program_environment(cached, tmp_path)


def test_variables_that_would_end_or_change_the_program_are_not_set(tmp_path: Path) -> None:
    environment = program_environment({"HOME": "/home/me"}, tmp_path)
    own = {"XLA_FLAGS", "PYTHONPATH", "JAX_ENABLE_COMPILATION_CACHE", hook.DIRECTORY, hook.FLAGS}
    assert set(environment) == own | {"HOME"}


def test_names_of_modules_are_a_flag(tmp_path: Path) -> None:
    flags = program_environment({}, tmp_path, only=r"jit_\w+ step")["XLA_FLAGS"]
    assert flags.endswith(r' --xla_dump_hlo_module_re="jit_\\w+ step"')


def test_a_missing_file_of_flags_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"nowhere\.txt"):
        program_environment({"XLA_FLAGS": str(tmp_path / "nowhere.txt")}, tmp_path)
