"""The Python that has JAX."""

import pytest

from tests.programs.jax_environment import PYTHON, make_environment
from tests.support.guards import missing


@pytest.fixture(scope="session")
def python() -> str:
    """Return a Python with JAX; without one the tests are skipped, or fail with REPORTGEN_REQUIRE_JAX set."""
    if failure := make_environment():
        missing("JAX", f"no JAX: {failure}")
    return str(PYTHON)
