"""Authored text as HTML, for pages and for practice: words, emphasis and formulas."""

from __future__ import annotations

from . import template_renderer
from .math.inline import MathMLTerms
from .math.mathml import MATHML, escape, math


class HtmlText(template_renderer.Medium):
    """The part of the HTML medium that needs no template."""

    dialect, terms, almost, in_sentence = MATHML, MathMLTerms, "≈", math("{}")

    def words(self, text: str) -> str:
        return escape(text)
