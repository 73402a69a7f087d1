"""What is asked of the generator: lesson, options, sizes, entries, digits, and which demands are relaxed. All of it checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import AttncalcError, Diagnostic, Diagnostics, did_you_mean, shorten
from ..lessons import LESSONS
from .entries import Kind, kind
from .matrix import Recipe, Sizes
from .quality import DEMANDS
from .recipe import RECIPES

LARGEST_SIZE = 12
MOST_DIGITS = 8
DEFAULT_ENTRIES = "integers -2..2"
RELAXED = (*(demand.code for demand in DEMANDS), "work", "duplicates")


@dataclass(frozen=True, slots=True)
class Family:
    """A family of nice problems: sizes, options and entries that it sets, and what it is good for."""

    says: str
    lessons: tuple[str, ...]
    sizes: Sizes = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    relaxed: tuple[str, ...] = ()


FAMILIES = {
    "whole-scale": Family("√d_k is 2, so that scaled scores are halves", ("self_attention", "attention", "cross_attention"), {"d_k": 4}),
    "look-up": Family("one-hot queries: each row of scores is a column of K, read off", ("attention",), entries={"Q": "one-hot"}),
    "fractions": Family(
        "scores are logarithms of whole numbers, so that weights are simple fractions", ("attention",), {"d_k": 3},
        {"scale": "none"}, {"Q": "one-hot", "K": "logarithms 1..6"}, ("ties",),
    ),
    "contrast": Family("the same givens with and without the causal mask, side by side", ("self_attention", "attention")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Specification:
    """One kind of problem. `seed` and a variant's number name the draw; `given` is the command that asks for it."""

    lesson: str
    recipe: Recipe
    sizes: Sizes
    options: dict[str, str]
    entries: Kind | None
    own_entries: dict[str, str]
    digits: int = 2
    seed: str = "1"
    relaxed: frozenset[str] = frozenset()
    margin: float = 0.1
    family: str = ""
    command: str = ""

    def size(self, name: str) -> int:
        return 1 if name == "one" else self.sizes[name]


def specification(
    lesson: str,
    sizes: dict[str, int | None],
    options: dict[str, str],
    entries: str = "",
    digits: int | None = None,
    seed: str = "1",
    relax: tuple[str, ...] = (),
    margin: float = 0.1,
    family: str = "",
    command: str = "",
) -> Specification:
    """The specification, or every fault of what was asked."""
    faults = Diagnostics()
    if lesson not in RECIPES:
        known = "; it has no generator yet" if lesson in LESSONS else did_you_mean(lesson, list(RECIPES))
        raise AttncalcError(f"a lesson is required, {shorten(lesson)!r} stands there{known}; there are {', '.join(RECIPES)}")
    recipe = RECIPES[lesson]
    chosen = _sizes(recipe, lesson, sizes, faults)
    nice = _family(family, lesson, faults)
    if nice:
        chosen |= nice.sizes
        options = nice.options | options
    for name, value in options.items():
        if name not in recipe.options:
            near = did_you_mean(name, recipe.options)
            faults.add(f"--set: {lesson} has no option {shorten(name)!r}{near}; there are {', '.join(recipe.options)}")
        elif "\n" in value:
            faults.add(f"--set: {name}: one line is required")
    for code in relax:
        if code not in RELAXED:
            faults.add(f"--relax: no demand is called {shorten(code)!r}{did_you_mean(code, RELAXED)}; there are {', '.join(RELAXED)}")
    drawn: Kind | None = None
    try:
        drawn = kind(entries) if entries else None
    except AttncalcError as error:
        faults.extend(error)
    faults.raise_any()
    relaxed = frozenset(relax) | frozenset(recipe.relaxed) | frozenset(nice.relaxed if nice else ())
    own = nice.entries if nice else {}
    asked = recipe.digits if digits is None else digits
    return Specification(lesson, recipe, chosen, options, drawn, own, asked, seed, relaxed, margin, family, command)


def _sizes(recipe: Recipe, lesson: str, sizes: dict[str, int | None], faults: Diagnostics) -> Sizes:
    chosen = dict(recipe.sizes)
    for name, value in sizes.items():
        option = "--" + name.replace("_", "-")
        if value is None:
            continue
        if name not in recipe.sizes:
            faults.extend(AttncalcError(Diagnostic(f"{option}: {lesson} has no such size; there are {', '.join(recipe.sizes)}")))
        elif not 1 <= value <= LARGEST_SIZE:
            faults.add(f"{option}: a size from 1 to {LARGEST_SIZE} is required, {value} stands there")
        else:
            chosen[name] = value
    if "d_v" in chosen and not chosen["d_v"]:
        chosen["d_v"] = chosen["d_k"]
    if "heads" in chosen and chosen["d_model"] % chosen["heads"]:
        faults.add(f"--heads: d_model is {chosen['d_model']}, which {chosen['heads']} heads cannot share equally")
    if lesson == "rotary" and chosen["d_model"] % 2:
        faults.add(f"--d-model: rotary positions turn pairs of features; {chosen['d_model']} leaves one over")
    return chosen


def _family(family: str, lesson: str, faults: Diagnostics) -> Family | None:
    if not family:
        return None
    nice = FAMILIES.get(family)
    if nice is None:
        faults.add(f"--family: no family is called {shorten(family)!r}{did_you_mean(family, list(FAMILIES))}; there are {', '.join(FAMILIES)}")
    elif lesson not in nice.lessons:
        faults.add(f"--family: {family} is for {', '.join(nice.lessons)}, not for {lesson}")
        return None
    return nice
