"""Pages of source files: the bytes in their margins, the links to their lines, and what never gets into a site."""

import html
import json
import lzma
import os
import re
from pathlib import Path, PurePath

import pytest

from reportgen.build import build
from reportgen.cli import main
from reportgen.dump_pages import module_of
from reportgen.input.discover import discover
from reportgen.input.source_lines import names_of
from reportgen.options import BuildOptions
from reportgen.parse.stack_frames import Frame
from reportgen.pipeline import DumpReading
from reportgen.reports.annotated_source import annotated
from reportgen.reports.module_figures import module_figures
from reportgen.reports.source_links import Sources
from tests.support.commands import Run
from tests.support.samples import ROOT, SAMPLES
from tests.support.site import link_problems, read_pages, tree

NAMED = "/home/u/corpus/scripts/progs.py"
"""The file that the sample names."""
SAMPLE = SAMPLES / "tpu-train-step"
PROGRAMS = ROOT / "tests" / "advice" / "programs"
SECRET = "PLANTED_SECRET_7"


def sources(root: Path, file: str = "scripts/progs.py") -> Path:
    """Write a file whose lines number themselves, and return the directory of sources."""
    path = root / file
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"value_{number} = '<b>'\n" for number in range(1, 400)), encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    root = sources(folder / "root")
    assert main(["build", str(SAMPLE), "-o", str(folder / "site"), "--source-root", str(root), "--quiet"]) == 0
    return folder / "site"


@pytest.mark.parametrize(
    "dumps",
    [
        *(SAMPLES / name for name in ("cpu-train-step", "tpu-train-step", "gpu-control-flow")),
        *(PROGRAMS / name for name in ("generate", "fsdp_tp", "pipeline+donate", "lstm")),
    ],
    ids=lambda path: path.name,
)
def test_bytes_per_line_add_up_to_the_bytes_with_a_line(dumps: Path) -> None:
    (files,) = discover([dumps]).dumps
    module = module_of(DumpReading(files))
    figures = module_figures(module)
    for space in figures.spaces.values():
        # Each line of each file, as pages show them.
        longest = max((int(line.source.rpartition(":")[2]) for line in space.peak_resident_lines), default=0)
        names = {line.source.rpartition(":")[0] for line in space.peak_resident_lines}
        lines = [line for name in names for line in annotated([""] * longest, [name], figures, space)]
        known = space.attributed.source_bytes if space.attributed else 0
        assert sum(line.size_bytes for line in lines) == known
        assert all(line.what for line in lines if line.size_bytes)


def test_the_margin_has_the_bytes_of_each_line_and_what_they_are(site: Path) -> None:
    (path,) = site.glob("m/*/source-1.html")
    page = path.read_text(encoding="utf-8")
    rows = dict(re.findall(r'<div class="line[^"]*" id="L(\d+)">(.*?)</div>', page, re.DOTALL))
    (module,) = json.loads((site / "report.json").read_bytes())["modules"]
    space = module["spaces"]["0"]
    in_margin = {number: int(found[1]) for number, row in rows.items() if (found := re.search(r'value="(\d+)"', row))}
    assert in_margin == {line["source"].rpartition(":")[2]: line["size_bytes"] for line in space["peak_resident_lines"]}
    assert sum(in_margin.values()) == space["attributed"]["source_bytes"] > 0
    assert html.escape(space["peak_resident_lines"][0]["what"]) in page
    assert html.escape("value_31 = '<b>'", quote=False) in html.unescape(rows["31"]).replace("<b>", "&lt;b&gt;")
    assert len(rows) == 399


def test_a_suggestion_stands_once_at_the_first_of_its_lines(site: Path) -> None:
    (path,) = site.glob("m/*/source-1.html")
    page = path.read_text(encoding="utf-8")
    (module,) = json.loads((site / "report.json").read_bytes())["modules"]
    advice = module["spaces"]["0"]["advice"]
    best = advice["suggestions"][advice["best"][0]]
    first = best["lines"][0].rpartition(":")[2]
    after = page[page.index(f'id="L{first}"') : page.index(f'id="L{int(first) + 1}"')]
    assert best["what"][1:] in html.unescape(re.sub(r"<wbr>", "", after))
    assert html.unescape(page).count(f"{best['what'][1:]}</strong>") == 1


LOOP = "    x, _ = jax.lax.scan(body, x, weights)"
CHECKPOINTED = "    x, _ = jax.lax.scan(jax.checkpoint(body), x, weights)"


def test_a_suggestion_stands_where_its_code_changes_the_file(run: Run, tmp_path: Path) -> None:
    dump, root = SAMPLES / "v5e-train-step", SAMPLES / "programs"
    assert run("build", dump, "-o", tmp_path / "site", "--source-root", root, "--quiet").code == 0
    (path,) = tmp_path.glob("site/m/*/source-1.html")
    page = path.read_text(encoding="utf-8")
    changed = re.search(
        r'<div class="line" id="L66">.*?<code style="--in:4">(.*?)</code></div>\s*(<p class="note">.*?</p>)',
        page,
        re.DOTALL,
    )
    assert changed
    assert html.unescape(changed[1]) == LOOP
    assert "Checkpoint the body of the loop</strong>: saves 18.2 to 22.2 GiB" in changed[2]
    assert '<a href="#L41">41</a>' in changed[2]
    assert 'href="index.html#suggestion=checkpoint-loop-1"' in changed[2]
    assert "<code>jax.checkpoint(body)</code>" in changed[2]
    assert "<mark>jax.nn.softmax(scores)</mark>, value)</code>" in page
    [jumps] = re.findall(r'<ul class="jumps".*?</ul>', page, re.DOTALL)
    first, *largest = [" ".join(re.sub(r"<[^>]*>", "", item).split()) for item in jumps.split("<li")[1:]]
    assert first.rpartition(">")[2] == "Line 66: Checkpoint the body of the loop"
    assert largest[0].rpartition(">")[2].startswith("Line 41 ")
    # The four largest lines have the colors that they have in the icicle.
    assert '<div class="line source-1" id="L41">' in page
    said = run("explain", dump, "--source", root / "train_step.py", "--capacity", "v5e").out.splitlines()
    place = next(number for number, line in enumerate(said) if line.endswith(f"66 -{LOOP}"))
    assert said[place + 1].strip() == f"+{CHECKPOINTED}"
    words = " ".join(line.strip() for line in said[place + 2 : place + 5])
    assert words.startswith("^ suggestion 1: Checkpoint the body of the loop: saves 18.2 to 22.2 GiB")


def test_lines_far_from_any_with_bytes_are_folded_and_still_in_the_page(site: Path) -> None:
    (path,) = site.glob("m/*/source-1.html")
    page = path.read_text(encoding="utf-8")
    folded = re.findall(r"<details><summary>(\d+) lines without bytes</summary>(.*?)</details>", page, re.DOTALL)
    assert folded
    for count, lines in folded:
        assert lines.count('<div class="line"') == int(count)
        assert "<data" not in lines
    assert 'id="L399"' in folded[-1][1]


def test_lines_that_are_shown_lead_to_their_place_in_the_file(site: Path) -> None:
    pages = read_pages(site)
    assert link_problems(pages, frozenset(tree(site))) == []
    leading = {path for path, page in pages.items() if any("source-1.html#L31" in url for url in page.references)}
    assert {path.rpartition("/")[2] for path in leading} >= {"index.html", "explore.html"}


def test_lines_named_in_sentences_lead_to_their_place(tmp_path: Path) -> None:
    dump, url = SAMPLES / "v5e-train-step", "https://example.com/{path}#L{line}"
    root = SAMPLES / "programs"
    for name, options, href in (
        ("pages", ["--source-root", str(root)], "source-1.html#L66"),
        ("web", ["--source-url", url], "https://example.com//home/u/lab/train_step.py#L66"),
        ("neither", [], ""),
    ):
        site = tmp_path / name
        assert main(["build", str(dump), "-o", str(site), *options, "--quiet"]) == 0
        (index,) = site.glob("m/*/index.html")
        page = index.read_text(encoding="utf-8")
        on_card = f'<a href="{href}">train_step.py:66</a>' if href else "train_step.py:66"
        assert f'<p class="row"><small>{on_card} · recomputes' in page
        in_bar = f'<a href="{href.replace("L66", "L41")}">train_step.py:41</a>' if href else "train_step.py:41"
        assert re.search(rf'class="name" title="train_step.py:41">{re.escape(in_bar)}\s', page)


def test_there_is_no_such_page_without_a_directory_of_sources(tmp_path: Path) -> None:
    assert main(["build", str(SAMPLE), "-o", str(tmp_path / "site"), "--quiet"]) == 0
    assert [path for path in tree(tmp_path / "site") if "source-" in path] == []


def test_sources_are_not_shown_together_with_redaction(run: Run, tmp_path: Path) -> None:
    root = sources(tmp_path / "root")
    assert run("build", SAMPLE, "-o", tmp_path / "site", "--source-root", root, "--redact").code == 2
    assert run("explain", SAMPLE, "--source", root / "scripts" / "progs.py", "--redact").code == 2
    assert not (tmp_path / "site").exists()


def planted(root: Path, name: str) -> None:
    """Put a secret where `name`, as a dump has it, could lead to."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "progs.py").write_text(f"{SECRET}\n" * 400, encoding="utf-8")
    (root / "scripts").mkdir(parents=True)
    match name:
        case "scripts/progs.py":
            (root / "scripts" / "progs.py").symlink_to(outside / "progs.py")
        case "linked/progs.py":
            (root / "linked").symlink_to(outside)
        case "inside/progs.py":
            (root / "scripts" / "other.py").write_text(f"{SECRET}\n" * 400, encoding="utf-8")
            (root / "inside").mkdir()
            (root / "inside" / "progs.py").symlink_to(root / "scripts" / "other.py")
        case ".env" | ".git/config":
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(f"{SECRET}\n" * 400, encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "scripts/progs.py",
        "linked/progs.py",
        "inside/progs.py",
        "../outside/progs.py",
        "scripts/../../outside/progs.py",
        ".env",
        ".git/config",
    ],
)
def test_no_line_of_a_file_outside_and_no_hidden_one_gets_into_a_site(tmp_path: Path, name: str) -> None:
    root, dumps = tmp_path / "root", tmp_path / "dumps"
    planted(root, name)
    dumps.mkdir()
    for file in SAMPLE.glob("*.txt"):
        (dumps / file.name).write_text(file.read_text(encoding="utf-8").replace(NAMED, f"/home/u/{name}"), "utf-8")
    assert main(["build", str(dumps), "-o", str(tmp_path / "site"), "--source-root", str(root), "--quiet"]) == 0
    site = tree(tmp_path / "site")
    assert [path for path, content in site.items() if SECRET.encode() in content] == []
    assert [path for path in site if "source-" in path] == []


def test_the_terminal_shows_the_lines_with_their_bytes(run: Run, tmp_path: Path) -> None:
    file = sources(tmp_path / "root") / "scripts" / "progs.py"
    said = run("explain", SAMPLE, "--source", file).out.splitlines()
    assert said[0] == "progs.py in jit_mlp_train_step: tpu, HBM"
    assert "2.10 MiB   13.0 %   31  value_31 = '<b>'" in " ".join(said)
    assert any("^ suggestion 1: Use a narrower type for o" in line for line in said)
    assert any("lines without bytes" in line for line in said)
    assert not any("value_399" in line for line in said)


def test_a_file_that_the_dump_does_not_name_is_refused_with_those_that_it_names(run: Run, tmp_path: Path) -> None:
    file = sources(tmp_path / "root", "other.py") / "other.py"
    ran = run("explain", SAMPLE, "--source", file)
    assert (ran.code, NAMED in ran.err) == (2, True)
    assert run("explain", SAMPLE, "--source", tmp_path / "none.py").code == 2


def two_files(folder: Path, other: str) -> Path:
    """Copy a dump whose line 68 is of `other`, and of the sample's file, which is no Python, everywhere else."""
    for source in (SAMPLES / "v5e-train-step-checkpoint").iterdir():
        data = lzma.decompress(source.read_bytes()) if source.suffix == ".xz" else source.read_bytes()
        if source.name.endswith("after_optimizations.txt.xz"):
            number = data[: data.index(b"\n\nFunctionNames")].count(b"\n") - 1
            data = data.replace(b"\n\nFunctionNames", b'\n%d "%s"\n\nFunctionNames' % (number, other.encode()), 1)
            data = re.sub(rb"file_name_id=1 ([^\n]*line=68 )", rb"file_name_id=%d \1" % number, data)
        data = data.replace(b"train_step.py", b"train_step.cu")
        (folder / source.name.removesuffix(".xz")).write_bytes(data)
    return folder


CHECKPOINT = "/home/u/lab/train_step.cu"


@pytest.mark.parametrize(
    ("own", "is_shown"),
    [("train_step.cu", False), ("lab/train_step.cu", True), ("other/train_step.cu", True)],
)
def test_two_files_of_one_name_are_never_one(run: Run, tmp_path: Path, own: str, is_shown: bool) -> None:
    (tmp_path / "dump").mkdir()
    dump = two_files(tmp_path / "dump", "/opt/other/train_step.cu")
    root = sources(tmp_path / "root", own) if "/" in own else tmp_path
    (root / own).write_text("".join(f"line {number}\n" for number in range(1, 200)), encoding="utf-8")
    ran = run("explain", dump, "--source", root / own)
    if is_shown:
        assert ("  68  line 68" in ran.out, "  66  line 66" in ran.out) == (
            "other" in own,
            "lab" in own,
        ) or ran.code == 0
    else:
        assert ran.code == 2
        assert f"has lines of more than one file of this name: {CHECKPOINT}, /opt/other/train_step.cu" in ran.err
    assert run("build", dump, "-o", tmp_path / "site", "--source-root", root, "--quiet").code == 0
    pages = read_pages(tmp_path / "site")
    assert any("source-" in path for path in pages) == is_shown


def test_a_file_of_a_package_is_named_from_the_package_on(tmp_path: Path) -> None:
    name = "/venv/lib/python3.12/site-packages/optax/_src/transform.py"
    (tmp_path / "transform.py").write_text("mine\n", encoding="utf-8")
    assert Sources(tmp_path, names=[name]).files() == []
    assert names_of(tmp_path / "transform.py", [name]) == []
    package = sources(tmp_path / "all", "optax/_src/transform.py") / "optax/_src"
    assert [file.path for file in Sources(tmp_path / "all", names=[name]).files()] == ["optax/_src/transform.py"]
    assert names_of(package / "transform.py", [name]) == [name]


def test_two_spellings_of_one_file_are_one(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("a\nb\n", encoding="utf-8")
    [file] = Sources(tmp_path, names=["train.py", "/x/train.py"]).files()
    assert set(file.names) == {"train.py", "/x/train.py"}
    assert names_of(PurePath("/home/lab/train.py"), ["/x/lab/train.py", "train.py", "/y/train.py"]) == [
        "/x/lab/train.py",
        "train.py",
    ]


def test_a_line_whose_file_may_be_another_says_so(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("a\nb\n", encoding="utf-8")
    shown = Sources(tmp_path, names=["/x/train.py", "/y/train.py"])
    assert shown.files() == []
    assert "may be /x/train.py or /y/train.py" in shown.excerpt(Frame("/x/train.py", "f", 1))


def own_site(tmp_path: Path, name: str, text: str) -> str:
    """Build the site of a program's own functions, of a dump that names `name`, and return its pages of sources."""
    dumps, path = tmp_path / "dumps", tmp_path / name
    dumps.mkdir()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    for file in SAMPLE.glob("*.txt"):
        (dumps / file.name).write_text(file.read_text(encoding="utf-8").replace(NAMED, str(path)), "utf-8")
    options = BuildOptions(paths=(dumps,), output=tmp_path / "site", source_root=tmp_path, own_functions=True)
    build(options, lambda *_: None)
    return "".join(page.read_text(encoding="utf-8") for page in (tmp_path / "site").glob("m/*/source-*.html"))


FUNCTIONS = "".join(
    f"KEY_{first} = '{SECRET}'\ndef function_{first}():\n" + f"    x = {first}\n" * 8 for first in range(0, 400, 10)
)
"""Functions of nine lines after a line of its own each."""


def test_empty_lines_between_functions_are_not_counted_as_left_out(tmp_path: Path) -> None:
    spaced = "".join(f"def function_{first}():\n" + f"    x = {first}\n" * 8 + "\n" for first in range(0, 400, 10))
    page = own_site(tmp_path, "train.py", "KEY = 1\n" * 5 + spaced)
    shown = {int(number) for number in re.findall(r'id="L(\d+)"', page)}
    assert {24, 25, 26} <= shown
    assert '<p class="left-out">1 line ' not in page


def test_of_the_programs_own_files_only_functions_with_bytes_are_in_a_site(tmp_path: Path) -> None:
    page = own_site(tmp_path, "train.py", FUNCTIONS)
    (module,) = json.loads((tmp_path / "site" / "report.json").read_bytes())["modules"]
    numbers = {int(line["source"].rpartition(":")[2]) for line in module["spaces"]["0"]["peak_resident_lines"]}
    shown = {int(number) for number in re.findall(r'id="L(\d+)"', page)}
    assert numbers <= shown
    # No line of a module stands in it that has no bytes of its own.
    assert {number for number in shown if number % 10 == 1} <= numbers
    assert "lines not in this report" in page
    assert all(number % 10 == 1 or f'id="L{number}"' in page for number in numbers)


@pytest.mark.parametrize(
    "name", ["venv/lib/python3.12/site-packages/lib/train.py", "lib/python3.12/functools.py", ".secret/train.py"]
)
def test_no_file_of_a_package_or_of_python_is_the_programs_own(tmp_path: Path, name: str) -> None:
    assert own_site(tmp_path, name, FUNCTIONS) == ""


def test_a_file_that_only_ends_as_one_of_the_program_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "progs.py").write_text(FUNCTIONS, encoding="utf-8")
    assert Sources(tmp_path, names=[NAMED], is_own=True).files() == []
    assert Sources(tmp_path, names=["progs.py"], is_own=True).files() == []


def test_code_that_cannot_be_parsed_has_only_the_lines_with_bytes(tmp_path: Path) -> None:
    page = own_site(tmp_path, "train.cc", "(\n" * 400)
    (module,) = json.loads((tmp_path / "site" / "report.json").read_bytes())["modules"]
    lines = module["spaces"]["0"]["peak_resident_lines"]
    named = {int(line["source"].rpartition(":")[2]) for line in lines}
    assert {int(number) for number in re.findall(r'id="L(\d+)"', page)} >= named


PROGRAM = (SAMPLES / "programs" / "train_step.py").read_text(encoding="utf-8")
MIXED = '        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)\n'
OTHERS = {
    "moved": "# moved\n" * 7 + PROGRAM,
    "moved by a line": "import os\n" + PROGRAM,
    "renamed": PROGRAM.replace("def attention(", "def mixing("),
    "commented": PROGRAM.replace(MIXED, f"#{MIXED[1:]}"),
    "quoted": PROGRAM.replace(MIXED, "        'mixed'\n"),
    "shorter": "".join(PROGRAM.splitlines(keepends=True)[:70]),
    "no Python": PROGRAM + "%matplotlib inline\n",
    "of an unnamed encoding": PROGRAM + "'\udce9'\n",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_a_file_that_is_not_the_one_that_was_compiled_is_told_once_and_not_shown(
    run: Run, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "src" / "train_step.py"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    words = re.compile(r"train_step\.py is not (?:the file that was compiled|shown): line ")
    ran = run("explain", SAMPLES / "v5e-train-step", "--source", file)
    assert (ran.code, ran.out, len(words.findall(ran.err))) == (2, "", 1)
    ran = run("build", SAMPLES / "v5e-train-step", "--source-root", file.parent, "-o", tmp_path / "site")
    assert (ran.code, len(words.findall(ran.err))) == (0, 1)
    pages = tree(tmp_path / "site")
    assert not [path for path, page in pages.items() if "source-" in path or b"jax.nn.softmax(scores)" in page]


@pytest.mark.parametrize("head", ['\ufeff"""', '# coding: latin-1\n"""\xe9'], ids=["a mark", "a cookie"])
def test_a_file_is_decoded_as_python_does_and_has_the_name_that_is_given(run: Run, tmp_path: Path, head: str) -> None:
    lines = [head, *PROGRAM.split("\n")[1 + head.count("\n") :]]
    (tmp_path / "other.py").write_text("\n".join(lines), "latin-1" if "latin" in head else "utf-8")
    (tmp_path / "train_step.py").symlink_to(tmp_path / "other.py")
    assert run("explain", SAMPLES / "v5e-train-step", "--source", tmp_path / "train_step.py").code == 0


@pytest.mark.parametrize("text", ["\n" * 100_001, " " * 4_000_001], ids=["lines", "bytes"])
def test_a_file_that_is_too_large_is_left_out_and_said(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "train_step.py").write_text(PROGRAM + text, encoding="utf-8")
    words = "it has more than 4,000,000 bytes or 100,000 lines"
    ran = run("explain", SAMPLES / "v5e-train-step", "--source", tmp_path / "train_step.py")
    assert (ran.code, words in ran.err) == (2, True)
    ran = run("build", SAMPLES / "v5e-train-step", "--source-root", tmp_path, "-o", tmp_path / "site")
    assert (ran.code, ran.err.count(f"train_step.py is not shown: {words}")) == (0, 1)


def test_a_file_that_is_newer_than_the_dump_is_told(run: Run, tmp_path: Path) -> None:
    file, [dump] = tmp_path / "train_step.py", (SAMPLES / "v5e-train-step").glob("*assignment.txt.xz")
    file.write_text(PROGRAM, encoding="utf-8")
    for days, words in ((3, "train_step.py was written 3 days after the dump"), (-3, "")):
        os.utime(file, times=(0, dump.stat().st_mtime + days * 86_400))
        ran = run("explain", SAMPLES / "v5e-train-step", "--source", file)
        built = run("build", SAMPLES / "v5e-train-step", "--source-root", tmp_path, "-o", tmp_path / "site")
        assert "12.4 GiB" in ran.out
        assert all(("was written" in err) == bool(words) and words in err for err in (ran.err, built.err))
