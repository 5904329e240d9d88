"""What the caller sees of a module: its arguments and its results, by which two builds are matched first."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from reportgen.compare.common_subsequence import longest_common_subsequence
from reportgen.compare.evidence import How
from reportgen.compare.graph import Graph, shape_parts
from reportgen.model import WHOLE
from reportgen.program.places import leaf_of


class ParameterLeaf(NamedTuple):
    """A leaf of a parameter: the parameter's number, and the leaf's index in its shape."""

    parameter: int
    leaf: str


def arguments(graph: Graph) -> dict[ParameterLeaf, int]:
    """Return the value of each argument, in the order of the program."""
    dump = graph.analysis.dump
    values = {}
    for number, value in graph.analysis.program.arguments.items():
        allocation = dump.allocations[number]
        if allocation.parameter is not None:
            values[ParameterLeaf(allocation.parameter, allocation.parameter_shape_index or WHOLE)] = value
    # By number, because as text {10} comes before {2}.
    in_order = sorted(values, key=lambda argument: (argument.parameter, leaf_of(argument.leaf)))
    return {argument: values[argument] for argument in in_order}


def argument_pairs(before: Graph, after: Graph) -> Iterator[tuple[int, int, How]]:
    """Yield matching arguments with the evidence: their path, or their position among the shapes."""
    of_before, of_after = arguments(before), arguments(after)
    paths_before, paths_after = _paths(before, of_before), _paths(after, of_after)
    for path, value in paths_before.items():
        if path in paths_after:
            yield value, paths_after[path], "path"
    # Where both sides have paths, one that only one side has names an argument that is new or gone.
    have_paths = bool(paths_before and paths_after)
    named_before, named_after = (set(paths.values()) if have_paths else set() for paths in (paths_before, paths_after))
    rest_before = [(leaf, value) for (_, leaf), value in of_before.items() if value not in named_before]
    rest_after = [(leaf, value) for (_, leaf), value in of_after.items() if value not in named_after]
    # In order what the lists of shapes have in common; where as many differ in between, those too.
    pairs, gaps = longest_common_subsequence(_shapes(before, rest_before), _shapes(after, rest_after))
    for low, high, start, end in gaps:
        if high - low == end - start:
            pairs += zip(range(low, high), range(start, end), strict=True)
    for left, right in pairs:
        yield rest_before[left][1], rest_after[right][1], "number"


def _paths(graph: Graph, values: Mapping[ParameterLeaf, int]) -> dict[tuple[str, str], int]:
    """Return arguments by path and leaf where that is unique."""
    keys = {value: (graph.operation(value).op_name, index) for (_, index), value in values.items()}
    times = Counter(keys.values())
    return {(path, leaf): value for value, (path, leaf) in keys.items() if path and times[path, leaf] == 1}


def _shapes(graph: Graph, arguments: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    shapes = graph.analysis.dump.values.shapes
    return [(index, shape_parts(shapes[value])[0]) for index, value in arguments]


def result_pairs(before: Graph, after: Graph) -> Iterator[tuple[int, int, How]]:
    """Yield the values at equal places in the results, if both results have the same places."""
    results_before, results_after = before.analysis.program.results, after.analysis.program.results
    if results_before.keys() == results_after.keys():
        for place, value in results_before.items():
            yield value, results_after[place], "result"
