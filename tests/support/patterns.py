"""Collect the regular expressions of the package, say what is wrong with one, and make texts that are slow for it."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, product
from pathlib import Path
from random import Random
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple

from tests.support.matching import CHARACTERS, MOST_STEPS, Items, Matching

PACKAGE = Path(__file__).parents[2] / "reportgen"
AnyPattern = re.Pattern[str] | re.Pattern[bytes]
Item = tuple[Any, Any]

_REPEATS = frozenset({codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT})
_FUNCTIONS = frozenset({"compile", "search", "match", "fullmatch", "sub", "subn", "finditer", "findall", "split"})
_AT_A_PLACE = frozenset({"match", "fullmatch", "pattern", "require", "mismatch", "matches", "searches"})
"""What tries a pattern at a place, of `re`, of `LineShape` and of `DumpText`."""


class Used(NamedTuple):
    """A pattern of the package, where it is, and whether it is searched for instead of tried at given places."""

    place: str
    pattern: AnyPattern
    is_searched: bool


@cache
def patterns_of_package() -> tuple[Used, ...]:
    """Return every pattern: those that a module holds, also within tuples and objects, and those within functions."""
    trees = {_module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in _files()}
    methods = _methods(trees)
    found: dict[tuple[Any, int], Used] = {}
    for name, tree in trees.items():
        module = importlib.import_module(name)
        held = [(variable, pattern) for variable, value in vars(module).items() for pattern in _within(value)]
        uses = [(f"{name}.{variable}", pattern, methods[_key(name, variable)]) for variable, pattern in held]
        uses += [(f"{name}:{line}", pattern, {method}) for line, method, pattern in _in_functions(module, tree)]
        for place, pattern, called in uses:
            is_searched = not called or not called <= _AT_A_PLACE
            before = found.get((pattern.pattern, pattern.flags), Used(place, pattern, is_searched))
            found[pattern.pattern, pattern.flags] = before._replace(is_searched=before.is_searched or is_searched)
    return tuple(found.values())


def _files() -> Iterator[Path]:
    # These two run a program when they are imported.
    return (path for path in sorted(PACKAGE.rglob("*.py")) if path.name not in ("__main__.py", "sitecustomize.py"))


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def _within(value: object, depth: int = 0) -> Iterator[AnyPattern]:
    """Yield the patterns that a value of a module holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(owner := getattr(value, "__self__", None), re.Pattern):
        yield owner  # the value is a method of a pattern
    elif depth < 3 and not isinstance(value, ModuleType | type):
        if type(value).__module__.startswith("reportgen."):
            compiled = [getattr(value, name) for name, made in vars(type(value)).items() if _is_compiled(made)]
            value = [*compiled, *vars(value).values()] if hasattr(value, "__dict__") else value
        held = [*value.values()] if isinstance(value, Mapping) else value
        if isinstance(held, list | tuple | set | frozenset):
            yield from chain.from_iterable(_within(one, depth + 1) for one in held)


def _is_compiled(attribute: object) -> bool:
    """Return whether an attribute is compiled when it is first used."""
    return isinstance(attribute, cached_property) and "Pattern" in str(attribute.func.__annotations__["return"])


def _key(module: str, name: str) -> str:
    return f"{module}.{name}" if name.startswith("_") else name


def _methods(trees: Mapping[str, ast.Module]) -> Mapping[str, set[str]]:
    """Return by name what is called of it, or what it is passed to; "" stands for any other use."""
    called: defaultdict[str, set[str]] = defaultdict(set)
    for module, tree in trees.items():
        of = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        of |= {id(one): call.func.attr for call in calls for one in call.args}  # type: ignore[attr-defined]
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                called[_key(module, name)].add(of.get(id(node), ""))
    return called


def _in_functions(module: ModuleType, tree: ast.Module) -> Iterator[tuple[int, str, AnyPattern]]:
    """Yield line, function and pattern of each call of `re` within a function; "x" stands for what only it knows."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in _FUNCTIONS
            ):
                pattern = _text(node.args[0], module)
                flags = [eval(ast.unparse(one), {"re": re}) for one in node.args[1:] if "re." in ast.unparse(one)]
                if pattern is not None:
                    yield node.lineno, node.func.attr, re.compile(pattern, *flags)


def _text(node: ast.expr, module: ModuleType) -> Any:
    """Return the text of an expression; None for one that is a parameter."""
    match node:
        case ast.Constant():
            return node.value
        case ast.JoinedStr():
            return "".join(str(_text(value, module) or "x") for value in node.values)
        case ast.FormattedValue():
            return _text(node.value, module)
        case ast.BinOp(op=ast.Add()):
            sides = _text(node.left, module), _text(node.right, module)
            unknown: Any = b"x" if bytes in map(type, sides) else "x"
            return (sides[0] or unknown) + (sides[1] or unknown)
        case ast.Name():
            value = vars(module).get(node.id)
            return value if isinstance(value, str | bytes) else None
    return None


def parsed(pattern: AnyPattern) -> Items:
    """Return the items of a pattern."""
    return [*parser.parse(pattern.pattern, pattern.flags)]


def _parts(arguments: object) -> Iterator[Items]:
    """Yield the sequences of items within the arguments of an item."""
    if isinstance(arguments, parser.SubPattern):
        yield [*arguments]
    elif isinstance(arguments, list | tuple):
        yield from chain.from_iterable(map(_parts, arguments))


def faults(items: Items) -> Iterator[str]:
    """Yield what is wrong with the structure of a pattern: what keeps memory, and what Python 3.11.2 reads wrongly."""
    for code, arguments in items:
        if code in _REPEATS and not _is_character(arguments[2]):
            most, body = arguments[1], arguments[2]
            if code is not codes.POSSESSIVE_REPEAT:
                if most > MOST_ROUNDS:
                    yield "keeps something for each round of a group, which only a possessive repeat does not"
            elif _has_groups(body):
                yield "captures within a possessive repeat, which `re` loses or fails at before 3.13.1"
            elif not _cannot_move(body):
                yield "has a possessive repeat that does not end with an empty alternative"
        if code is codes.ATOMIC_GROUP:
            yield "has an atomic group, which keeps all that the group keeps"
        for part in _parts(arguments):
            yield from faults(part)


MOST_ROUNDS = 100
"""Rounds of a group that may each keep something, because there are few: the dimensions of an array and the like."""


def _is_character(body: Items) -> bool:
    return len(body) == 1 and body[0][0] in CHARACTERS


def _has_groups(items: Items) -> bool:
    return any(
        (code is codes.SUBPATTERN and arguments[0] is not None) or any(map(_has_groups, _parts(arguments)))
        for code, arguments in items
    )


def _cannot_move(body: Items) -> bool:
    """Return whether `re` of Python 3.11.0 to 3.11.4 knows, after a round that fails, where it had begun.

    It does for single characters in a row, and where the last alternative is empty, which never fails.
    """
    if len(body) == 1 and body[0][0] is codes.BRANCH:
        return not [*body[0][1][1][-1]]
    return all(code in CHARACTERS for code, _ in body)


class SlowText(NamedTuple):
    """A text of any length that may be slow: what comes first, what is repeated, and what comes last."""

    first: str
    repeated: str
    last: str = ""

    def of_rounds(self, rounds: int) -> str:
        """Return the text with so many rounds, or more if they are short."""
        return self.first + self.repeated * (rounds * max(1, 8 // len(self.repeated))) + self.last


def slow_texts(items: Items, *, is_searched: bool) -> Sequence[SlowText]:
    """Return texts that may be slow for a pattern, not more than are enough.

    For each repeat: what leads to it and then, again and again, what it repeats. Where the pattern is searched for,
    also a beginning of a match again and again, with any two letters after it that the pattern tells apart.
    """
    maker = _Maker(items)
    texts = [*dict.fromkeys(maker.texts(items, is_searched=is_searched))]
    return Random(0).sample(texts, min(len(texts), _MOST_TEXTS))


_MOST_TEXTS = 200
_LASTS = ("", "\n", "\0")


class _Maker:
    """Make texts of one letter of each kind that a pattern tells apart."""

    def __init__(self, items: Items) -> None:
        self._random = Random(0)
        sets = {id(one): _letters(one) for one in _sets(items)}
        self._letters_of = sets
        kinds: dict[tuple[bool, ...], str] = {}
        for letter in sorted(map(chr, range(256)), key=lambda one: (not one.isalnum(), not one.isprintable(), one)):
            kinds.setdefault(tuple(letter in one for one in sets.values()), letter)
        letters = [*kinds.values()]
        self.letters = tuple(letters)
        self.few = (*letters[:1], *[letter for letter in letters[1:] if not letter.isalnum()][:7])
        """A letter or digit, and signs: they decide where a word, a string or a bracket ends."""

    def texts(self, items: Items, *, is_searched: bool) -> Iterator[SlowText]:
        """Yield every text."""
        for first, rounds in self.repeats(items, ""):
            yield from (SlowText(first, one, last) for one in rounds for last in _LASTS)
            if is_searched:
                more = (*rounds, *self.few, *map("".join, product(self.few, repeat=2)))
                yield from (SlowText("", first + one) for one in more)
        if is_searched:
            yield SlowText("", self.text(items) or "a")

    def repeats(self, items: Items, first: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield for each repeat of any length what leads to it, and its rounds."""
        for number, (code, arguments) in enumerate(items):
            before = first + self.text(items[:number])
            if code in _REPEATS and arguments[1] > MOST_ROUNDS:
                yield before, self._rounds(arguments[2])
            for part in _parts(arguments):
                yield from self.repeats(part, before)

    def _rounds(self, body: Items) -> tuple[str, ...]:
        if _is_character(body):
            return tuple(letter for letter in self.letters if letter in self._letters_of[id(body[0])])
        return tuple(dict.fromkeys(text for _ in range(8) if (text := self.text(body))))

    def text(self, items: Items) -> str:
        """Return a text that the items match, as far as they do not look around."""
        return "".join(map(self._item, items))

    def _item(self, item: Item) -> str:
        code, arguments = item
        if code in CHARACTERS:
            return self._random.choice(
                [letter for letter in self.letters if letter in self._letters_of[id(item)]] or [""]
            )
        if code in _REPEATS:
            least, most, body = arguments
            return "".join(self.text(body) for _ in range(min(least + self._random.randrange(2), most)))
        if code is codes.BRANCH:
            return self.text(self._random.choice(arguments[1]))
        return self.text(arguments[-1]) if code is codes.SUBPATTERN else ""


def _sets(items: Items) -> Iterator[Item]:
    for item in items:
        if item[0] in CHARACTERS:
            yield item
        for part in _parts(item[1]):
            yield from _sets(part)


def _letters(item: Item) -> frozenset[str]:
    """Return what an item that is a set of letters has."""
    has = compiler.compile(parser.SubPattern(parser.State(), [item]), re.ASCII).match
    return frozenset(filter(has, map(chr, range(256))))


def is_slow(used: Used, texts: Iterable[SlowText]) -> SlowText | None:
    """Return a text of which four times as much takes more than eight times the steps."""
    matching = Matching(used.pattern)

    def grows(text: SlowText, rounds: int) -> bool:
        few, many = (matching.steps(text.of_rounds(n), is_searched=used.is_searched) for n in (rounds, 4 * rounds))
        return many > min(8 * few, MOST_STEPS)

    # Twice, because a repeat with a limit has not reached it in a short text.
    return next((text for text in texts if grows(text, 4) and grows(text, 32)), None)
