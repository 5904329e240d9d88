"""The search of `watch` notices error texts in its directories, as a build finds them."""

from pathlib import Path

from reportgen.live.loop import Watcher
from reportgen.options import WatchOptions
from tests.support.samples import ROOT

TEXT = ROOT / "tests" / "oom" / "texts" / "23-tpu-e1000-enzyme2422.txt"


def test_an_error_in_a_new_log_is_found(tmp_path: Path) -> None:
    watched = tmp_path / "logs"
    watched.mkdir()
    watcher = Watcher(WatchOptions(paths=(watched,), output=tmp_path / "site", serves=False), lambda line: None)
    with watcher.running():
        watcher.scan()
        assert not watcher.tracker.last_search.errors
        log = watched / "run.log"
        log.write_bytes(TEXT.read_bytes())
        watcher.scan()
        assert [error.label for error in watcher.tracker.last_search.errors] == ["run.log"]
        log.write_text("it fits now\n", encoding="utf-8")
        watcher.scan()
        assert not watcher.tracker.last_search.errors


def test_a_redacted_site_shows_no_error_text(tmp_path: Path) -> None:
    options = WatchOptions(paths=(TEXT,), output=tmp_path / "site", serves=False, redaction="paths")
    watcher = Watcher(options, lambda line: None)
    with watcher.running():
        watcher.scan()
        assert not watcher.tracker.last_search.errors
