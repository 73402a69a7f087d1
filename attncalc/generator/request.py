"""Requests to the generator, raw and checked: lesson, options, sizes, entries, digits and relaxed requirements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from ..errors import AttncalcError, Diagnostics, did_you_mean, shorten
from ..lessons import LESSONS
from ..problem.entry_distributions import Kind, kind
from .lesson_recipes import RECIPES, Recipe, Sizes, drawn_lessons
from .requirements import BETWEEN_VARIANTS, SINGLE_REQUIREMENTS

LARGEST_SIZE = 12
MOST_DIGITS = 8
_ATTENTION = re.compile("(self-attention|cross-attention|multi-head attention|scaled dot-product attention)")
MARGIN = 0.1  # relative deviation of a variant's work from the median
DEFAULT_ENTRIES = "integers -2..2"
# Sentences of the requirements, on one problem and on all, by the codes that may be relaxed
OF_A_PROBLEM = {demand.code: demand.says for demand in SINGLE_REQUIREMENTS}
REQUIREMENTS = OF_A_PROBLEM | {code: says for code, (says, _) in BETWEEN_VARIANTS.items()}
RELAXED = tuple(REQUIREMENTS)


@dataclass(frozen=True, slots=True)
class Family:
    """A family of convenient problems: its sizes, options and entries, and its purpose."""

    says: str
    lessons: tuple[str, ...]
    sizes: Sizes = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    relaxed: tuple[str, ...] = ()


FAMILIES = {
    "whole-scale": Family("d_k is 4: √d_k is 2, so each scaled score is half the score",
        ("self_attention", "attention", "cross_attention"), {"d_k": 4}),
    "look-up": Family("one-hot queries: each row of scores equals a column of K", ("attention",),
        entries={"Q": "one-hot"}),
    "fractions": Family(
        "scores are logarithms of integers, so weights are simple fractions (ties in rounding can occur)",
        ("attention",), {"d_k": 3}, {"scale": "none"}, {"Q": "one-hot", "K": "logarithms 1..6"}, ("ties",),
    ),
    "contrast": Family("the same givens with and without the causal mask",
        ("self_attention", "attention")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Specification:
    """A checked request: one kind of problem. `seed` and a variant's number determine the draw."""

    lesson: str
    recipe: Recipe
    sizes: Sizes
    options: dict[str, str]
    entries: Kind | None
    entries_by_name: dict[str, str]
    digits: int = 2
    seed: str = "1"
    relaxed: frozenset[str] = frozenset()
    margin: float = MARGIN
    family: str = ""
    command: str = ""

    @property
    def draws(self) -> tuple[object, ...]:
        """Key of everything that decides how problems are drawn, except the seed and the margin."""
        chosen = (tuple(words.items()) for words in (self.sizes, self.options, self.entries_by_name))
        return (self.lesson, *chosen, self.entries, self.digits, self.relaxed, self.family)

    @property
    def ask(self) -> str:
        """The question, with the causal mask named."""
        return self.name_mask(self.recipe.ask)

    def name_mask(self, ask: str) -> str:
        """Return a question that names the causal mask if there is one."""
        omits_mask = self.options.get("mask") == "causal" and "causal" not in ask
        return _ATTENTION.sub(r"causal (masked) \1", ask, count=1) if omits_mask else ask

    def size(self, name: str) -> int:
        """Return a size by its name, `one`, a number, or a product of these such as patch*patch."""
        sizes = {"one": 1, **self.sizes}
        return prod(int(factor) if factor.isdigit() else sizes[factor] for factor in name.split("*"))


class Request(NamedTuple):
    """Arguments of the generator as in its command, unchecked."""

    lesson: str
    sizes: Mapping[str, int | None] = {}
    options: Mapping[str, str] = {}
    entries: str = ""
    digits: int | None = None
    seed: str = "1"
    relax: tuple[str, ...] = ()
    margin: float = MARGIN
    family: str = ""

    @property
    def command(self) -> str:
        """The equivalent command, without its seed."""
        words = ["attncalc generate", self.lesson]
        words += [f"--{name.replace('_', '-')} {value}" for name, value in self.sizes.items() if value is not None]
        words += [f"--set {name}={value}" for name, value in self.options.items()]
        words += [f'--entries "{self.entries}"'] * bool(self.entries) + [f"--family {self.family}"] * bool(self.family)
        words += [f"--digits {self.digits}"] * (self.digits is not None)
        words += [f"--margin {self.margin:g}"] * (self.margin != MARGIN)
        return " ".join([*words, *(f"--relax {code}" for code in self.relax)]).replace("\n", " ")


def specification(request: Request, command: str = "") -> Specification:
    """Return the checked specification. Raises AttncalcError with every fault of the request."""
    lesson, family, options = request.lesson, request.family, dict(request.options)
    faults = Diagnostics()
    if lesson not in RECIPES:
        known = [*RECIPES, *drawn_lessons()]
        there = f"; the lessons are {', '.join(known)}"
        hint = (
            f"; attncalc cannot generate problems for this lesson yet{there}"
            if lesson in LESSONS
            else did_you_mean(lesson, known) or "; `attncalc lessons` lists them"
        )
        raise AttncalcError(f"expected a lesson, found {shorten(lesson)!r}{hint}")
    recipe = RECIPES[lesson]
    sizes = _sizes(recipe, lesson, request.sizes, faults)
    problem_family = _family(family, lesson, faults)
    if problem_family:
        for name, size in problem_family.sizes.items():
            if request.sizes.get(name) not in (None, size):
                faults.add(f"--{name.replace('_', '-')}: the family {family} needs {size}, found {request.sizes[name]}")
        sizes |= problem_family.sizes
        is_one_hot = problem_family.entries.get("Q") == "one-hot" and "degenerate" not in request.relax
        if is_one_hot and sizes["tokens"] != sizes["d_k"]:
            needed = f"the family {family} needs as many tokens as d_k, because each query selects a column of K"
            faults.add(f"--tokens: {needed}; found {sizes['tokens']} tokens and d_k = {sizes['d_k']}")
        options = problem_family.options | options
    options = {LESSONS[lesson].declared_name(name): value for name, value in options.items()}
    for name, value in options.items():
        if name not in recipe.options:
            near = did_you_mean(name, recipe.options)
            faults.add(
                f"--set: {lesson} has no option {shorten(name)!r}{near}; the options are {', '.join(recipe.options)}"
            )
        elif "\n" in value:
            faults.add(f"--set: {name}: expected one line")
    for code in request.relax:
        if code not in RELAXED:
            near = f"{did_you_mean(code, RELAXED)}; the requirements are {', '.join(RELAXED)}"
            faults.add(f"--relax: no requirement is called {shorten(code)!r}{near}")
    entry_kind: Kind | None = None
    try:
        entry_kind = kind(request.entries) if request.entries else None
    except AttncalcError as error:
        faults.extend(error)
    faults.raise_any()
    relaxed = frozenset((*request.relax, *recipe.relaxed, *(problem_family.relaxed if problem_family else ())))
    family_entries = problem_family.entries if problem_family else {}
    digits = recipe.digits if request.digits is None else request.digits
    settings = (digits, request.seed, relaxed, request.margin, family, command)
    return Specification(lesson, recipe, sizes, options, entry_kind, family_entries, *settings)


def _sizes(recipe: Recipe, lesson: str, sizes: Mapping[str, int | None], faults: Diagnostics) -> Sizes:
    checked_sizes = dict(recipe.sizes)
    for name, value in sizes.items():
        option = "--" + name.replace("_", "-")
        if value is None:
            continue
        if name not in recipe.sizes:
            faults.extend(
                AttncalcError(f"{lesson} does not have the option {option}; its sizes are {', '.join(recipe.sizes)}")
            )
        elif not 1 <= value <= LARGEST_SIZE:
            faults.add(f"{option}: expected a size from 1 to {LARGEST_SIZE}, found {value}")
        else:
            checked_sizes[name] = value
    if "d_v" in checked_sizes and not checked_sizes["d_v"]:
        checked_sizes["d_v"] = checked_sizes["d_k"]
    if "heads" in checked_sizes and checked_sizes["d_model"] % checked_sizes["heads"]:
        width = checked_sizes["d_model"]
        faults.add(
            f"--heads: d_model must be divisible by the number of heads; "
            f"{width} is not divisible by {checked_sizes['heads']}"
        )
    if lesson == "rotary" and checked_sizes["d_model"] % 2:
        faults.add(f"--d-model: rotary positions need an even number of features, found {checked_sizes['d_model']}")
    return checked_sizes


def _family(family: str, lesson: str, faults: Diagnostics) -> Family | None:
    if not family:
        return None
    problem_family = FAMILIES.get(family)
    if problem_family is None:
        near = f"{did_you_mean(family, list(FAMILIES))}; the families are {', '.join(FAMILIES)}"
        faults.add(f"--family: no family is called {shorten(family)!r}{near}")
    elif lesson not in problem_family.lessons:
        faults.add(
            f"--family: {lesson} does not have the family {family}, which is for {', '.join(problem_family.lessons)}"
        )
        return None
    return problem_family
