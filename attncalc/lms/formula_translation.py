"""Translates the formulas of a plan into the language of a course system."""

from __future__ import annotations

from collections.abc import Callable

from ..formula import operations as op
from ..formula.typed_formula import Node
from ..plan import Step
from .quiz import AskedStep, Quiz

Formula = Callable[[Node, Callable[[str], str]], str]


class NotInLanguage(Exception):
    """The error of an operation that the language cannot express."""


class LanguagePrinter(op.Rules[str]):
    """A writer for formulas in a language. `names` maps the key of a given or step to its variable."""

    def __init__(self, names: Callable[[str], str]):
        self.names = names

    def _absent(self, node: Node) -> str:
        raise NotInLanguage(node.word)

    _round = _one_hot = _top_k = _top_p = _argmax_rows = _order_rows = _sort_rows = _absent

    def _ref(self, node: op.Ref) -> str:
        return self.names(node.key)


class TranslatedQuiz:
    """The formulas of a quiz, once for each of the `ways` in which a result can follow from typed numbers. The
    variables of steps begin with the way.
    """

    def __init__(self, quiz: Quiz, formula: Formula, ways: tuple[str, str]):
        self.quiz, self.plan = quiz, quiz.plan
        self.asked = {asked.key: asked for question in quiz.questions for asked in question.asked}
        entries = quiz.plan.entries if quiz.plan else {}
        self.steps = {key: str(k) for k, (key, entry) in enumerate(entries.items(), 1) if isinstance(entry, Step)}
        self.givens = {key: f"g{k}" for k, key in enumerate(entries, 1) if key not in self.steps}
        self.formulas = {way: self._translated(formula, self.names(way)) for way in ways}
        self.limitations: list[str] = []

    def names(self, way: str) -> dict[str, str]:
        """Return the variables of givens and steps, by key."""
        return self.givens | {key: way + number for key, number in self.steps.items()}

    def _translated(self, formula: Formula, names: dict[str, str]) -> dict[str, str]:
        """Return the formulas of givens and steps, without those that the language cannot express."""
        translated = {}
        for key, entry in self.plan.entries.items() if self.plan else ():
            try:
                translated[key] = formula(entry.node, names.__getitem__)
            except NotInLanguage:
                continue
        return translated

    def ancestors(self, asked: AskedStep) -> list[str]:
        """Return the keys of the givens and steps on which a step depends."""
        return self.plan.ancestors(asked.key)[:-1] if self.plan else []

    def is_calculable(self, asked: AskedStep) -> bool:
        """Return whether the course system can calculate a step from givens and typed entries."""
        known = next(iter(self.formulas.values()))
        return asked.key in known and all(key in known or key in self.asked for key in self.ancestors(asked))
