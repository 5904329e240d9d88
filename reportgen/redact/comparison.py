"""Redact a comparison, after its values were matched by what is hidden here.

Both sides share one table of tokens, so that a name that both have is one token, and a new name is another.
"""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.analyse.records import Measured
from reportgen.compare.builds import BuildComparison, ModuleComparison
from reportgen.compare.dump_comparison import DumpComparison
from reportgen.compare.graph import Graph, Labels, Operation
from reportgen.compare.verdicts import Judgement
from reportgen.input.inputs import Inputs
from reportgen.input.reading import Problem
from reportgen.options import Redaction
from reportgen.redact.public_figures import redact_judgement
from reportgen.redact.quotes import redact_message
from reportgen.redact.text import Redactor
from reportgen.redact.vocabulary import is_public_module
from reportgen.reports.report_document import GateModule


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
