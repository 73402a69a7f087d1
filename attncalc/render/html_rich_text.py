"""Authored text as HTML: words, emphasis and formulas, on pages and in practice."""

from __future__ import annotations

from ..explain.inline_math import Terms
from ..formula.syntax_tree import Tree
from . import template_renderer
from .math.inline import MathMLTerms
from .math.mathml import MATHML, escape, math


class HtmlText(template_renderer.Medium):
    """The part of the HTML medium that needs no template."""

    dialect, almost = MATHML, "≈"

    def words(self, text: str) -> str:
        return escape(text)

    def inline(self, tree: Tree) -> str:
        return math(self.formula(tree))

    def maths(self, terms: Terms) -> str:
        return math(MathMLTerms(self.formulas).set(terms))

    def strong(self, text: str) -> str:
        return f"<strong>{text}</strong>"

    def emphasis(self, text: str) -> str:
        return f"<em>{text}</em>"
