"""`attncalc.generate`: problems of a lesson, drawn until they are fair, in the words of the command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import AttncalcError, Diagnostic, Location
from ..problem.model import Problem
from .render import render
from .search import Search, rebuilt
from .specification import specification


@dataclass(frozen=True, slots=True)
class Drawn:
    """One variant: its number, the problem, the text of its file, and the codes of the mistakes that it tells apart."""

    number: int
    problem: Problem
    text: str
    separated: tuple[str, ...]


def generate(
    lesson: str,
    *,
    seed: str | int = "1",
    count: int = 1,
    mask: str | None = None,
    options: Mapping[str, str] | None = None,
    entries: str = "",
    digits: int | None = None,
    family: str = "",
    relax: Sequence[str] = (),
    margin: float = 0.1,
    **sizes: int,
) -> Iterator[Drawn]:
    """`count` problems of a lesson; the same seed gives the same problems, everywhere.

    The arguments are those of `attncalc generate`, `options` those of the lesson, `sizes` such as tokens=4, d_k=2. Every variant
    comes as soon as it is found. Raises AttncalcError with every fault of what was asked, or where no draw meets the demands.

    >>> next(generate("self_attention", seed=7, tokens=2)).separated[:2]
    ('query-key-swapped', 'key-value-swapped')
    """
    search = searching(lesson, sizes, options, mask, entries, digits, str(seed), tuple(relax), margin, family)
    return (
        Drawn(variant.number, rebuilt(search, variant), render(search, variant), tuple(variant.certificate.codes("separated")))
        for variant in search.variants(count)
    )


def searching(
    lesson: str,
    sizes: Mapping[str, int | None],
    options: Mapping[str, str] | None = None,
    mask: str | None = None,
    entries: str = "",
    digits: int | None = None,
    seed: str = "1",
    relax: tuple[str, ...] = (),
    margin: float = 0.1,
    family: str = "",
) -> Search:
    """The search for such problems. Raises AttncalcError; what the problem does not allow is told at the option that caused it."""
    chosen = dict(options or {}) | ({"mask": mask} if mask is not None else {})
    asked = command(lesson, sizes, chosen, entries, digits, family, relax, margin)
    spec = specification(lesson, dict(sizes), chosen, entries, digits, seed, relax, margin, family, asked)
    try:
        return Search(spec)
    except AttncalcError as error:
        raise AttncalcError(Diagnostic(fault.message, _at_option(fault.place, spec.options)) for fault in error.faults) from None


def _at_option(place: Location, options: Mapping[str, str]) -> Location:
    name = place.source.rpartition(".")[2]
    return Location(f"--set {name}={options[name]}") if name in options else Location()


def command(
    lesson: str,
    sizes: Mapping[str, int | None],
    options: Mapping[str, str],
    entries: str = "",
    digits: int | None = None,
    family: str = "",
    relax: tuple[str, ...] = (),
    margin: float = 0.1,
) -> str:
    """The command that asks for the same, without its seed."""
    words = ["attncalc generate", lesson]
    words += [f"--{name.replace('_', '-')} {value}" for name, value in sizes.items() if value is not None]
    words += [f"--set {name}={value}" for name, value in options.items()]
    words += [f'--entries "{entries}"'] * bool(entries) + [f"--family {family}"] * bool(family)
    words += [f"--digits {digits}"] * (digits is not None) + [f"--margin {margin:g}"] * (margin != 0.1)
    return " ".join([*words, *(f"--relax {code}" for code in relax)]).replace("\n", " ")
