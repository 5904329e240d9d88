"""What people read keeps to the vocabulary of CONTRIBUTING.md, which bans phrases from every text for them."""

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

import pytest

from tests.support.commands import Run, runner
from tests.support.samples import ROOT, sample_labels
from tests.support.shared import made_once
from tests.support.site import SAMPLES, build_site

BEFORE, AFTER = SAMPLES / "v5e-train-step", SAMPLES / "v5e-train-step-checkpoint"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "templates/help").glob("*.md"))]
SCRIPTS = sorted([*(ROOT / "templates/scripts").glob("*.js"), *(ROOT / "templates/live").glob("*.js")])
COMMANDS = ("", "run", "build", "watch", "check", "explain", "compare", "history")
FIELDS = {"report-json.md"}
"""Documents that list the fields of JSON, whose names are no words for people."""

_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\([^)]*\)|\{#[^}]*\}|<[^>]*>")
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`')
_COMMENT = re.compile(r"^\s*(?://|/?\*).*$|\s//\s.*$", re.MULTILINE)
_HOLE = re.compile(r"\$\{[^}]*\}")

_SHOWN = frozenset({"title", "aria-label", "placeholder", "alt", "data-words", "data-solved"})
_UNSEEN = frozenset({"script", "style", "code", "pre"})
_WITHIN_A_SENTENCE = frozenset(
    {"a", "strong", "em", "b", "i", "small", "span", "data", "kbd", "q", "abbr", "mark", "wbr"}
)


def banned() -> Sequence[str]:
    """Return the phrases in backticks in the columns "not" of the vocabulary."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("\n## Vocabulary\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if "|" in line]
    return [phrase for _, forbidden, *_ in rows for phrase in re.findall(r"`([^`]+)`", forbidden)]


BANNED = banned()


def problems(texts: Iterable[tuple[str, str]]) -> list[str]:
    """Return each banned phrase in some texts, given with their places, and the words around it."""
    found = []
    for place, text in texts:
        words = " ".join(text.split())
        lower = words.lower()
        for phrase in BANNED:
            if phrase in lower:  # much faster than an expression that matches nowhere
                found += [f"{place}: “{phrase}” in “{around}”" for around in _standing(phrase, words)]
    return found


def _standing(phrase: str, words: str) -> Iterator[str]:
    """Yield the surroundings of each place where a phrase stands as words of its own, not within a name."""
    for match in re.finditer(rf"(?<![\w.#/=-]){re.escape(phrase)}(?![\w=/-])", words, re.IGNORECASE):
        yield words[max(match.start() - 50, 0) : match.end() + 40]


class _Page(HTMLParser):
    """Collects what a page shows: its text and its tooltips, each block apart from the next."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        if tag not in _WITHIN_A_SENTENCE:
            self.texts.append(" ¶ ")
        self.tooltips += [value for name, value in attrs if name in _SHOWN and value]

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN
        if tag not in _WITHIN_A_SENTENCE:
            self.texts.append(" ¶ ")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.texts.append(data)

    tooltips: list[str]


def visible(html: str) -> str:
    """Return what a page shows, its tooltips last."""
    page = _Page()
    page.tooltips = []
    page.feed(html)
    return " ¶ ".join(["".join(page.texts), *page.tooltips])


def shown(site: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(site.rglob("*.html")):
        yield path.relative_to(site).as_posix(), visible(path.read_text(encoding="utf-8"))


def prose(text: str) -> str:
    """Return Markdown without code spans, links and ids; blocks of code stay, because they show what is printed."""
    return _LINK.sub(
        "]", "```".join(part if number % 2 else _CODE.sub("`", part) for number, part in enumerate(text.split("```")))
    )


def literals(script: str) -> Iterator[str]:
    """Yield the string literals of a script that may be words: those with a space or a capital."""
    for literal in _LITERAL.findall(_COMMENT.sub("", script)):
        words = _HOLE.sub("N", literal[1:-1])
        if " " in words or words[:1].isupper():
            yield words


@pytest.fixture(scope="session")
def misfit_site(run_folder: Path) -> Path:
    """Return the site of programs that do not fit and of out-of-memory errors."""

    def build(folder: Path) -> None:
        shutil.copytree(BEFORE, folder / "dumps" / "program")
        for path in sorted((ROOT / "tests" / "oom" / "texts").glob("*.txt")):
            (folder / "dumps" / f"{path.stem}.log").write_bytes(path.read_bytes())
        build_site(folder / "dumps", folder / "site", capacities=("v5e",))

    return made_once(run_folder / "misfit", build) / "site"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def test_the_vocabulary_bans_phrases() -> None:
    assert len(BANNED) > 100
    assert len(BANNED) == len(set(BANNED))


@pytest.mark.parametrize("phrase", BANNED)
def test_a_text_with_a_banned_phrase_is_a_problem(phrase: str) -> None:
    assert problems([("here", f"It says {phrase.capitalize()} in a sentence.")])
    assert problems([("here", visible(f"<p>It says <b>{phrase}</b> here.</p>"))])
    assert problems([("here", visible(f'<p title="{phrase}">Text</p>'))])
    assert problems([("here", prose(f"Some *{phrase}* here, with `code`."))])
    assert problems(("here", words) for words in literals(f'const words = "It says {phrase} here";'))


def test_what_is_no_word_for_people_is_no_problem() -> None:
    assert not problems([("here", prose("The field `moment` of [it](moment.md) {#moment}"))])
    assert not problems([("here", visible('<p id="moment">The <code>moment</code></p><script>moment</script>'))])
    assert not problems(("here", words) for words in literals('State.get("moment"); // a moment'))
    assert not problems([("here", visible("<td>at another</td><td>place</td>"))])


def test_samples_keep_to_the_vocabulary(samples_site: Path) -> None:
    assert problems(shown(samples_site)) == []


def test_errors_and_programs_that_do_not_fit_keep_to_the_vocabulary(misfit_site: Path) -> None:
    assert problems(shown(misfit_site)) == []


def test_scripts_keep_to_the_vocabulary() -> None:
    assert (
        problems((path.name, words) for path in SCRIPTS for words in literals(path.read_text(encoding="utf-8"))) == []
    )


def test_a_comparison_keeps_to_the_vocabulary(run: Run) -> None:
    ran = run("compare", BEFORE, AFTER, "-o", "site", "--markdown", "it.md", "--capacity", "v5e")
    texts = [("stdout", ran.out), ("Markdown", Path("it.md").read_text(encoding="utf-8"))]
    assert problems(chain(texts, shown(Path("site")))) == []


@pytest.mark.parametrize("options", [(), ("--capacity", "v5e")])
def test_check_and_explain_keep_to_the_vocabulary(run: Run, options: Sequence[str]) -> None:
    texts = []
    for folder in sorted({label.partition("/")[0] for label in sample_labels()}):
        commands = [
            ["check", SAMPLES / folder],
            ["explain", SAMPLES / folder],
            ["explain", SAMPLES / folder, "--markdown"],
        ]
        texts += [(f"{command[0]} {folder}", run(*command, *options).out) for command in commands]
    assert all(text for _, text in texts)
    assert problems(texts) == []


def test_help_keeps_to_the_vocabulary(run: Run) -> None:
    texts = [(f"{command} --help", run(*command.split(), "--help").out) for command in COMMANDS]
    assert all(text.startswith("usage:") for _, text in texts)
    assert problems(texts) == []


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.name not in FIELDS], ids=lambda path: path.name)
def test_documents_keep_to_the_vocabulary(path: Path) -> None:
    assert problems([(path.name, prose(path.read_text(encoding="utf-8")))]) == []
