"""Where the dumps are that these tests read: in the repository, or with `--world` in a new folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.world.newest import compile_program, make_environment

OF_JAX_0_12 = Path(__file__).parent / "jax-0.12"

FolderOf = Callable[[str], Path]


@pytest.fixture(scope="session")
def folder_of(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FolderOf:
    """Return what gives the folder with the dump of a program, by its name; with `--world` it is compiled first."""
    if not request.config.getoption("--world"):
        return lambda name: OF_JAX_0_12 / name
    python = make_environment()

    def compiled(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        compile_program(python, name, folder)
        return folder

    return compiled
