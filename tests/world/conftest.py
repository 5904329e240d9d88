"""Where the dumps are that these tests read: in the repository, or with `--world` in a new folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.world.newest import make_environment, run_module

OF_JAX_0_12 = Path(__file__).parent / "jax-0.12"

FolderOf = Callable[[str], Path]


@pytest.fixture(scope="session")
def world(request: pytest.FixtureRequest) -> str | None:
    """Return a Python that has what pip gives today; None without `--world`."""
    return make_environment() if request.config.getoption("--world") else None


@pytest.fixture(scope="session")
def folder_of(world: str | None, tmp_path_factory: pytest.TempPathFactory) -> FolderOf:
    """Return what gives the folder with the dump of a program, by its name; with `--world` it is compiled first."""
    if world is None:
        return lambda name: OF_JAX_0_12 / name

    def compiled(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        run_module(world, "tests.world.programs", name, str(folder))
        return folder

    return compiled
