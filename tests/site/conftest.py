"""The sites that every page test looks at: of the samples, and of the dumps that the project began with."""

from pathlib import Path

import pytest

from tests.support.site import SAMPLES, SEEDS, SitePage, build_site, read_pages


@pytest.fixture(scope="session")
def seeds_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of the five seeds, which are not part of the repository."""
    if not SEEDS.is_dir():
        pytest.skip(f"{'/'.join(SEEDS.parts[-3:])} is not beside this checkout")
    return build_site(SEEDS, tmp_path_factory.mktemp("seeds") / "site")


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
