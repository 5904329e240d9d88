"""A page with every part of the design in every state.

`python -m tests.render.parts_page OUT.html` writes it with its style sheets, to be looked at.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.memory import PeakAfter
from reportgen.analyse.classes import CLASSES
from reportgen.analyse.devices import DEVICES, Capacity
from reportgen.analyse.fit import Fit
from reportgen.render.drawings.life import Life
from reportgen.render.html.links import Links
from reportgen.render.html.templates import environment
from reportgen.render.module.need import Segment
from reportgen.render.site.site_pages import fixed_pages
from tests.support.dumps import analysed
from tests.support.modules import module_of
from tests.support.sound import SOUND

GIB = 1 << 30
PARTS = ("parts/marks.html", "parts/cards.html", "parts/controls.html")

TEMPLATE = """
{% extends "pages/base.html" %}
{% import "parts/marks.html" as marks %}
{% import "parts/cards.html" as cards with context %}
{% import "parts/controls.html" as controls %}
{% macro part(name) %}<section class="card"><h2>{{ name }}</h2>{{ caller() }}</section>{% endmacro %}
{% block main %}
<h1>Parts</h1>
{% for name, fit, elsewhere, has_device in verdicts %}
{% call part("Number with verdict: " ~ name) %}<div class="need">
{{ cards.number_with_verdict(3 * gib, fit, elsewhere, has_device) }}
{% if name == "unknown" %}{{ cards.device_choice(devices) }}{% endif %}
</div>{% endcall %}
{% endfor %}
{% call part("Change of a number") %}<div class="need">
{% for look, fits in (("up", false), ("down", true), ("", none)) %}
{% call cards.big_number("−15.9 GiB", look) %}{{ cards.pill("fits now" if fits else "same", fits) }}{% endcall %}
{% endfor %}
</div>{% endcall %}
{% call part("Fit of another space") %}<p>{{ cards.fit_pill(verdicts[0][1]) }} {{ cards.fit_pill(verdicts[1][1]) }}</p>
{% endcall %}
{% for capacity_bytes in (2 * gib, none) %}
{% call part("Stacked bar" ~ (" with capacity" if capacity_bytes else "")) %}
{{ cards.stacked_bar(segments, capacity_bytes, links) }}
{% endcall %}
{% endfor %}
{% call part("Capacity without a name") %}<div class="stack">{{ cards.capacity_tick(gib, 2 * gib, named=false) }}</div>
{% endcall %}
{% call part("Suggestions") %}<ol class="step-list">
{% for key, suggestion, exceeded_bytes in suggestions -%}
{{ cards.suggestion_card(suggestion, key, exceeded_bytes, work, loop.first) }}
{%- endfor %}
</ol>
<p>{{ cards.source_line("/home/u/step.py:12", links) }}</p>
{{ cards.needed_bar(2, 3, 4, 6) }}{{ cards.joint_bar(8, 4, "Tick suggestions to combine them.") }}{% endcall %}
{% call part("Segmented control") %}
{{ controls.segmented("group", "Group by", [("operation", "operation"), ("shape", "shape")], "shape", "band") }}
{% endcall %}
{% call part("Chips") %}<p class="legend">
{% for kind in classes %}{{ chip("class-" ~ kind, kind) }} {% endfor %}
{{ chip("line", "live") }}
{{ chip("changed", "with the change", "changed-legend") }}
</p>{% endcall %}
{% call part("Bars") %}
<table><thead><tr>{{ marks.bar_head() }}<th scope="col">What</th></tr></thead><tbody>
<tr><td class="bars">{{ bar([("parameter", 2), ("temporary", 3)], 8) }}</td><td>parts</td></tr>
</tbody></table>
{% endcall %}
{% call part("Bar rows") %}
<ol class="bar-rows">
{% for look, low in (("peak", 0), ("grown", 2), ("shrunk", 1)) %}
{% call marks.bar_row("3.00 GiB", [(look, 3)], 8, low) %}{{ look }} <small>what is in it</small>{% endcall %}
{% endfor %}
</ol>
<ol class="bar-rows sides">
{% call marks.bar_row("5.00 GiB", [("parameter", 2), ("temporary", 3), ("slack", 1)], 8, capacity_bytes=4) -%}
before{%- endcall %}
</ol>
{% endcall %}
{% call part("Strips of life") %}
<p>{% for life in lives %}{{ life_strip(life) }}{% endfor %}{{ life_strip(none) }}</p>
{% endcall %}
{% endblock %}
"""


def parts_page() -> str:
    """Return the page, made by the templates of the report."""
    capacity = Capacity(2 * GIB, "given", "flag")
    verdicts = (
        ("yes", Fit(capacity, GIB, None), "", True),
        ("no", Fit(capacity, 3 * GIB, 7), "", True),
        ("elsewhere", None, "8 KiB over capacity in VMEM", True),
        ("unknown", None, "", True),
        ("no device", None, "", False),
    )
    module = module_of(analysed(SOUND))
    return (
        environment()
        .from_string(TEMPLATE.lstrip())
        .render(
            root="",
            site_title="Parts",
            gib=GIB,
            links=Links(module),
            verdicts=verdicts,
            devices=tuple(DEVICES.values()),
            segments=_segments(),
            work=replace(module.analysis.work, matmul_flops=10**12),
            suggestions=[_suggestion(confidence, number) for number, confidence in enumerate(get_args(Confidence))],
            classes=CLASSES,
            lives=[_life(waiting, peak) for waiting in ("M40 6h30", "") for peak in ("M50 0v12", "")],
        )
    )


def _segments() -> list[Segment]:
    kinds = (*CLASSES, "slack", "rest")
    parts = [*((kind, 0) for kind in kinds), *((f"source-{number}", 0) for number in (1, 2, 3, 4))]
    return [Segment(name=kind, kind=kind, shade=shade, size_bytes=GIB // 4) for kind, shade in parts]


def _suggestion(confidence: Confidence, number: int) -> tuple[str, Suggestion, int | None]:
    """Return the key of a suggestion, it, and the capacity that is exceeded: it fits, is close or over, or has none."""
    peak_bytes = 3 * GIB // 2
    suggestion = Suggestion(
        kind="checkpoint-loop",
        confidence=confidence,
        what=f"checkpoint the body of the loop at train_step.py:{number}",
        involved_bytes=GIB,
        saving_bytes=331 << 20,
        outcome=PeakAfter(peak_bytes, 0, lambda: [peak_bytes]),
        above_peak_bytes=0,
        added_flops=(0, -(10**12) // 2, 10**11)[number % 3],
        caveat="what it assumes",
        code="jax.checkpoint(body)" if number % 2 else "",
    )
    return f"suggestion-{number}", suggestion, (2 * GIB, GIB, peak_bytes, None)[number % 4]


def _life(waiting: str, peak: str) -> Life:
    return Life(look="class-temporary", held="M30 6h60", used="", idle=waiting, peak=peak, start=24, end=77)


def write_parts_page(path: Path) -> None:
    """Write the page, and beside it the style sheets and scripts that it asks for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(parts_page(), encoding="utf-8")
    for page in fixed_pages("Parts"):
        target = path.parent / page.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(page.content)


if __name__ == "__main__":
    write_parts_page(Path(sys.argv[1]))
