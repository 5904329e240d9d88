"""Say in words where a report has its live ranges from, and what may differ from what XLA would print."""

from collections.abc import Mapping

from reportgen.input.dump_text import TextOrigin

ORIGIN_WORDS: Mapping[TextOrigin, str] = {
    "dump": "",
    "schedule": (
        "Made from a proto, which has none: they are rebuilt from its schedule by XLA’s own rules. Where XLA has"
        " printed them too, all peaks were equal; before libtpu 0.0.51 the results of asynchronous work began an"
        " instruction earlier."
    ),
    "trace": (
        "Made from a proto without a schedule: the order of instructions is that of the heap simulator’s trace, and the"
        " live ranges follow from it. Where XLA has printed them too, all peaks were equal and half of the ranges."
    ),
    "proto": "Made from a proto that is damaged or has no schedule, so what is live when is unknown: there is no peak.",
}
