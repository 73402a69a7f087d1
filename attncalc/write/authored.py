"""What authors write, as HTML: words, emphasis and formulas, on pages and in practice."""

from __future__ import annotations

from ..explain.maths import Terms
from ..formula.tree import Tree
from . import page
from .formulas import maths
from .formulas.mathml import MATHML, escape, math


class HtmlText(page.Medium):
    """The part of a page's medium that needs nothing but strings."""

    dialect, almost = MATHML, "≈"

    def words(self, text: str) -> str:
        """Plain words of an author, escaped."""
        return escape(text)

    def inline(self, tree: Tree) -> str:
        """A formula in a line."""
        return math(self.formula(tree))

    def maths(self, terms: Terms) -> str:
        """A formula of an author."""
        return math(maths.MathML(self.formulas).set(terms))

    def strong(self, text: str) -> str:
        """Strong words."""
        return f"<strong>{text}</strong>"

    def emphasis(self, text: str) -> str:
        """Emphasised words."""
        return f"<em>{text}</em>"
