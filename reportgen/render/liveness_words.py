"""Why a value is still alive, in a sentence or two."""

from collections.abc import Mapping

from reportgen.analyse.liveness import Liveness, Rule
from reportgen.model import LiveRange
from reportgen.render.links import Links

_SENTENCES: Mapping[Rule, str] = {
    "no range": "The dump has no live range for it.",
    "thread-local": "None: it belongs to a computation, such as a reducer, that is not part of the schedule.",
    "no list of uses": "The dump does not list its uses.",
    "result": "It belongs to the result, so it lives past the last moment.",
    "parameter": "An argument that is not donated is kept for the caller to the end.",
    "last use": "Its last use ends it.",
    "caller": "Its last reader calls a computation, scheduled before it, and the bytes pass on to a parameter there.",
    "alias": "Its bytes pass on to {} already before its last use.",
    "position": "{} passes it on in that moment.",
    "async": "{} ends an operation that needs it until then.",
    "carried": "A loop or branch carries it, so it lives as long as that computation.",
    "part of a result": "It belongs to the result of a computation that ends there.",
    "never used": "Nothing reads it, so it lives in the moment that makes it.",
    "unknown": "The dump does not show why.",
}
_SAYS_IT_ALL = frozenset({"thread-local", "no range", "no list of uses", "last use", "never used"})


def why_alive(liveness: Liveness, live: LiveRange | None, links: Links) -> str:
    """The rule that ends the live range and, where that is no use, what the last real use is."""
    sentence = _SENTENCES[liveness.rule]
    if liveness.decider is not None:
        sentence = sentence.format(links.instruction(liveness.decider))
    if live is None or liveness.rule in _SAYS_IT_ALL:
        return sentence
    return f"{sentence} {_last_use(liveness, live, links)}"


def _last_use(liveness: Liveness, live: LiveRange, links: Links) -> str:
    if liveness.last_use is None or liveness.last_user is None:
        return "No scheduled instruction reads it."
    steps = live.end - liveness.last_use
    told = f"Last read at {liveness.last_use} by {links.instruction(liveness.last_user)}"
    if not steps:
        return f"{told}."
    return f"{told}, {abs(steps):,} moment{'' if abs(steps) == 1 else 's'} {'earlier' if steps > 0 else 'later'}."
