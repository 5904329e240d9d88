"""Redact a comparison, after its values were matched by what is hidden here.

Both sides share one table of tokens, so that a name that both have is one token, and a new name is another.
"""

from dataclasses import replace

from reportgen.compare.builds import BuildComparison, ModuleComparison
from reportgen.compare.comparison import Comparison
from reportgen.compare.figures import ModuleFigures
from reportgen.compare.graph import Graph, Operation
from reportgen.compare.verdicts import Judgement, Verdict
from reportgen.input.reading import Problem
from reportgen.options import Redaction
from reportgen.redact.text import Redactor, redact_message


class ComparisonRedactor:
    """Redact what belongs to one comparison, with one table of tokens."""

    def __init__(self, redaction: Redaction) -> None:
        self._hides_names = redaction == "names"
        self._redactor = Redactor(redaction)
        self._names: dict[str, str] = {}

    def comparison(self, comparison: BuildComparison) -> BuildComparison:
        """Return the comparison without paths, people and machines and, if asked for, without names."""
        return replace(comparison, modules=tuple(map(self._module, comparison.modules)))

    def judgement(self, judgement: Judgement | None) -> Judgement | None:
        """Return the verdicts with the tokens of the modules. To be called after `comparison`."""
        return judgement and Judgement(tuple(map(self._verdict, judgement.verdicts)))

    def problem(self, problem: Problem) -> Problem:
        """Return what was wrong with a dump, under the token of its path."""
        return replace(problem, file=self._label(problem.file), message=redact_message(problem.message))

    def _module(self, module: ModuleComparison) -> ModuleComparison:
        before, after = module.figures
        return replace(
            module,
            figures=(before and self._figures(before), after and self._figures(after)),
            comparison=module.comparison and self._compared(module.comparison),
        )

    def _figures(self, module: ModuleFigures) -> ModuleFigures:
        return replace(module, label=self._label(module.label), name=self._name(module.name))

    def _label(self, label: str) -> str:
        return self._names.setdefault(label, self._redactor.token("dump", label))

    def _name(self, name: str) -> str:
        if not self._hides_names:
            return redact_message(name)
        return self._names.setdefault(name, self._redactor.token("program", name))

    def _compared(self, comparison: Comparison) -> Comparison:
        before, after = comparison.graphs
        return replace(comparison, graphs=(self._graph(before), self._graph(after)))

    def _graph(self, graph: Graph) -> Graph:
        return replace(graph, operations=[self._operation(one) for one in graph.operations])

    def _operation(self, what: Operation) -> Operation:
        op_name = self._redactor.op_name(what.op_name) if what.op_name else ""
        source = self._redactor.token("path", what.source) if what.source else ""
        return Operation(what.opcode, op_name, source)

    def _verdict(self, verdict: Verdict) -> Verdict:
        message = verdict.message
        for text in sorted(self._names, key=len, reverse=True):
            message = message.replace(text, self._names[text])
        budget = verdict.budget and replace(verdict.budget, file=None, line=None)
        module = self._names.get(verdict.module, verdict.module)
        return replace(verdict, message=redact_message(message), module=module, budget=budget)
