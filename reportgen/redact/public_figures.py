"""Redact figures and verdicts, which are judged under real names because budgets and baselines have those.

Without a dump there is no table of tokens, and a token of one build means nothing in another. A hidden name is
therefore `program`, and modules of a history are told apart by their shapes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from reportgen.compare.module_pairing import Pair
from reportgen.compare.verdicts import Judgement, Verdict
from reportgen.input.discover import Discovered
from reportgen.input.reading import DumpFiles
from reportgen.options import Redaction
from reportgen.redact.quoted_names import Names
from reportgen.redact.quotes import redact_message
from reportgen.redact.vocabulary import is_public_module
from reportgen.reports.formats import shortened
from reportgen.reports.report_document import GateModule

_HIDDEN = "program"


def public_name(name: str, redaction: Redaction) -> str:
    """Return the name of a module if it may be shown."""
    return name if is_public_module(name, redaction) else _HIDDEN


def redact_figures(modules: Iterable[GateModule], redaction: Redaction) -> tuple[GateModule, ...]:
    """Return the modules under names that can be published, without arguments and source lines, which have others."""
    return tuple(
        replace(
            _without_quotes(module),
            path="",
            name=public_name(module.name, redaction),
            arguments=(),
            spaces={color: replace(space, peak_resident_lines=()) for color, space in module.spaces.items()},
        )
        for module in modules
    )


def redact_flaws(pairs: Iterable[Pair]) -> list[Pair]:
    """Return pairs of modules whose flaws quote no dump: the kind of finding and its line are left."""
    return [(before and _without_quotes(before), after and _without_quotes(after)) for before, after in pairs]


def _without_quotes(module: GateModule) -> GateModule:
    return replace(module, findings=tuple(replace(flaw, file=None, message=flaw.severity) for flaw in module.flaws))


def real_figures(modules: Iterable[GateModule], real: Discovered, shown: Discovered) -> tuple[GateModule, ...]:
    """Return modules of redacted dumps under their real names; `shown` are the dumps of `real` under other names."""
    places = {files.place: files for files in real.dumps}
    real_files = {files.label: places[files.place] for files in shown.dumps}
    return tuple(_renamed(module, real_files[module.path]) for module in modules)


def _renamed(module: GateModule, files: DumpFiles) -> GateModule:
    return replace(module, path=files.label, name=shortened(files.name.module_name))


def redact_judgement(judgement: Judgement, names: Mapping[str, str]) -> Judgement:
    """Return the verdicts with `names` instead of their keys."""
    in_messages = Names(names)
    return replace(judgement, verdicts=tuple(_redacted(verdict, names, in_messages) for verdict in judgement.verdicts))


def _redacted(verdict: Verdict, names: Mapping[str, str], in_messages: Names) -> Verdict:
    message = in_messages.replaced(verdict.message)
    budget = verdict.budget and replace(verdict.budget, file=None, line=None)
    module = names.get(verdict.module, redact_message(verdict.module))
    return replace(verdict, message=redact_message(message), module=module, budget=budget)
