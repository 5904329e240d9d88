"""Functions that were compiled more than once: modules of one name in one folder with different signatures.

A folder has the dumps of one process. Functions of one name in two folders may have nothing else in common.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath

from reportgen.analyse.identity import Leaf, Signature
from reportgen.record import record
from reportgen.render.site.file_names import file_names
from reportgen.reports.formats import function_name
from reportgen.reports.summary import Summary, biggest_first

ABSENT = "absent"
_MOST_LEAVES = 8


@record
class Variant:
    """One signature: its modules, biggest first, and its shapes where the variants differ.

    `unlisted` is how many more shapes differ.
    """

    modules: tuple[Summary, ...]
    leaves: tuple[Leaf, ...]
    unlisted: int

    @property
    def biggest(self) -> Summary:
        return self.modules[0]

    @property
    def others(self) -> tuple[Summary, ...]:
        return self.modules[1:]


@record(kw_only=False)
class Recompiled:
    """A function with its variants, the one that needs most memory first.

    `folder` is empty for the top one. `file_names` are short names of its files, by their labels.
    """

    name: str
    backend: str
    folder: str
    variants: tuple[Variant, ...]
    file_names: Mapping[str, str]

    @property
    def module_count(self) -> int:
        return sum(len(variant.modules) for variant in self.variants)


def recompiled(summaries: Iterable[Summary]) -> list[Recompiled]:
    """Return each function with several signatures in a folder, the one that needs most memory first."""
    functions: dict[tuple[str, str, str], list[Summary]] = {}
    for module in sorted(summaries, key=biggest_first):
        if module.signature:
            parent = str(PurePosixPath(module.label).parent)
            key = function_name(module.title), module.backend, "" if parent == "." else parent
            functions.setdefault(key, []).append(module)
    groups = [
        Recompiled(name, backend, folder, _variants(modules), file_names(module.label for module in modules))
        for (name, backend, folder), modules in functions.items()
        if len({module.signature for module in modules}) > 1
    ]
    return sorted(
        groups,
        key=lambda group: (-group.variants[0].biggest.needed_bytes, group.name, group.backend, group.folder),
    )


def _variants(modules: Sequence[Summary]) -> tuple[Variant, ...]:
    """Return a variant for each signature, with the shapes at the places where not all are the same."""
    by_signature: dict[Signature, list[Summary]] = {}
    for module in modules:
        by_signature.setdefault(module.signature, []).append(module)
    shapes = [dict(signature) for signature in by_signature]
    all_places = dict.fromkeys(place for shape in shapes for place in shape)
    places = [place for place in all_places if len({shape.get(place) for shape in shapes}) > 1]
    return tuple(
        Variant(
            modules=tuple(same),
            leaves=tuple(Leaf(place, shape.get(place, ABSENT)) for place in islice(places, _MOST_LEAVES)),
            unlisted=max(0, len(places) - _MOST_LEAVES),
        )
        for same, shape in zip(by_signature.values(), shapes, strict=True)
    )
