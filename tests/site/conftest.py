"""The sites that every page test looks at: of the samples, and of the dumps that the project began with."""

from pathlib import Path

import pytest

from tests.support.site import SAMPLES, SEEDS, SitePage, read_pages


@pytest.fixture(scope="session", params=["samples", "seeds"])
def site_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def site(site_name: str, request: pytest.FixtureRequest) -> Path:
    site: Path = request.getfixturevalue(f"{site_name}_site")
    return site


@pytest.fixture(scope="session")
def dumps(site_name: str) -> Path:
    """Return what `site` was built from."""
    return {"samples": SAMPLES, "seeds": SEEDS}[site_name]


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, SitePage]:
    return read_pages(site)
