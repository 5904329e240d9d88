"""The search of `watch` notices error texts in its directories, as a build finds them."""

from pathlib import Path
from time import monotonic

from reportgen.live.repeated_search import Search
from reportgen.live.tracked import Timing
from reportgen.options import WatchOptions
from tests.support.samples import ROOT

TEXT = ROOT / "tests" / "oom" / "texts" / "23-tpu-e1000-enzyme2422.txt"


def test_an_error_in_a_new_log_is_found(tmp_path: Path) -> None:
    watched = tmp_path / "logs"
    watched.mkdir()
    search = Search(WatchOptions(paths=(watched,)), tmp_path / "site")
    search.repeat({}, monotonic, Timing())
    assert not search.errors
    log = watched / "run.log"
    log.write_bytes(TEXT.read_bytes())
    search.repeat({}, monotonic, Timing())
    assert [error.label for error in search.errors] == ["run.log"]
    log.write_text("it fits now\n", encoding="utf-8")
    search.repeat({}, monotonic, Timing())
    assert not search.errors


def test_a_redacted_site_shows_no_error_text(tmp_path: Path) -> None:
    search = Search(WatchOptions(paths=(TEXT,), redaction="paths"), tmp_path / "site")
    search.repeat({}, monotonic, Timing())
    assert not search.errors
