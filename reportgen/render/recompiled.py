"""Modules of one name with different signatures: a function that was compiled again because a shape changed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from reportgen.analyse.identity import Leaf
from reportgen.render.summary import Summary, biggest_first, needed_bytes

ABSENT = "absent"
_MOST_LEAVES = 8

# TensorFlow numbers its functions: each time one is traced it gets another name.
_TRACED = re.compile(r"a_inference_(.+?)_\d+__Xla.*")


@dataclass(frozen=True, slots=True)
class Variant:
    """One signature: the modules that have it, biggest first, and its shapes where others have different ones."""

    modules: tuple[Summary, ...]
    leaves: tuple[Leaf, ...]
    unlisted: int

    @property
    def biggest(self) -> Summary:
        return self.modules[0]


@dataclass(frozen=True, slots=True)
class Recompiled:
    """A function with its variants, the one that needs most memory first."""

    name: str
    backend: str
    variants: tuple[Variant, ...]

    @property
    def module_count(self) -> int:
        return sum(len(variant.modules) for variant in self.variants)


def recompiled(summaries: Iterable[Summary]) -> list[Recompiled]:
    """Every function of a backend that has several signatures, the one that needs most memory first."""
    groups = [
        Recompiled(name, backend, _variants(modules))
        for (name, backend), modules in _by_function(summaries).items()
        if len({module.signature for module in modules}) > 1
    ]
    return sorted(groups, key=lambda group: (-needed_bytes(group.variants[0].biggest), group.name, group.backend))


def function_name(title: str) -> str:
    """What a module's name says of the function that it was compiled from."""
    traced = _TRACED.fullmatch(title)
    return traced[1] if traced else title


def _by_function(summaries: Iterable[Summary]) -> Mapping[tuple[str, str], list[Summary]]:
    functions: dict[tuple[str, str], list[Summary]] = {}
    for module in sorted(summaries, key=biggest_first):
        if module.signature:
            functions.setdefault((function_name(module.title), module.backend), []).append(module)
    return functions


def _variants(modules: Sequence[Summary]) -> tuple[Variant, ...]:
    by_signature: dict[tuple[Leaf, ...], list[Summary]] = {}
    for module in modules:
        by_signature.setdefault(module.signature, []).append(module)
    shapes = [dict(signature) for signature in by_signature]
    places = _differing(shapes)
    return tuple(
        Variant(tuple(same), _shown(places, shape), max(0, len(places) - _MOST_LEAVES))
        for same, shape in zip(by_signature.values(), shapes, strict=True)
    )


def _differing(shapes: Sequence[Mapping[str, str]]) -> list[str]:
    """The places whose shape is not the same in all, in the order of the signatures."""
    places = dict.fromkeys(place for shape in shapes for place in shape)
    return [place for place in places if len({shape.get(place) for shape in shapes}) > 1]


def _shown(places: Sequence[str], shape: Mapping[str, str]) -> tuple[Leaf, ...]:
    return tuple(Leaf(place, shape.get(place, ABSENT)) for place in islice(places, _MOST_LEAVES))
