"""Authored text as HTML: words, emphasis and formulas, on pages and in practice."""

from __future__ import annotations

from . import template_renderer
from .math.inline import MathMLTerms
from .math.mathml import MATHML, escape, math


class HtmlText(template_renderer.Medium):
    """The part of the HTML medium that needs no template."""

    dialect, terms, almost, in_sentence = MATHML, MathMLTerms, "≈", math("{}")

    def words(self, text: str) -> str:
        return escape(text)
