"""The views of a module: there for every module, complete without scripts, and adding up to what they break down."""

import re
from collections.abc import Mapping

import pytest

from reportgen.analyse.padding import padded_shapes
from reportgen.render.html.excerpts import LONGEST, excerpt
from reportgen.render.html.templates import MODULE_VIEWS
from reportgen.reports.formats import factor, human_bytes
from tests.analyse.test_lifetimes import STEP as LIVES
from tests.support.dumps import analysed, edited
from tests.support.modules import module_in, module_of, pages_of, views_of
from tests.support.samples import SAMPLE_FOLDERS
from tests.support.site import read_page
from tests.support.sound import BLOCK, SOUND, damaged
from tests.support.tables import tables_of

LARGEST_PAGE = 3_000_000
FAR = damaged(("(size=256,offset=256)", "(size=256,offset=4500)"))
"""A value ends beyond its allocation, and has bytes of another."""


def plain(html: str) -> str:
    """Return what a reader sees, with a space between cells."""
    return " ".join(" ".join(read_page(html.replace("<wbr>", "")).texts).split())


def links_of(html: str) -> list[Mapping[str, str]]:
    return read_page(html).all("a")


def test_every_tab_of_every_sample_leads_to_a_page_that_says_it_is_current() -> None:
    for folder in SAMPLE_FOLDERS:
        pages = pages_of(module_in(folder))
        for name, _ in MODULE_VIEWS:
            assert [link["href"] for link in links_of(pages[name]) if "aria-current" in link] == [name]
            assert len(pages[name].encode()) < LARGEST_PAGE


def test_the_peak_names_what_the_dump_does_not_say() -> None:
    unread = damaged(("  a, operand 0\n  b, operand 0\n", ""), (', metadata={op_name="p"}', ""))
    text = plain(views_of(unread)["index.html"])
    assert "4.25 KiB 85.0 % no source line in the dump" in text
    assert "256 B 5.0 % f.py:3" in text
    assert "f.py:2 neg f32[64] 256 B" in text
    assert "argument 0 f32[64] 256 B" in text
    assert text.count("5.00 KiB 100 % Peak resident") == 8


def test_the_instructions_mark_the_peak_and_each_has_an_anchor() -> None:
    page = read_page(views_of(SOUND)["explore.html"])
    rows = [row for row in page.all("tr") if "id" in row]
    assert [(row["id"], row.get("class")) for row in rows] == [
        (f"i{moment}", "peak" if moment == 3 else None) for moment in range(8)
    ]
    assert "#i3" in [link["href"] for link in page.all("a")]


def test_the_large_memory_spaces_have_columns_of_instructions() -> None:
    module = module_in("v5e-train-step")
    # The views of allocations below it have tables of their own.
    [heads] = [table.heads for table in tables_of(pages_of(module)["explore.html"]) if table.heads[:1] == ["Number"]]
    names = [space.name for space in module.large_spaces]
    assert [head for head in heads if head in names] == names


def test_views_say_what_is_missing() -> None:
    pages = views_of(BLOCK)
    for name in ("index.html", "lifetimes.html", "explore.html"):
        assert any(paragraph.get("class") == "missing" for paragraph in read_page(pages[name]).all("p"))


def test_a_finding_is_shown_with_the_lines_of_the_dump_around_its_place() -> None:
    line = "9 value: <1 a @0> (size=256,offset=0): f32[64]{0} 10 the line value: <2 b @0> (size=256,offset=4500)"
    assert line in plain(views_of(FAR)["findings.html"])


def test_the_page_says_of_every_check_what_it_asks_and_how_much_it_looked_at() -> None:
    module = module_of(analysed(SOUND.partition("  Stack trace")[0]))
    text = plain(pages_of(module)["findings.html"])
    assert (
        "Values with ranges Does each scheduled value have a live range, and a thread-local one none? 7 values nothing"
        in text
    )
    assert "Stack trace Do the nodes of the stack trace add up to its headline and to XLA’s rows? 0 stack" in text
    assert all(f"{result.name} {result.question}" in text for result in module.analysis.evidence)


def test_the_summary_leads_to_the_evidence() -> None:
    renamed = damaged(("%c = f32", "%d = f32"))
    for text, look, verdict in ((renamed, "warning", "no error, 1 warning"), (FAR, "error", "2 errors, 1 warning")):
        page = views_of(text)["index.html"]
        badge = next(link for link in read_page(page).all("a") if "badge" in link.get("class", ""))
        assert (badge["class"], badge["href"]) == (f"badge {look}", "findings.html#checked")
        assert verdict in plain(page)


@pytest.mark.parametrize("value", [0, 1])
def test_an_excerpt_holds_two_lines_before_and_after(value: int) -> None:
    module = module_of(analysed(SOUND))
    place = module.analysis.facts[value].value.text_offset
    lines, at = excerpt(module, place), module.analysis.dump.text.locate(place).line
    assert [(line.number, line.is_it) for line in lines] == [(at + by, by == 0) for by in range(-2, 3)]
    assert [line.text for line in lines] == [SOUND.splitlines()[line.number - 1] for line in lines]


def test_an_excerpt_ends_with_the_file_and_shortens_long_lines() -> None:
    module = module_of(analysed(damaged(("f32[1024]{0}\n", f"f32[1024]{{0}}{'é' * 1000}\n"))))
    assert [line.number for line in excerpt(module, 0)] == [1, 2, 3]
    last = excerpt(module, len(module.analysis.dump.text.parts[0].data))[-1]
    assert last.number == len(SOUND.splitlines())
    [big] = [fact.value for fact in module.analysis.facts if fact.value.key.name == "big"]
    (long,) = [line.text for line in excerpt(module, big.text_offset) if line.is_it]
    assert len(long) == LONGEST + 1
    assert long.endswith("é…")


@pytest.mark.parametrize(
    ("padded", "dense", "text"),
    [
        (96, 68, "1.41×"),
        (4096, 4, "1,024×"),
        (399, 4, "99.8×"),
        (1, 0, "–"),
        (1062, 1000, "1.06×"),
        (100_001, 100_000, "< 1.01×"),
        (8, 8, "1×"),
    ],
)
def test_a_factor_is_never_written_with_an_exponent(padded: int, dense: int, text: str) -> None:
    assert factor(padded, dense) == text


LAYERS = 12


def layers() -> str:
    """Return a dump with a value of each layer, which the last instruction reads."""
    numbers = range(LAYERS)
    values = "".join(f" value: <{n} v{n} @0> (size=8,offset={8 * n}): u8[8]{{0}}\n" for n in numbers)
    used = "".join(
        f"<{n} v{n} @0>\n positions:\n  v{n}\n uses:\n  end, operand {n}\n"
        f' from instruction: %v{n} = u8[8]{{0}} add(%p), metadata={{op_name="jit(f)/layer_{n}/add"}}\n'
        for n in numbers
    )
    sequence = "".join(f"    {n}:v{n}\n" for n in numbers) + f"    {LAYERS}:end\n"
    ranges = "".join(f"    v{n}{{}}:{n}-{LAYERS}\n" for n in numbers)
    return (
        f"BufferAssignment:\nallocation 0: size {8 * LAYERS}, preallocated-temp:\n{values}\nUsed values:\n{used}\n\n"
        f"HloLiveRange (max {LAYERS + 1}):\n  InstructionSequence:\n{sequence}  BufferLiveRange:\n{ranges}"
    )


def test_numbered_siblings_share_a_row_of_the_lifetimes() -> None:
    page = views_of(layers())["lifetimes.html"]
    [table] = tables_of(page)
    row = dict(zip(table.heads, table.rows[0].cells, strict=True))
    assert row["Operation or argument"].text.strip() == "layer_#/add"
    assert row["Shape"].text.strip() == f"{LAYERS} × u8[8]"
    assert row["Size"].amount == 8 * LAYERS
    # That of the layer which is idle longest: the first, whose value the last instruction reads.
    assert [row[head].text.strip() for head in ("Last use", "Next use", "Idle")] == [
        "0",
        str(LAYERS),
        f"up to {LAYERS - 1}",
    ]
    assert f"{8 * (LAYERS - 1)} B Idle at the peak of {8 * LAYERS} B of temporaries" in plain(page)


def test_what_is_read_or_written_at_the_peak_is_marked_as_in_use() -> None:
    page = pages_of(module_in("tpu-train-step"))["lifetimes.html"]
    idle = [row.cells[-1].text.strip() for table in tables_of(page) for row in table.rows if len(row.cells) > 2]
    assert "0" not in idle
    assert 0 < idle.count("in use") == page.count('class="in-use"') < len(idle)
    assert page.count('class="words">i') == len(idle)
    # The rule of the peak is behind the bars, where it hides none of their ticks.
    strips = page.split('role="img"><title>live')[1:]
    assert all(strip.partition("</title>")[2].startswith('<path class="peak"') for strip in strips)


def test_padding_is_said_where_it_is_a_hundredth_of_the_peak() -> None:
    assert "of it is padding" not in plain(pages_of(module_in("v5e-train-step"))["index.html"])
    odd = module_in("tpu-odd-shapes")
    [words] = re.findall(r'<p class="padding">(.*?)</p>', pages_of(odd)["index.html"], re.DOTALL)[:1]
    sizes = [int(size) for size in re.findall(r'<data value="(\d+)"', words)]
    shapes = sorted(
        (shape.at_peak_bytes for shape in padded_shapes(odd.analysis, odd.analysis.spaces[0])), reverse=True
    )
    assert sizes == [sum(shapes), *shapes[:2]]
    assert ", where " in words


def test_what_the_caller_holds_is_apart_from_the_temporaries_that_are_idle_at_the_peak() -> None:
    late = edited(LIVES, ("  b, operand 0\n", "  e, operand 0\n"))
    page = views_of(late)["lifetimes.html"]
    [table] = tables_of(page)
    assert sorted(row.cells[1].text.strip() for row in table.rows) == ["a", "b"]
    assert "10 B Idle at the peak of 30 B of temporaries" in plain(page)
    assert "Of 100 B of arguments and outputs, 100 B is idle." in plain(page)


def test_spaces_that_nobody_runs_out_of_get_no_tables() -> None:
    labels = [table.label for table in tables_of(pages_of(module_in("tpu-train-step"))["lifetimes.html"])]
    assert any("space 0" in label for label in labels)
    assert not any("space 2" in label for label in labels)


def test_a_sound_dump_is_told_so_in_a_sentence_and_its_notes_are_folded() -> None:
    module = module_in("tf-train-step")
    sound = pages_of(module)["findings.html"]
    assert "The numbers can be trusted" in plain(sound)
    kinds = [(found.times, found.slug) for result in module.analysis.evidence for found in result.found]
    times, slug = min(kinds)
    assert f"{sum(times for times, _ in kinds)} notes on what is normal {times} {slug}" in plain(sound)
    assert 'id="findings-table"' in sound.partition("<details")[2]


def test_the_findings_say_where_the_peak_that_xla_prints_differs_in_the_words_of_the_module() -> None:
    differs = set()
    for module in map(module_in, SAMPLE_FOLDERS):
        pages, peak = pages_of(module), module.analysis.xla_peak
        words = f"{human_bytes(peak.sum_bytes)} XLA’s printed peak" if peak else ""
        is_said = "XLA prints another peak" in plain(pages["findings.html"])
        assert is_said == (peak is not None and not peak.is_correct)
        if is_said:
            assert all(words in plain(pages[name]) for name in ("index.html", "findings.html"))
        differs.add(is_said)
    assert differs == {True, False}


def test_a_damaged_dump_is_not_said_to_be_sound() -> None:
    wrong = views_of(FAR)["findings.html"]
    assert "The numbers can be trusted" not in plain(wrong)
    assert 'id="findings-table"' in wrong.partition("<details")[0]
