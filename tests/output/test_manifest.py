"""The manifest is read back as it was written; one that somebody has changed is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.output.manifest import (
    manifest_row,
    page_digest,
    parse_manifest,
    sealed_line,
    serialize,
    sum_of_digests,
    unsealed_line,
)
from reportgen.work import Part
from tests.support.forged import sealed

FOLDERS = st.sampled_from(["", "m/one/", "m/one/v/", "m/two/"])
NAMES = st.text("abc123", min_size=1, max_size=8)
PATHS = st.builds("{}{}.html".format, FOLDERS, NAMES)
JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
PARTS = st.builds(
    Part,
    key=NAMES,
    paths=st.lists(PATHS, unique=True).map(lambda paths: tuple(sorted(paths))),
    size_bytes=st.integers(0, 1 << 60),
    digest=st.integers(0, (1 << 128) - 1),
    outcome=JSON,
)


def manifest(parts: dict[str, Part]) -> bytes:
    return serialize({name: manifest_row(name, part) for name, part in parts.items()})


@given(st.dictionaries(st.text(), PARTS, max_size=4))
def test_a_manifest_is_read_back_as_it_was_written(parts: dict[str, Part]) -> None:
    assert parse_manifest(manifest(parts)) == parts


@given(st.text(st.characters(codec="utf-8")), st.integers(0, 200))
def test_a_line_of_the_list_of_pages_names_its_path_unless_it_was_cut_off_or_forged(path: str, cut: int) -> None:
    line = sealed_line(path)
    assert unsealed_line(line) == path
    assert unsealed_line(line[:cut]) == (path if cut >= len(line) else None)
    assert unsealed_line(json.dumps(path).encode()) is None


@given(st.dictionaries(st.text(), PARTS, min_size=2, max_size=4))
def test_the_order_of_parts_does_not_matter(parts: dict[str, Part]) -> None:
    assert manifest(dict(reversed(parts.items()))) == manifest(parts)


def changed(part: Part, **changes: Any) -> dict[str, Part] | None:
    """Return what is read after the row of a part, and nothing else, has been changed in the file."""
    document = json.loads(manifest({"": part}))
    document["parts"][""] |= changes
    return parse_manifest(json.dumps(document, separators=(",", ":")).encode() + b"\n")


PART = Part("key", ("a/1.html", "a/2.html"), 7, 8, {"peak": 1})


@pytest.mark.parametrize(
    "changes",
    [{"key": "other"}, {"outcome": {"peak": 2}}, {"size_bytes": 8}, {"digest": "0" * 32}, {"digest": 5}],
)
def test_a_changed_manifest_is_not_believed(changes: dict[str, Any]) -> None:
    assert changed(PART, **changes) is None


def test_an_unchanged_manifest_is_believed() -> None:
    assert changed(PART) == {"": PART}


@pytest.mark.parametrize("ending", [b"}", b',"seal":"none"}\n', b',"seal":0}\n'])
def test_a_manifest_without_a_valid_seal_is_not_believed(ending: bytes) -> None:
    content = manifest({"": PART}).rpartition(b',"seal":')[0]
    assert parse_manifest(content + ending) is None


@pytest.mark.parametrize(
    "row", [None, 1, [], {}, {"files": 1}, {"folder": 1, "files": ["x"]}, {"folder": "", "files": [1]}]
)
def test_an_invalid_row_is_an_empty_part(row: object) -> None:
    assert parse_manifest(sealed({"": row})) == {"": Part("", ())}


@given(st.lists(st.tuples(PATHS, st.binary(max_size=9)), unique=True), st.randoms())
def test_the_digest_of_pages_depends_on_their_paths_and_bytes_but_not_on_their_order(
    pages: list[tuple[str, bytes]], random: Any
) -> None:
    digests = [page_digest(*page) for page in pages]
    shuffled = random.sample(digests, len(digests))
    assert sum_of_digests(digests) == sum_of_digests(shuffled)
    if pages:
        path, content = pages[0]
        assert page_digest(path, content + b"x") != digests[0]
        assert page_digest(f"x{path}", content) != digests[0]
