"""A part of a solution as blocks: its question, conventions and givens, then its steps with the notes below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from flint import fmpq, fmpz

from ..arithmetic.matrix_types import entries, is_infinite, is_zero
from ..arithmetic.rounding import decimal_text
from ..errors import ALONG_ROWS, Diagnostic, shorten
from ..formula.index_base import counted_place, counted_places
from ..formula.operations import taken
from ..formula.parser import parse
from ..formula.syntax_tree import Binary, Call, Index, Name, Transpose, Tree, names, unparse
from ..formula.typed_formula import Labels, Shape, shortened
from ..plan import Given, Step
from ..solution import PartSolution, Solution, StepResult
from . import solution_messages as messages
from .document import Block, Choices, EquationSide, Formula, Grid, Heading, Matrices, Paragraph, Reason, Sign, Worked
from .entry_facts import is_proven_zero, normalized_axis, sums_to_1
from .number_display import DisplayedNumbers, given_grid, is_long, is_weights, is_zero_text, step_grid
from .outline import first_folded, group_steps, visible
from .part_scope import FAILURES, Scope, readable_formula
from .sections import Sections, purpose
from .stated_conventions import abbreviate, choices, scale_names, without_program_names
from .step_pictures import arcs, bars
from .worked.calculation_line import notes
from .worked.entry import example_place, scalar_formula, work_all_entries, work_entry
from .worked.entry_provenance import Location, sources, tint

_DECODERS = ("beam_search", "greedy_decode")


def decoded_words(scope: Scope, result: StepResult) -> Iterator[str]:
    """Yield the words for the word numbers in a step of a decoder."""
    step = result.step
    if step.lesson not in _DECODERS or step.base not in ("beam", "ids", "next"):
        return
    before = step.name.rpartition(".")[0]
    labels = _labels(scope, f"{before}." if before else "")
    if labels is None:
        return
    rows = [[int(x.numerator) for x in row] for row in entries(result.enclosure())]
    sentences = [" ".join(shortened(labels[i]) for i in row) for row in rows]
    yield (
        messages.kept_beginnings(sentences)
        if step.base == "beam"
        else messages.SENTENCE_IN_WORDS.format(words=sentences[0])
    )


def _labels(scope: Scope, before: str) -> Labels:
    """Return the words of the vocabulary: the labels of the first probabilities, if all have labels."""
    entry = scope.entries.get(f"{before}P_1")
    labels = (entry.columns or entry.rows) if entry is not None else None
    return labels if entry is not None and len(labels or ()) == entry.node.size else None


MOST_LISTED = 4


def legends(scope: Scope, result: StepResult, brief: bool = False) -> Iterator[Paragraph]:
    """Yield the lines that help to read the matrix of a step. `brief` leaves out attended keys and words."""
    shown = scope.shown(result.name)
    if not brief:
        attended = (*keys_left_by_mask(scope, result), *most_attended_keys(scope, result, shown))
        for text in (*attended, *decoded_words(scope, result)):
            yield Paragraph(text, "fine")
    if is_weights(result.step) and (zeros := _zeros(scope, result)):
        yield Paragraph(zeros, "hidden")
    if shown.closed and any(
        cell.mark == "rounded" for row in step_grid(Name(result.name), shown, False).cells for cell in row
    ):
        yield Paragraph(messages.EXACT_WITH_DECIMALS, "fine")


def checks(scope: Scope, result: StepResult, brief: bool = False) -> Iterator[Paragraph]:
    """Yield the lines about the numbers of a step. `brief` keeps only lines about numbers that differ from their
    printed form.
    """
    shown = scope.shown(result.name)
    for text in (*no_probabilities(scope, result), *hidden_differences(result, shown)):
        yield Paragraph(text, "fine")
    if is_weights(result.step) and not brief and (sums := _sums(result, shown)) is not None:
        axis_warning = next(
            (warning for warning in scope.solution.problem.warnings if is_along_rows(warning, result.step)), None
        )
        warned = axis_warning.message if axis_warning else ""
        message = warned.removeprefix("warning: ").partition("; did you mean")[0]
        yield Paragraph(f"{sums.text}; {message}", "fine") if message else sums


def is_along_rows(warning: Diagnostic, step: Step) -> bool:
    """Return whether a warning says that the softmax of this step has the wrong axis. Its sums then check nothing."""
    return warning.place == step.place and warning.message.startswith(f"warning: {step.name}: {ALONG_ROWS}")


def no_probabilities(scope: Scope, result: StepResult) -> list[str]:
    """Return a warning if the argument of a cross-entropy or an entropy has rows that do not sum to 1."""
    match result.step.tree:
        case Call("cross_entropy" | "entropy" as function, (argument, *_)):
            try:
                sums = [sum(row) for row in scope.rows(argument)]
            except (*FAILURES, TypeError):
                return []
            row = next((i for i, total in enumerate(sums) if total != 1), None)
            sentence = messages.NO_PROBABILITIES.format(
                function=function, taken=shorten(unparse(argument)), row=counted_place(row or 0)
            )
            return [] if row is None else [sentence]
    return []


# -- attended keys -----------------------------------------------------------------------------------------------------


def keys_left_by_mask(scope: Scope, result: StepResult) -> list[str]:
    """Return sentences with the keys to which each query may attend; empty unless the step applies a mask."""
    tree = result.step.tree
    if not isinstance(tree, Call) or tree.function != "keep" or len(tree.arguments) < 2:
        return []
    try:
        mask, rows = scope.node(tree.arguments[1]), scope.rows(tree.arguments[1])
    except FAILURES:
        return []
    if mask.shape != result.shape:
        return []
    visible = [
        [not is_proven_zero(scope.values.cells, mask, x, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)
    ]
    if scope.columns:
        visible = [list(column) for column in zip(*visible, strict=True)]
    queries, keys = (result.columns, result.rows) if scope.columns else (result.rows, result.columns)
    sentences = [_sees(queries, keys, i, row) for i, row in enumerate(visible)]
    return ["; ".join(_first_and_last(sentences))]


def most_attended_keys(scope: Scope, result: StepResult, shown: DisplayedNumbers) -> list[str]:
    """Return sentences with the key of the largest weight of each query, if this weight is unique in print and below 1.
    Rounding is monotone, so the largest printed weight is the largest weight.
    """
    if result.step.base not in ("A", "A_masked") or not is_weights(result.step) or shown.printed.undecided:
        return []
    printed = shown.printed.texts
    by_queries = list(zip(*printed, strict=True)) if scope.columns else printed
    queries, keys = (result.columns, result.rows) if scope.columns else (result.rows, result.columns)
    sentences = []
    for i, row in enumerate(by_queries):
        weights = list(map(Fraction, row))
        j = weights.index(max(weights))
        if weights.count(weights[j]) == 1 and weights[j] != 1:
            key = messages.ITSELF if i == j and keys and keys == queries else _named("key", keys, j)
            sentences.append(messages.ATTENDS_MOST.format(query=_named("query", queries, i), key=key, weight=row[j]))
    return ["; ".join(_first_and_last(sentences))] if sentences else []


def _named(word: str, labels: Labels, i: int) -> str:
    """Return a label in quotes, or a word with a number such as `row 2` if there are no labels."""
    return (
        messages.QUOTED.format(token=shortened(labels[i]))
        if labels
        else messages.NUMBERED.format(word=word, i=counted_place(i))
    )


def _first_and_last(sentences: list[str]) -> list[str]:
    return sentences if len(sentences) <= MOST_LISTED else [*sentences[: MOST_LISTED - 1], "…", sentences[-1]]


def _sees(queries: Labels, keys: Labels, i: int, visible: list[bool]) -> str:
    query = _named("query", queries, i)
    names = (
        [messages.QUOTED.format(token=shortened(key)) for key in keys] if keys else list(counted_places(len(visible)))
    )
    if keys and keys == queries:
        names[i] = messages.ITSELF
    where = [j for j, sees in enumerate(visible) if sees]
    if MOST_LISTED < len(where) < len(visible) and where[-1] - where[0] == len(where) - 1:
        key_list = messages.NAME_RANGE.format(first=names[where[0]], last=names[where[-1]])
    else:
        key_list = messages.name_list([names[j] for j in where], len(visible))
    plain_numbers = not keys and 0 < len(where) < len(visible)
    return messages.ATTENDED_KEYS.format(
        query=query, keys=messages.keys(key_list, len(where)) if plain_numbers else key_list
    )


# -- numbers that differ from their printed form -----------------------------------------------------------------------


def _zeros(scope: Scope, result: StepResult) -> str:
    """Return the reason for exact zeros in the weights; empty if there are none."""
    shown = scope.shown(result.name)
    n, m = result.shape
    if not any(shown.is_zero(i, j) for i in range(n) for j in range(m)):
        return ""
    tree = result.step.tree
    scores = tree.arguments[0] if isinstance(tree, Call) and tree.arguments else None
    if isinstance(scores, Name) and any(is_infinite(x) for row in scope.shown(scores.name).rows for x in row):
        return messages.NO_SCORE if _keeps_the_best(scope, scores.name) else messages.HIDDEN_BY_MASK
    return messages.HIDDEN_BY_MASK if result.step.base == "A_masked" else messages.EXACT_ZERO


def _keeps_the_best(scope: Scope, name: str) -> bool:
    """Return whether scores are −∞ because they are not among the largest, as in `keep(logits, top_k(logits, 3))`."""
    entry = scope.entries[name]
    match entry.tree if isinstance(entry, Step) else None:
        case Call("keep", (_, Call("top_k" | "top_p"), *_)):
            return True
    return False


def hidden_differences(result: StepResult, shown: DisplayedNumbers) -> Iterator[str]:
    """Yield the lines about entries that are printed as round numbers but are not round, and about undecided digits."""
    in_formula_line = result.shape == (1, 1) and shown.is_tiny(0, 0) and not _is_bound(shown.printed.distances[0][0])
    if not shown.closed and not in_formula_line:
        for gaps in _groups(result, shown).values():
            yield _hidden_line(result, shown, gaps)
    yield from _possible_equalities(result, shown)
    for i, j in shown.printed.undecided[:MOST_LISTED]:
        yield messages.UNDECIDED.format(entry=result.step.entry(i, j), text=shown.text(i, j))


_Gap = tuple[int, int, str]


def _groups(result: StepResult, shown: DisplayedNumbers) -> dict[str, list[_Gap]]:
    """Group the inexact entries by their printed text. Except for weights, all texts other than zeros are one group."""
    groups: dict[str, list[_Gap]] = {}
    for i, row in enumerate(shown.printed.distances):
        for j, gap in enumerate(row):
            text = shown.text(i, j)
            if gap is None or _is_bound(gap) or (i, j) in shown.printed.undecided:
                continue
            if _is_notable(text, gap):
                apart = is_weights(result.step) or is_zero_text(text)
                groups.setdefault(text.lstrip("-") if apart else "", []).append((i, j, gap))
    return dict(sorted(groups.items()))


def _is_bound(gap: str | None) -> bool:
    """Return whether only an upper bound of the distance is known, so that the distance may be 0."""
    return gap is not None and gap.startswith("<")


def _possible_equalities(result: StepResult, shown: DisplayedNumbers) -> Iterator[str]:
    """Yield the lines about entries for which it is undecided whether they equal their printed round number."""
    open_cells: dict[str, list[_Gap]] = {}
    for i, row in enumerate(shown.printed.distances):
        for j, gap in enumerate(row):
            if gap is not None and _is_bound(gap) and (i, j) not in shown.printed.undecided:
                open_cells.setdefault(shown.text(i, j), []).append((i, j, gap))
    for text, gaps in open_cells.items():
        entry = result.step.entry(*gaps[0][:2]) if len(gaps) == 1 else ""
        yield messages.possible_equality(
            text, entry, len(gaps), max((gap for _, _, gap in gaps), key=_size).lstrip("<")
        )


def _is_notable(text: str, gap: str) -> bool:
    """Return whether a printed number is an integer, or is too close to the entry for chance."""
    _, _, decimals = text.partition(".")
    return decimals.strip("0") == "" or _size(gap)[0] < -len(decimals) - 4


def _hidden_line(result: StepResult, shown: DisplayedNumbers, gaps: list[_Gap]) -> str:
    sizes = sorted((gap for _, _, gap in gaps), key=_size)
    spread = messages.spread(sizes[0], sizes[-1])
    prints = {shown.text(i, j) for i, j, _ in gaps}
    if len(prints) > 1 or any(map(is_long, prints)):
        return messages.round_prints(len(gaps), spread)
    text = prints.pop()
    entry = result.step.entry(*gaps[0][:2]) if len(gaps) == 1 else ""
    if is_zero_text(text):
        return messages.nonzero_entries(text, entry, len(gaps), spread)
    return messages.distance_from_print(text, entry, len(gaps), spread, _side(shown, text, gaps))


def _side(shown: DisplayedNumbers, text: str, gaps: list[_Gap]) -> str:
    """Return `below` or `above` if all entries are on this side of their printed number; otherwise an empty string."""
    printed = fmpq(*Fraction(text).as_integer_ratio())
    rows = entries(shown.result.enclosure(min(_bits(gaps), shown.result.values.most_bits)))
    below = {bool(rows[i][j] < printed) for i, j, _ in gaps}
    above = {bool(rows[i][j] > printed) for i, j, _ in gaps}
    return "below" if below == {True} else "above" if above == {True} else ""


def _bits(gaps: list[_Gap]) -> int:
    """Return a precision in bits that separates the entries from their printed number."""
    return min(1 << 14, 128 + max(0, *(4 * -_size(gap)[0] for _, _, gap in gaps)))


def _size(gap: str) -> tuple[int, float]:
    """Return a sort key for distances such as `7.9e-32` and `<1e-4000`, which are too small for floats."""
    mantissa, _, exponent = gap.lstrip("<").partition("e")
    return int(exponent), float(mantissa)


# -- sums --------------------------------------------------------------------------------------------------------------


def _sums(result: StepResult, shown: DisplayedNumbers) -> Paragraph | None:
    """Return a paragraph with the proven sums of rows, columns or all entries, and the sums of printed numbers."""
    sums = {word: _ones(result, word) for word in ("row", "column")}
    empty = {word: _empty(shown, word) for word in ("row", "column")}
    for word, ones in sums.items():
        if all(ones):
            return Paragraph(messages.SUMS_TO_1.format(word=word) + _as_printed(result, shown, word), "check")
    for word in sorted(sums, key=lambda word: word != normalized_axis(result)):
        if empty[word] and all(i in empty[word] or is_unit for i, is_unit in enumerate(sums[word])):
            lines = [_line_name(result, word, i) for i in empty[word]]
            return Paragraph(messages.sums_to_0(lines, word, len(lines) < len(sums[word])), "check")
    if normalized_axis(result) == "all" or sums_to_1(result, [_places(result.shape)])[0]:
        return Paragraph(messages.ALL_SUM_TO_1, "check")
    if False in sums["row"]:
        return Paragraph(messages.NOT_EVERY.format(word="row") + _as_printed(result, shown, "row"), "fine")
    return None


def _places(shape: Shape) -> list[tuple[int, int]]:
    return [(i, j) for i in range(shape[0]) for j in range(shape[1])]


def _lines(result: StepResult, word: str) -> list[list[tuple[int, int]]]:
    n, m = result.shape
    if word == "row":
        return [[(i, j) for j in range(m)] for i in range(n)]
    return [[(i, j) for i in range(n)] for j in range(m)]


def _ones(result: StepResult, word: str) -> list[bool | None]:
    """Return for each row or column whether its sum is 1; None if undecided."""
    if normalized_axis(result) == word:
        empty = _empty_places(result)
        return [not all(place in empty for place in line) for line in _lines(result, word)]
    return sums_to_1(result, _lines(result, word))


def _empty_places(result: StepResult) -> set[tuple[int, int]]:
    rows = entries(result.enclosure())
    return {(i, j) for i, j in _places(result.shape) if is_zero(rows[i][j])}


def _empty(shown: DisplayedNumbers, word: str) -> list[int]:
    empty = _empty_places(shown.result)
    return [k for k, line in enumerate(_lines(shown.result, word)) if empty.issuperset(line)]


def _line_name(result: StepResult, word: str, i: int) -> str:
    return _named(word, result.rows if word == "row" else result.columns, i)


def _as_printed(result: StepResult, shown: DisplayedNumbers, word: str) -> str:
    """Return the sums of printed numbers that differ from 1, with the decimals of the step; empty if there are none."""
    if shown.closed:
        return ""
    unit = 10**shown.digits
    totals = [int(sum(Fraction(shown.text(i, j)) for i, j in line) * unit) for line in _lines(result, word)]
    off = [
        (_line_name(result, word, k), decimal_text(fmpz(total), shown.digits))
        for k, total in enumerate(totals)
        if total != unit
    ]
    return messages.printed_sums(off) if off else ""


def part_blocks(
    solution: Solution,
    part: PartSolution,
    only: set[str] | None,
    exact: bool,
    known: set[str],
    depth: int | None,
    explain: str,
    stated: dict[str, Choices] | None = None,
    folding: bool = True,
) -> Iterator[Block]:
    """Yield the blocks of one part. `only` names the steps to show. `known` holds the givens and reasons that the page
    already has. `stated` holds the conventions of earlier parts. Without `folding`, folded reasons are omitted.
    """
    scope = Scope(solution, part, exact)
    yield from _question(part)
    yield without_program_names(
        abbreviate(choices(solution, scope), part.part.title or part.name or "", {} if stated is None else stated)
    )
    if solution.paper:
        yield Paragraph(messages.on_paper(scope.rounding.digits, scope.rounding.mode), "note")
    chosen = [result for result in part.steps if only is None or result.name in only]
    outline = group_steps(chosen, depth)
    shown = list(visible(outline))
    fold = only is None and explain != "full"
    steps = _Steps(scope, explain, known, fold, folding or not fold)
    yield from steps.loose_givens(chosen, shown, known)
    if folded := first_folded(outline):
        yield Paragraph(messages.unfold_advice(len(chosen) - len(shown), len(chosen), *folded), "advice")
    yield from Sections(scope, outline, steps.step, steps.result, only is None and explain != "brief").blocks()
    if part.part.answer and only is None:
        yield Paragraph(messages.ANSWER_LINE.format(words=part.part.answer), "answer", True)


def _question(solved: PartSolution) -> Iterator[Block]:
    part = solved.part
    if solved.name is not None or part.total_points is not None:
        yield Heading(part.title or (solved.name or "").replace("_", " "), 2, messages.points(part.total_points))
    for text, role in ((part.ask, "ask"), (part.source, "source"), (part.note, "note")):
        if text:
            yield Paragraph(text, role, role != "source")
    if part.asked_stated and part.asked:
        yield Paragraph(messages.ASKED, formulas=tuple(parse(asked.text) for asked in part.asked))


def step_blocks(
    scope: Scope, results: Iterable[StepResult], explain: str = "steps"
) -> Iterator[tuple[StepResult, list[Block]]]:
    """Yield the blocks of each step, for pages that change the order."""
    steps = _Steps(scope, explain, set())
    for result in results:
        yield result, list(steps.step(result))


class _Steps:
    """A writer for the steps of a part. Matrices that were shown before may be printed as names."""

    def __init__(self, scope: Scope, explain: str, known: set[str], folded: bool = True, reasons: bool = True):
        self.scope = scope
        self.known = known
        self.folded = folded
        self.reasons = reasons
        self.brief, self.full = explain == "brief", explain == "full"
        self.operands = Operands(scope)
        self.legend_texts: set[str] = set()

    def loose_givens(self, chosen: list[StepResult], shown: list[StepResult], known: set[str]) -> Iterator[Block]:
        """Yield the givens of the chosen steps that are not shown as operands. Single numbers are in one sentence."""
        formulas = [self.with_numbers(result.step) for result in chosen if not result.step.is_pinned]
        used = {name: None for tree in formulas for name in sorted(names(tree)) if self.scope.given(name)}
        for result in shown:
            for item in self.operand_matrices(result):
                for name in names(item.name) if isinstance(item, Grid) else ():
                    used.pop(name, None)
        givens = [given for name in used if (given := self.scope.given(name)) and given.key not in known]
        known |= {given.key for given in givens}
        grids = [given_grid(given, self.scope.shown(given.name)) for given in givens]
        known_names = scale_names(self.scope)
        numbers = [
            (name, g.cells[0][0].text)
            for g in grids
            if g.shape == (1, 1) and (name := unparse(g.name)) not in known_names
        ]
        if numbers:
            yield Paragraph(messages.given_numbers(numbers), "note")
        items: list[Grid | Sign] = []
        for grid in grids:
            if grid.shape != (1, 1):
                items += [Sign("" if items else messages.GIVEN), grid]
        if items:
            self.operands.remember(items)
            yield Matrices(tuple(items))

    def step(self, result: StepResult) -> Iterator[Block]:
        step = result.step
        if self.is_another_name(step):
            yield Formula(
                Name(step.name), (EquationSide(self.with_numbers(step)),), another_name(step), self.aside(step)
            )
            return
        formula, doc, aside = self.with_numbers(step), meaning(step), self.aside(step)
        operands = self.operand_matrices(result)
        if step.shape == (1, 1) and not operands and not step.given:
            line = scalar_formula(self.scope, result, formula, doc, aside, self.full)
            yield line
            yield from self.line_notes([line.stages[1:]])
        else:
            stages = () if step.given and step.tree == Name(step.name) else (EquationSide(formula),)
            yield Formula(Name(step.name), stages, doc, aside)
            yield from self.origin_note(step)
            at = None if self.brief or self.full or step.given else example_place(self.scope, result)
            example = work_entry(self.scope, result, *at) if at else None
            yield self.matrices(result, operands, at if example else None)
            yield from self.entries(result, example)
        for note in legends(self.scope, result, self.brief):
            if note.text not in self.legend_texts:
                yield note
            self.legend_texts.add(note.text)
        yield from checks(self.scope, result, self.brief)
        if not self.brief:
            if self.reasons:
                yield from self.step_reason(step)
            yield from self.pictures(result)

    def pictures(self, result: StepResult) -> Iterator[Block]:
        """Yield the pictures of a step. Rarely needed modules are imported here."""
        if result.step.base == "lr":
            from .step_pictures import schedule

            yield from schedule(self.scope, result)
        yield from arcs(self.scope, result)
        yield from bars(self.scope, result)
        if result.step.lesson == "beam_search":
            from .step_pictures import beam

            yield from beam(self.scope, result)

    def is_another_name(self, step: Step) -> bool:
        """Return whether a step only renames a matrix that is already on the page: Y = normed."""
        same = isinstance(step.tree, Name) and not step.given and step.shape != (1, 1)
        return same and unparse(step.tree) in self.operands.shown

    def step_reason(self, step: Step) -> Iterator[Reason]:
        """Yield the reason for a step, unless the page already has the same text."""
        from .reasons import reason  # imported here, because it reads files, and few media show reasons

        text = "" if step.given else reason(step.lesson or "", local_name(step), self.scope.columns)
        if fill(step) and "−∞" in text:  # the reason is not about this value
            return
        if text and text not in self.known:
            self.known.add(text)
            yield Reason(text, self.folded)

    def operand_matrices(self, result: StepResult) -> list[Grid | Sign]:
        """Return the operands of a step with the signs between them."""
        return [] if self.brief else self.operands.of(result)

    def entries(self, result: StepResult, line: Worked | None) -> Iterator[Block]:
        """Yield the worked example, or all worked entries."""
        if self.brief or result.step.given:
            return
        blocks = list(work_all_entries(self.scope, result)) if self.full else [line] if line else []
        yield from blocks
        yield from self.line_notes([block.stages for block in blocks if isinstance(block, Worked)])

    def line_notes(self, lines: list[tuple[EquationSide, ...]]) -> Iterator[Paragraph]:
        """Yield the notes on the numbers of calculations, each once on a page."""
        for text in notes(self.scope, filter(None, lines)):
            if text not in self.known:
                self.known.add(text)
                yield Paragraph(text, "fine")

    def result(self, result: StepResult) -> Iterator[Block]:
        yield self.matrices(result, [])

    def matrices(self, result: StepResult, operands: list[Grid | Sign], at: Location | None = None) -> Matrices:
        """Return the matrix of a step after its operands, with tints for the entry at `at` and its sources."""
        step, scope = result.step, self.scope
        grid = step_grid(Name(step.name), scope.shown(step.name), is_weights(step))
        if not step.given:
            grid = grid._replace(explained=lambda i, j: work_entry(scope, result, i, j))
        items: list[Grid | Sign] = [*operands, Sign("="), grid] if operands else [grid]
        self.operands.remember(items)
        return Matrices(
            tuple(tint(scope, items, sources(scope, result, *at), at) if at and grid.shape != (1, 1) else items)
        )

    def origin_note(self, step: Step) -> Iterator[Paragraph]:
        if step.given:
            yield Paragraph(messages.PINNED if step.is_pinned else messages.SUPPLIED, "fine")

    def with_numbers(self, step: Step) -> Tree:
        return readable_formula(self.scope, step.tree)

    def aside(self, step: Step) -> str:
        points = self.scope.part.part.points
        return messages.points(points.get(step.name)) if isinstance(points, dict) else ""


def meaning(step: Step) -> str:
    """Return the author's description of a step, or its purpose in its lesson. If the step divides by another number
    than a square root, the divisor is called the scale. A description of masked scores states the value of masked
    entries.
    """
    if step.means:
        return step.means
    purpose_text = purpose(step.lesson or "", local_name(step))
    if filling := fill(step):
        return purpose_text.replace("−∞", filling)
    match step.tree:
        case Binary("/", _, Call("sqrt")):
            return purpose_text
        case Binary("/"):
            return purpose_text.replace(*messages.OWN_SCALE)
    return purpose_text


def fill(step: Step) -> str:
    """Return the value of masked entries if it is not −∞; an empty string for other steps."""
    options = dict(step.tree.options) if isinstance(step.tree, Call) and step.tree.function == "keep" else {}
    value = unparse(options["fill"]) if "fill" in options else ""
    return "" if value == "-inf" else value


def another_name(step: Step) -> str:
    """Return the reason why a step only renames a matrix."""
    return messages.ANOTHER_NAME.get(f"{step.lesson} {local_name(step)}", messages.SAME_NUMBERS)


def local_name(step: Step) -> str:
    """Return the name of a step in its lesson: `A_1` for `head.A_1`."""
    return step.name.rsplit(".", 1)[-1]


Items = list[Grid | Sign]

MOST_OPERANDS = 4
LARGE = 8  # matrices with more rows or columns are shown only once
_SIGNS = {"@": "·", "+": "+", "-": "−", "*": "∘", "/": "/"}


class Operands:
    """A finder for the operands of steps. It also records the matrices that a part has shown."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.shown: set[str] = set()
        self._grids: dict[str, Grid] = {}

    def of(self, result: StepResult) -> Items:
        """Return the operands of a step with the signs between them; empty if the formula alone is enough."""
        tree = result.step.tree
        if result.step.given:
            return []
        if isinstance(tree, Call) and tree.function in ("hstack", "vstack"):
            return self._side_by_side(tree)
        items = self._chain(tree) or []
        shapes = [item.shape for item in items if isinstance(item, Grid)]
        return items if 2 <= len(shapes) <= MOST_OPERANDS and max(shapes) != (1, 1) else []

    def remember(self, items: Items) -> None:
        """Record matrices as shown."""
        self.shown |= {unparse(item.name) for item in items if isinstance(item, Grid)}

    def _side_by_side(self, tree: Call) -> Items:
        grids = [self._grid(a) for a in tree.arguments]
        if len(grids) > MOST_OPERANDS or any(g is None for g in grids):
            return []
        sign = Sign("|" if tree.function == "hstack" else ";")
        return [item for grid in grids if grid is not None for item in (sign, grid)][1:]

    def _chain(self, tree: Tree) -> Items | None:
        if not isinstance(tree, Binary) or tree.operator not in _SIGNS:
            grid = self._grid(tree)
            return None if grid is None else [grid]
        left, right = self._chain(tree.left), self._chain(tree.right)
        if left is None or right is None or _needs_brackets(tree):
            return None
        with_number = tree.operator == "*" and (1, 1) in (self.scope.shape(tree.left), self.scope.shape(tree.right))
        return [*left, Sign("·" if with_number else _SIGNS[tree.operator]), *right]

    def _grid(self, tree: Tree) -> Grid | None:
        """Return a named matrix, its transpose, or a block of rows and columns; None for other formulas."""
        inside = tree.operand if isinstance(tree, Transpose | Index) else tree
        if not isinstance(inside, Name) or inside.name not in self.scope.entries:
            return None
        grid = self._named(inside)
        if isinstance(tree, Transpose):
            transposed = tuple(zip(*grid.cells, strict=True))
            return Grid(
                tree, transposed, grid.columns, grid.rows, self._seen(tree) or (max(grid.shape) > LARGE and grid.seen)
            )
        if isinstance(tree, Index):
            node = self.scope.node(tree)
            rows, columns = taken(node)
            kept = [grid.cells[i] for i in rows] if rows else list(grid.cells)
            cells = tuple(tuple(row[j] for j in columns) if columns else row for row in kept)
            name = readable_formula(self.scope, tree)
            return Grid(name, cells, node.rows, node.columns, self._seen(name))
        return grid

    def _named(self, name: Name) -> Grid:
        if name.name not in self._grids:
            entry, shown = self.scope.entries[name.name], self.scope.shown(name.name)
            weights = isinstance(entry, Step) and is_weights(entry)
            self._grids[name.name] = (
                given_grid(entry, shown) if isinstance(entry, Given) else step_grid(name, shown, weights)
            )
        return self._grids[name.name]._replace(seen=self._seen(name))

    def _seen(self, tree: Tree) -> bool:
        return unparse(tree) in self.shown


def _needs_brackets(tree: Binary) -> bool:
    """Return whether a row of operands without brackets would mean another formula."""
    right_is_chain = isinstance(tree.right, Binary) and tree.operator != "+"
    left_is_sum = isinstance(tree.left, Binary) and tree.operator in "@*/" and tree.left.operator != tree.operator
    return right_is_chain or left_is_sum
