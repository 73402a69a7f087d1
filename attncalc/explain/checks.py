"""What stands under a step: who sees whom, what a print hides, what the mask hides, and whether weights sum to 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import arb, fmpq

from ..arithmetic.matrices import Entry, entries, is_infinite, is_zero
from ..formula.node import Labels
from ..formula.tree import Call, Name
from ..solution import StepResult
from . import texts
from .decoded import in_words
from .document import Paragraph
from .scope import FAILURES, Scope
from .shown import Shown, is_long, is_weights, is_zero_text, step_grid
from .worked import entry_name

MOST_TOLD = 4


def checks(scope: Scope, result: StepResult, brief: bool = False) -> Iterator[Paragraph]:
    """The lines under a step, in the order in which a reader asks; `brief` keeps to what the print hides."""
    shown = scope.shown(result.name)
    for text in [] if brief else [*who_sees_whom(scope, result), *who_looks_where(scope, result, shown), *in_words(scope, result)]:
        yield Paragraph(text, "fine")
    weights = is_weights(result.step)
    if weights and (zeros := _zeros(scope, result)):
        yield Paragraph(zeros, "hidden")
    for text in what_the_print_hides(result, shown):
        yield Paragraph(text, "fine")
    if weights and not brief:
        yield _sums(result, shown)


# -- who sees whom ---------------------------------------------------------------------------------------------------------


def who_sees_whom(scope: Scope, result: StepResult) -> list[str]:
    """For a mask: which keys each query may look at, in words."""
    tree = result.step.tree
    if not isinstance(tree, Call) or tree.function != "keep" or len(tree.arguments) < 2:
        return []
    try:
        rows = scope.rows(tree.arguments[1])
    except FAILURES:
        return []
    if (len(rows), len(rows[0])) != result.shape:
        return []
    if scope.columns:
        rows = [list(column) for column in zip(*rows, strict=True)]
    queries, keys = (result.columns, result.rows) if scope.columns else (result.rows, result.columns)
    told = [_sees(queries, keys, i, [not is_zero(x) for x in row]) for i, row in enumerate(rows)]
    return ["; ".join(_some(told))]


def who_looks_where(scope: Scope, result: StepResult, shown: Shown) -> list[str]:
    """For attention weights: the key that each query takes most from, where one is the largest as printed and is not all."""
    if result.step.base not in ("A", "A_masked") or not is_weights(result.step):
        return []
    printed = shown.printed.texts
    by_queries = list(zip(*printed, strict=True)) if scope.columns else printed
    queries, keys = (result.columns, result.rows) if scope.columns else (result.rows, result.columns)
    told = []
    for i, row in enumerate(by_queries):
        weights = list(map(Fraction, row))
        j = weights.index(max(weights))
        if weights.count(weights[j]) == 1 and weights[j] != 1:
            key = texts.ITSELF if i == j and keys and keys == queries else _called("key", keys, j)
            told.append(texts.looks_most(_called("query", queries, i), key, row[j]))
    return ["; ".join(_some(told))] if told else []


def _called(word: str, labels: Labels, i: int) -> str:
    return texts.shortened(labels[i]) if labels else texts.numbered(word, i)


def _some(told: list[str]) -> list[str]:
    return told if len(told) <= MOST_TOLD else [*told[: MOST_TOLD - 1], "…", told[-1]]


def _sees(queries: Labels, keys: Labels, i: int, seen: list[bool]) -> str:
    query = texts.shortened(queries[i]) if queries else texts.numbered("query", i)
    names = list(map(texts.shortened, keys)) if keys else list(map(str, range(len(seen))))
    if keys and keys == queries:
        names[i] = texts.ITSELF
    where = [j for j, sees in enumerate(seen) if sees]
    if MOST_TOLD < len(where) < len(seen) and where[-1] - where[0] == len(where) - 1:
        told = texts.run(names[where[0]], names[where[-1]])
    else:
        told = texts.several([names[j] for j in where], len(seen))
    plain_numbers = not keys and 0 < len(where) < len(seen)
    return texts.sees(query, texts.keys(told, len(where)) if plain_numbers else told)


# -- what a print hides ----------------------------------------------------------------------------------------------------


def _zeros(scope: Scope, result: StepResult) -> str:
    """Whether some weights are exactly 0, and why: a masked score becomes one."""
    shown = scope.shown(result.name)
    n, m = result.shape
    if not any(shown.is_zero(i, j) for i in range(n) for j in range(m)):
        return ""
    tree = result.step.tree
    scores = tree.arguments[0] if isinstance(tree, Call) and tree.arguments else None
    if isinstance(scores, Name) and any(is_infinite(x) for row in scope.shown(scores.name).rows for x in row):
        return texts.HIDDEN_BY_MASK
    return texts.HIDDEN_BY_MASK if result.step.base == "A_masked" else texts.EXACT_ZERO


def what_the_print_hides(result: StepResult, shown: Shown) -> Iterator[str]:
    """Lines on entries that print as round numbers without being them, and on digits that stay undecided."""
    if shown.closed and any(cell.mark == "rounded" for row in step_grid(Name(result.name), shown, False).cells for cell in row):
        yield texts.EXACT_WITH_DECIMALS
    told_above = result.shape == (1, 1) and shown.is_tiny(0, 0)
    if not shown.closed and not told_above:
        for gaps in _groups(result, shown).values():
            yield _hidden_line(result, shown, gaps)
    for i, j in shown.printed.undecided[:MOST_TOLD]:
        yield texts.undecided(entry_name(result, i, j), shown.text(i, j))


_Gap = tuple[int, int, str]


def _groups(result: StepResult, shown: Shown) -> dict[str, list[_Gap]]:
    """Cells that hide something, by what they print; in other matrices than weights only zeros stand apart."""
    groups: dict[str, list[_Gap]] = {}
    for i, row in enumerate(shown.printed.nearly):
        for j, gap in enumerate(row):
            text = shown.text(i, j)
            if gap is not None and (i, j) not in shown.printed.undecided and _is_worth_telling(text, gap):
                apart = is_weights(result.step) or is_zero_text(text)
                groups.setdefault(text.lstrip("-") if apart else "", []).append((i, j, gap))
    return dict(sorted(groups.items()))


def _is_worth_telling(text: str, gap: str) -> bool:
    """Whole numbers always; 0.0190 only where it is so near that chance would not do it."""
    _, _, decimals = text.partition(".")
    return decimals.strip("0") == "" or _size(gap)[0] < -len(decimals) - 4


def _hidden_line(result: StepResult, shown: Shown, gaps: list[_Gap]) -> str:
    sizes = sorted((gap for _, _, gap in gaps), key=_size)
    spread = texts.spread(sizes[0], sizes[-1])
    prints = {shown.text(i, j) for i, j, _ in gaps}
    if len(prints) > 1 or any(map(is_long, prints)):
        return texts.round_prints(len(gaps), spread)
    text = prints.pop()
    entry = entry_name(result, *gaps[0][:2]) if len(gaps) == 1 else ""
    if is_zero_text(text):
        return texts.not_zero(text, entry, len(gaps), spread)
    return texts.missed(text, entry, len(gaps), spread, _side(shown, text, gaps))


def _side(shown: Shown, text: str, gaps: list[_Gap]) -> str:
    """Whether the entries all lie below the number that they print as, or all above."""
    printed = fmpq(*Fraction(text).as_integer_ratio())
    rows = entries(shown.result.enclosure(_bits(gaps)))
    below = {bool(rows[i][j] < printed) for i, j, _ in gaps}
    above = {bool(rows[i][j] > printed) for i, j, _ in gaps}
    return "below" if below == {True} else "above" if above == {True} else ""


def _bits(gaps: list[_Gap]) -> int:
    """Enough bits to part the entries from what they print as."""
    return min(1 << 14, 128 + max(0, *(4 * -_size(gap)[0] for _, _, gap in gaps)))


def _size(gap: str) -> tuple[int, float]:
    """Orders `7.9e-32` and `<1e-4000` without turning them into floats that underflow."""
    mantissa, _, exponent = gap.lstrip("<").partition("e")
    return int(exponent), float(mantissa)


# -- sums ------------------------------------------------------------------------------------------------------------------


def _sums(result: StepResult, shown: Shown) -> Paragraph:
    """Whether rows (or columns, or everything) sum to 1, as certified and as printed."""
    rows = shown.rows
    lines = {"row": rows, "column": [list(c) for c in zip(*rows, strict=True)]}
    for word, line in lines.items():
        if all(_is_one(_total(x)) for x in line):
            return Paragraph(texts.sums_to_1(word) + _as_printed(result, shown, word), "check")
    for word, line in lines.items():
        empty = [i for i, x in enumerate(line) if all(is_zero(y) for y in x)]
        if empty and all(i in empty or _is_one(_total(x)) for i, x in enumerate(line)):
            return Paragraph(texts.sums_to_0([_line_name(result, word, i) for i in empty], word), "check")
    if _is_one(_total([x for row in rows for x in row])):
        return Paragraph(texts.ALL_SUM_TO_1, "check")
    return Paragraph(texts.not_every("row") + _as_printed(result, shown, "row"), "fine")


def _total(line: Sequence[Entry]) -> Entry:
    return sum(line[1:], line[0])


def _is_one(total: Entry) -> bool:
    return bool(total == 1) if isinstance(total, fmpq) else bool(isinstance(total, arb) and total.contains(1))


def _line_name(result: StepResult, word: str, i: int) -> str:
    return _called(word, result.rows if word == "row" else result.columns, i)


def _as_printed(result: StepResult, shown: Shown, word: str) -> str:
    if shown.closed:
        return ""
    printed = shown.printed.texts
    lines = printed if word == "row" else [list(c) for c in zip(*printed, strict=True)]
    totals = [sum((Fraction(t) for t in line), Fraction(0)) for line in lines]
    off = [(_line_name(result, word, i), f"{float(total):.{shown.digits}f}") for i, total in enumerate(totals) if total != 1]
    return texts.printed_sums(off) if off else ""
