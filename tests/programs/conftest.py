"""The Python that has JAX."""

import os

import pytest

from tests.programs.jax_environment import PYTHON, make_environment


@pytest.fixture(scope="session")
def python() -> str:
    """Return a Python with JAX; without one the tests are skipped, or fail with REPORTGEN_REQUIRE_JAX set."""
    if failure := make_environment():
        give_up = pytest.fail if os.environ.get("REPORTGEN_REQUIRE_JAX") else pytest.skip
        give_up(f"no JAX: {failure}")
    return str(PYTHON)
