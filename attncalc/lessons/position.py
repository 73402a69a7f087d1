"""Positions: the sinusoidal table of "Attention Is All You Need", added to the tokens."""

from __future__ import annotations

from .base import Input, Lesson, Option, Recipe, Setting, formula_call


def _recipes(s: Setting) -> list[Recipe]:
    options: dict[str, str | None] = {}
    for name in ("base", "start"):
        options[name] = None if s.default(name) else s.text(name)
        s.say(name, {"base": "10000", "start": "0"}[name] if s.default(name) else _shown(s, name))
    for name in ("exponent", "layout"):
        word = s.word(name)
        options[name] = None if s.default(name) else f'"{word}"'
        s.say(name, word)
    tokens, width = ("cols(X)", "rows(X)") if s.columns else ("rows(X)", "cols(X)")
    table = formula_call("sinusoidal", [tokens, width], options)
    scale = s.text("embed_scale")
    embedded = "X * embed_scale" if scale else "X"
    if scale:
        s.say("embed_scale", _shown(s, "embed_scale"))
    return [("PE", f"{table}.T" if s.columns else table), ("X_pe", f"{embedded} + PE")]


def _shown(s: Setting, name: str) -> str:
    from ..formula.tree import unparse

    return unparse(s.trees[name])


POSITIONAL_ENCODING = Lesson(
    "positional_encoding",
    "Where a token stands, written as sines and cosines of falling speed and added to the token.",
    (Input("X", "the tokens, one a row"),),
    (
        Option("base", "formula", "10000", "the largest wavelength over 2π"),
        Option("start", "formula", "0", "the first position"),
        Option("exponent", "word", "2i/d", "the exponent of the base", ("2i/d", "j/d", "2j/d", "i/(d/2-1)")),
        Option("layout", "word", "interleaved", "sine and cosine in turn, or all sines first", ("interleaved", "concatenated")),
        Option("embed_scale", "formula", "none", "what the tokens are multiplied by first, such as sqrt(d_model)"),
    ),
    {"PE": "the position table: a row for each place in the sentence", "X_pe": "the tokens with their places added"},
    _recipes,
)
