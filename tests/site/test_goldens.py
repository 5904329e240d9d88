"""Views of a value and of an allocation in full, so that a change of what they say is looked at."""

from pathlib import Path

import pytest

from tests.support.goldens import Goldens
from tests.support.site import own_views


@pytest.mark.parametrize(("kind", "name"), [("value", "v23"), ("allocation", "a1")])
def test_a_view_is_as_it_was_when_last_looked_at(samples_site: Path, goldens: Goldens, kind: str, name: str) -> None:
    (path,) = samples_site.glob("m/jit-tiny-*/explore.html")
    goldens.check(f"cpu-tiny.{kind}.html", own_views(path.read_text(encoding="utf-8"))[name])
