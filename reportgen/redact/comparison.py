"""Redact comparisons, figures and verdicts, after they were matched and judged by what is hidden here.

Both sides of a comparison share one table of tokens, so that a name that both have is one token, and a new name is
another. Without a dump there is no such table, and a token of one build means nothing in another: a hidden name is
`program`, and modules of a history are told apart by their shapes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from reportgen.analyse.records import Measured
from reportgen.compare.builds import BuildComparison, ModuleComparison
from reportgen.compare.dump_comparison import DumpComparison
from reportgen.compare.graph import Graph, Labels, Operation
from reportgen.compare.module_pairing import Pair
from reportgen.compare.verdicts import Judgement, Verdict
from reportgen.input.discover import Discovered
from reportgen.input.inputs import Inputs
from reportgen.input.reading import Problem
from reportgen.options import Redaction
from reportgen.redact.quoted_names import Names
from reportgen.redact.text import Redactor
from reportgen.redact.vocabulary import is_public_module, redact_message
from reportgen.reports.formats import shortened
from reportgen.reports.report_document import GateModule


def public_name(name: str, redaction: Redaction) -> str:
    """Return the name of a module if it may be shown."""
    return name if is_public_module(name, redaction) else "program"


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
    files_of = {files.label: places[files.place] for files in shown.dumps}
    return tuple(
        replace(module, path=files.label, name=shortened(files.name.module_name))
        for module in modules
        for files in [files_of[module.path]]
    )


def redact_judgement(judgement: Judgement, names: Mapping[str, str]) -> Judgement:
    """Return the verdicts with `names` instead of their keys."""
    in_messages = Names(names)
    return replace(judgement, verdicts=tuple(_redacted(verdict, names, in_messages) for verdict in judgement.verdicts))


def _redacted(verdict: Verdict, names: Mapping[str, str], in_messages: Names) -> Verdict:
    message = in_messages.replaced(verdict.message)
    budget = verdict.budget and replace(verdict.budget, file=None, line=None)
    module = names.get(verdict.module, redact_message(verdict.module))
    return replace(verdict, message=redact_message(message), module=module, budget=budget)


class ComparisonRedactor:
    """Redact what belongs to one comparison, with one table of tokens."""

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        self._redactor = Redactor(redaction)
        self._names: dict[str, str] = {}

    def comparison(self, comparison: BuildComparison) -> BuildComparison:
        """Return the comparison with tokens instead of everything that is not known to be safe."""
        before, after = (
            replace(side, label=redact_message(side.label), dumps=(), problems=())
            for side in (comparison.before, comparison.after)
        )
        return replace(comparison, before=before, after=after, modules=tuple(map(self._module, comparison.modules)))

    def judgement(self, judgement: Judgement) -> Judgement:
        """Return the verdicts with the tokens of the modules. Call this after `comparison`."""
        return redact_judgement(judgement, self._names)

    def problem(self, problem: Problem) -> Problem:
        """Return what was wrong with a dump, under the token of its path."""
        return replace(problem, file=self._label(problem.file), message=redact_message(problem.message))

    def _module(self, module: ModuleComparison) -> ModuleComparison:
        before, after = module.figures
        return replace(
            module,
            figures=(before and self._figures(before), after and self._figures(after)),
            comparison=module.comparison and self._compared(module.comparison),
            inputs=module.inputs and (self._inputs(module.inputs[0]), self._inputs(module.inputs[1])),
        )

    def _inputs(self, inputs: Inputs) -> Inputs:
        words = self._redactor.words
        flags = inputs.flags and {words(name): words(setting) for name, setting in inputs.flags.items()}
        return replace(inputs, flags=flags)

    def _figures(self, module: GateModule) -> GateModule:
        label, name = self._label(module.path), module.name
        is_public = is_public_module(name, self._redaction)
        name = self._names.setdefault(name, name if is_public else self._redactor.token("program", name))
        words = self._redactor.words
        arguments = tuple(
            replace(argument, name=words(argument.name), shape=words(argument.shape)) for argument in module.arguments
        )
        return replace(module, path=label, name=name, arguments=arguments)

    def _label(self, label: str) -> str:
        return self._names.setdefault(label, self._redactor.token("dump", label))

    def _compared(self, comparison: DumpComparison) -> DumpComparison:
        before, after = self._measured(comparison.before), self._measured(comparison.after)
        graphs = self._graph(comparison.graphs[0], before), self._graph(comparison.graphs[1], after)
        return replace(comparison, graphs=graphs)

    def _measured(self, measured: Measured) -> Measured:
        """Replace what a comparison shows of a dump; its text is not shown."""
        dump = measured.dump
        values = replace(
            dump.values,
            keys=self._words(dump.values.keys),
            names=self._words(dump.values.names),
            shapes=self._words(dump.values.shapes),
        )
        used, ranges, names = dump.used_values, dump.live_ranges, self._words(dump.schedule.names)
        dump = replace(
            dump,
            values=values,
            used_values=used and replace(used, keys=self._words(used.keys), names=self._words(used.names)),
            live_ranges=ranges and replace(ranges, keys=self._words(ranges.keys)),
            schedule=replace(dump.schedule, names=names),
        )
        return replace(measured, dump=dump, facts=replace(measured.facts, values=values, _rows={}))

    def _graph(self, graph: Graph, measured: Measured) -> Graph:
        """Return the graph with names, scopes and source lines redacted; `measured` is its dump, redacted already."""
        token, words = self._redactor.token, self._redactor.words
        operations = [
            Operation(
                words(operation.opcode),
                words(operation.op_name),
                token("path", operation.source) if operation.source else "",
            )
            for operation in graph.operations
        ]

        def labels(value: int) -> Labels:
            name, part, scope, line, argument = graph.labels(value)
            return Labels(words(name), words(part), words(scope), token("path", line) if line else "", words(argument))

        return replace(
            graph,
            analysis=measured,
            instructions=self._words(graph.instructions),
            operations=operations,
            labels=labels,
        )

    def _words(self, texts: Sequence[str]) -> list[str]:
        return list(map(self._redactor.words, texts))
