"""Answers to the steps of a problem: names found, shapes fitted, labels matched, and what was done said in notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import prod

from flint import fmpq

from ..errors import AttncalcError, Diagnostic, FormulaError, Location, did_you_mean, shorten, size
from ..formula import operations as op
from ..formula.elaboration import check
from ..formula.operations import Indices, taken
from ..formula.syntax_tree import Index, Number, Slice, Tree, unparse
from ..formula.typed_formula import Node, Where
from ..plan import Step, step_called
from ..problem.problem import Problem
from .answer_examples import as_written
from .answer_file import blank
from .closed_form_numbers import same_numbers
from .nearby_words import CORRECTING
from .remarks import headed
from .shape_matching import WrongShape, fit
from .step_names import of_head, other_names, spelled
from .submission import Answer, Losses, Script, Typed, Unread

_TWICE = "{}: expected one answer, found {}; neither is used, so delete one of them"
MOST_LEFT = 5  # lines that are not read as answers, each with a note of its own
LAST_OF_CHAIN = "several matrices are joined by equals signs; the last one is read"


_COUNTED = re.compile(r"([A-Za-z]+?)_?[0-9](?:_?[0-9])?")  # A_11, A_1_1, A11, A_1
_NOT_AN_ENTRY = (
    "no step is called {0}; write an entry of {1} as {1}[0, 0], and a row as {1}[0] (rows and columns are counted "
    "from 0)"
)
_TORN = (
    "expected the rows of {0} together, found a line directly below them that belongs to no step; write other "
    "lines above {0} or below a blank line"
)
_PRODUCT_OR_ITEM = (
    "expected one statement on a line, found {1} after a value of {0}, so neither is used; write {0} and {1} on their "
    "own lines"
)
_OTHER_VALUE = "expected one answer, found another value below it, called {!r}; the first one counts"
_IGNORED = "{} is not a step of this problem and was ignored"
_NONE_IS_0 = (
    "the rows and columns of {0} are counted from 0, but none of your indices is 0; if you count from 1, "
    "write {0}[0, 0] for the first entry"
)


@dataclass(frozen=True, slots=True)
class Filled:
    """The cells of one step that were answered, in the step's own rows and columns. A blank cell is not among them.

    `kind` is `whole` where every cell of the step was answered, else `partial`. `transposed` says that the answer fits
    only when its rows are read as columns; `cells` hold it so. `notes` say for people how the answer was read.
    """

    part: str | None
    step: Step
    cells: dict[Where, Typed]
    notes: tuple[str, ...] = ()
    transposed: bool = False
    kind: str = "whole"
    printed: bool = False
    computed: str | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A script on its problem; `steps` in the order of the plan. `notes` say what was left aside, `unread` what could
    not be read.

    `left` are lines and matrices of which nothing was made, and which may be answers that the student lost points for.
    `shapes` holds the steps that were answered with a matrix of the wrong shape, and both shapes in words; `words` the
    entries in which a word stands in the place of a number.
    """

    script: Script
    problem: Problem
    steps: tuple[Filled, ...]
    notes: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()
    shapes: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, dict[Where, str]] = field(default_factory=dict)
    left: tuple[Diagnostic, ...] = ()

    @property
    def lost(self) -> list[Unread]:
        """The pieces that could not be read, without those beside answers that count."""
        return [unread for unread in self.unread if not unread.is_nearby]

    def find(self, key: str) -> Filled | None:
        """Return the answer to the step with this key (`masked.S`), None if there is none."""
        return next((filled for filled in self.steps if filled.step.key == key), None)


@dataclass(slots=True)
class _Pile:
    """The answers to one step so far."""

    step: Step
    typed: dict[Where, Typed] = field(default_factory=dict)
    disputed: set[Where] = field(default_factory=set)  # answered twice, with numbers that differ
    misfit: Answer | None = None  # a whole matrix of the wrong shape
    notes: list[str] = field(default_factory=list)
    transposed: bool = False
    answers: list[Answer] = field(default_factory=list)

    @property
    def cells(self) -> dict[Where, Typed]:
        return {cell: typed for cell, typed in self.typed.items() if not typed.word and cell not in self.disputed}

    @property
    def words(self) -> dict[Where, str]:
        return {cell: typed.text for cell, typed in self.typed.items() if typed.word and cell not in self.disputed}

    def filled(self) -> Filled:
        cells = self.cells
        computed = {answer.computed for answer in self.answers} - {None}
        return Filled(
            self.step.part,
            self.step,
            dict(sorted(cells.items())),
            tuple(dict.fromkeys(self.notes)),
            self.transposed,
            "whole" if len(cells) == self.step.node.size else "partial",
            all(answer.printed for answer in self.answers),
            "float32" if "float32" in computed else next(iter(computed), None),
        )


def bind(script: Script, problem: Problem, lenient: bool = False) -> Bound:
    """Find the step of each answer of a script.

    Raises AttncalcError with every fault: a part or a step that the problem does not have, or a cell that is answered
    twice with different numbers. In lenient mode only these answers are left out, and both of two that differ. A matrix
    of the wrong shape is a wrong answer, and no fault; so is one given cell by cell with a cell too many.
    """
    losses = Losses(lenient)
    names = _Names(problem)
    piles: dict[str, _Pile] = {}
    shapes: dict[str, str] = {}
    beyond: dict[str, list[_Beyond]] = {}
    notes = [str(note) for note in script.crossed]
    aside: list[Answer] = []
    misfits: set[str] = set()  # the steps with an answer of another shape, which something may explain
    unsure = {note.step for note in script.unread} | {_called(note) for note in script.doubts if note.explains}
    # a file may end in .problem.yaml
    if script.problem and problem.name and not problem.name.startswith(script.problem):
        notes.append(f"these answers are for {shorten(script.problem)}, but are compared with {shorten(problem.name)}")
    answers = tuple(part for answer in script.answers for part in _apart(answer, names))
    kept = _in_one_reading(_from_zero(_as_entries(answers, names), names, losses, notes), names, losses)
    strange = {_position(note.fault.place) for note in script.unread if not names.has(note.step)}
    strange |= {_position(answer.place) for answer in kept if names.is_none(answer)}
    for answer in kept:
        try:
            step = names.find(answer)
            if step is None:
                aside.append(answer)
            elif any(cell is not None for row in answer.rows for cell in row):
                is_torn = not strange.isdisjoint(_below(answer))
                if not _put(
                    piles.setdefault(step.key, _Pile(step)), answer, shapes, _called(answer) in unsure, is_torn
                ):
                    misfits.add(step.key)
                for fault in names.nearby_faults(answer):
                    losses.note(step.key, fault)
        except _Beyond as error:
            beyond.setdefault(error.key, []).append(error)
        except AttncalcError as error:
            losses.extend(_called(answer), error)
    _set_aside(aside, names, notes, losses, bool(piles or beyond or shapes))
    _misshapen(beyond, piles, shapes, losses)
    settled = {id(doubt) for doubt in script.doubts if _weigh(doubt, names, piles, losses, misfits)}
    _add_comments(script, problem, names, losses)
    lines = [line for line in script.left if not any(id(doubt) in settled for doubt in line.doubts)]
    asked = {".".join(filter(None, (part.name, each.step))) for part in problem.parts for each in part.asked}
    has_open_steps = bool(asked - {*piles} - {*shapes})
    _note_other_values(kept, names, losses)
    left = [line.note for line in lines]
    notes += map(str, left[:MOST_LEFT])
    if len(left) > MOST_LEFT:
        notes.append(f"{len(left) - MOST_LEFT} more lines contain numbers, but are not read as answers")
    # A matrix of another name may be meant for a step without an answer, and a result for any step
    aside = [answer for answer in aside if answer.step not in names.givens]
    aside = [answer for answer in aside if has_open_steps or headed(answer.step) == "answer"]
    left += [Diagnostic(_IGNORED.format(shorten(answer.step)), answer.place) for answer in aside]
    unread = script.unread + losses.done()
    answered = (pile.filled() for step in problem.plan.steps() if (pile := piles.get(step.key)) and pile.cells)
    words = {key: pile.words for key, pile in piles.items() if pile.words}
    return Bound(script, problem, tuple(answered), tuple(dict.fromkeys(notes)), unread, shapes, words, tuple(left))


def _in_one_reading(answers: list[Answer], names: _Names, losses: Losses) -> list[Answer]:
    """Return the answers without those in whose working a factor may be the name of the next value: a step without
    another answer, or no name of the problem. Each is a fault of both. The T behind ^ is a transpose.
    """
    steps: dict[int, Step] = {}
    for k, answer in enumerate(answers):
        with suppress(AttncalcError):
            if step := names.find(answer):
                steps[k] = step
    answered = {step.key for k, step in steps.items() if not answers[k].factors}
    kept = []
    for k, answer in enumerate(answers):
        for factor in answer.factors:
            meant = names.called_so(factor, answer)
            is_unknown = k in steps and not meant and factor not in {*names.givens, "T"}
            if is_unknown or any(step.key not in answered for step in meant):
                error = AttncalcError(_PRODUCT_OR_ITEM.format(shorten(answer.step), shorten(factor)), answer.place)
                for called in dict.fromkeys([_called(answer), *(step.key for step in meant)]):
                    losses.extend(called, error)
                break
        else:
            kept.append(answer)
    return kept


def _apart(answer: Answer, names: _Names) -> list[Answer]:
    """Return an answer without the rows below it that begin with the names of other steps, and these as other answers.

    So a table with labels that is not parted from the next step ends where that begins.
    """
    labels, step = answer.row_labels or (), None
    with suppress(AttncalcError):
        step = names.find(answer)
    first = next((k for k, label in enumerate(labels) if names.has(label)), 0)
    if step is None or not first or first != step.shape[0] or set(labels) & set(step.rows or ()):
        return [answer]
    kept = tuple(row[: len(answer.column_labels or row)] for row in answer.rows[:first])
    parts: dict[str, list[tuple[Typed | None, ...]]] = {}
    called = ""
    for label, row in zip(labels[first:], answer.rows[first:], strict=True):
        called = label if names.has(label) else called
        width = max((k for k, typed in enumerate(row, 1) if typed is not None), default=0)
        parts.setdefault(called, []).append(row[:width])
    answers = [replace(answer, rows=kept, row_labels=labels[:first], filled=None)]
    for name, rows in parts.items():
        place = next((typed.place for row in rows for typed in row if typed), answer.place)
        flat = len(rows) == 1
        answers.append(Answer(answer.part, name, None, tuple(rows), place=place, flat=flat, loose=answer.loose))
    return answers


def _as_entries(answers: tuple[Answer, ...], names: _Names) -> tuple[Answer, ...]:
    """Return the answers with v[:, 1] for v[1], NumPy's entry of a vector, if a step of one row gets one number."""

    def as_entry(answer: Answer) -> Answer:
        where = answer.where
        if where is None or where.columns is not None or not isinstance(where.rows, Number):
            return answer
        with suppress(AttncalcError):
            step = names.find(answer)
            if step is not None and step.shape[0] == 1 < step.shape[1] and [len(row) for row in answer.rows] == [1]:
                whole = Slice(None, None, None)
                return replace(answer, where=Index(where.operand, whole, where.rows, where.at))
        return answer

    return tuple(map(as_entry, answers))


def _from_zero(answers: tuple[Answer, ...], names: _Names, losses: Losses, notes: list[str]) -> list[Answer]:
    """Return the answers without entries that are counted from 1, or in free text may be; each is a fault."""
    if all(answer.where is None for answer in answers):
        return [*answers]
    entries: dict[str, list[Answer]] = {}
    whole, steps = set(), {}
    for answer in answers:
        with suppress(AttncalcError):
            if step := names.find(answer):
                steps[step.key] = step
                if answer.where is None:
                    whole.add(step.key)
                else:
                    entries.setdefault(step.key, []).append(answer)
    indices = {
        key: [numbers for answer in given if (numbers := _numbers(answer, steps[key].shape))]
        for key, given in entries.items()
        if key not in whole
    }
    has_zero = {key: any(index == 0 for numbers in given for index, _ in numbers) for key, given in indices.items()}
    dropped: list[Answer] = []
    for key, given in indices.items():
        over = [index - side for numbers in given for index, side in numbers]
        is_free = all(answer.loose for answer in entries[key])
        if not over or has_zero[key] or max(over) > 0 or max(over) < 0 and (any(has_zero.values()) or not is_free):
            if over and max(over) < 0 and not any(has_zero.values()) and _is_block_from_1(given):
                notes.append(_NONE_IS_0.format(entries[key][0].step))
            continue
        first = entries[key][0]
        are = "are counted from 1" if max(over) == 0 else "could be counted from 0 or from 1"
        example = f"{first.step}[0, 0]" if any(len(numbers) > 1 for numbers in given) else f"{first.step}[0]"
        message = f"the entries of {first.step} {are}, so none of them is used; count from 0 (the first is {example})"
        if max(over) < 0:
            message += " or write the whole matrix"
        losses.extend(_called(first), AttncalcError(message, first.place))
        dropped += entries[key]
    return [answer for answer in answers if not any(answer is other for other in dropped)] if dropped else [*answers]


def _is_block_from_1(given: list[list[tuple[int, int]]]) -> bool:
    """Return whether indices are those of all entries of a block, or of all rows, that begins at 1."""
    indices = {tuple(index for index, _ in numbers) for numbers in given}
    sides = [set(side) for side in zip(*indices, strict=True)] if len({*map(len, indices)}) == 1 else []
    is_counted = all(side == {*range(1, len(side) + 1)} for side in sides)
    return bool(sides) and is_counted and 1 < len(indices) == prod(map(len, sides))


def _numbers(answer: Answer, shape: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the indices of an entry, a row or a column that are numbers, each with the length of its side."""
    where = answer.where
    items = zip((where.rows, where.columns), shape, strict=True) if where else ()
    return [(int(item.text), side) for item, side in items if isinstance(item, Number) and item.text.isdecimal()]


def _add_comments(script: Script, problem: Problem, names: _Names, losses: Losses) -> None:
    """Report the comments that take an answer back, except those of the blank answer file."""
    form = ""
    for text in script.nearby:
        with suppress(AttncalcError):
            form = form or blank(problem)
        if (fault := text.fault(names.words)) and text.text.text.strip() not in form:
            above = [answer.step for answer in script.answers if answer.place.line <= text.text.place.line]
            losses.note(above[-1] if above else "", fault)


def _note_other_values(answers: list[Answer], names: _Names, losses: Losses) -> None:
    """Note the answers to no step that may be another value of the step right above them: `Corrected: 0.9`."""
    for above, answer in pairwise(answers):
        with suppress(AttncalcError):
            if (step := names.find(above)) is None or names.find(answer) is not None:
                continue
            words = {*_words(answer.step)}
            is_called = headed(answer.step) == "answer" or words & (CORRECTING | {*_words(step.name)})
            is_alike = [*map(len, answer.rows)] == [*map(len, above.rows)]
            is_below = is_called and is_alike and _position(answer.place) in _below(above)
            if is_below and not same_numbers(answer.rows, above.rows):
                losses.note(step.key, Diagnostic(_OTHER_VALUE.format(shorten(answer.step)), answer.place))


def _set_aside(aside: list[Answer], names: _Names, notes: list[str], losses: Losses, has_steps: bool) -> None:
    """Note the matrices that belong to no step; if no answer belongs to one, each is a fault."""
    for answer in aside:
        if has_steps:
            notes.append(_IGNORED.format(shorten(answer.step)))
        else:
            losses.extend(_called(answer), AttncalcError(names.unknown([], answer.step), answer.place))


def _misshapen(
    beyond: dict[str, list[_Beyond]], piles: dict[str, _Pile], shapes: dict[str, str], losses: Losses
) -> None:
    """Make matrices of the wrong shape of cells too many. If all are counted from 1 they are faults."""
    for key, cells in beyond.items():
        # some cell of row 0 and some cell of column 0 was answered
        if (pile := piles.get(key)) and all(any(cell[axis] == 0 for cell in pile.typed) for axis in (0, 1)):
            shapes.setdefault(key, f"expected {size(pile.step.shape)}, found an entry at “{cells[0].cell}”")
            del piles[key]
            continue
        for cell in cells:
            losses.extend(cell.called, cell)


def _weigh(doubt: Answer, names: _Names, piles: dict[str, _Pile], losses: Losses, misfits: set[str]) -> bool:
    """Report a piece that was not read if it names a step, unless it only repeats an entry that was read.

    Return whether either is so.
    """
    with suppress(AttncalcError):
        step = names.find(doubt)
        if step is None or doubt.doubt is None or doubt.nearby and not names.nearby_faults(doubt):
            return False
        rows, columns = _slice(step, doubt)
        known = piles[step.key].cells if step.key in piles else {}
        typed = [known.get((i, j)) for i in rows for j in columns]
        doubted = doubt.rows[0][0]
        if doubted is not None and doubted.word:  # what was typed is changed, so that it is no answer
            piles.pop(step.key, None)
        if doubted is None and any(typed) and not (doubt.explains and step.key in misfits):
            return False
        is_known = [entry is not None and doubted is not None and _repeats(doubted, entry) for entry in typed]
        if doubted and (any(is_known) if len(typed) > 1 else all(is_known)):
            return True
        losses.extend(step.key, AttncalcError(doubt.doubt))
        return True
    return False


class _Beyond(AttncalcError):
    """A single cell beyond the last row or column of a step: the matrix has the wrong shape, or is counted from 1."""

    def __init__(self, key: str, answer: Answer, fault: Diagnostic):
        super().__init__(fault)
        self.key = key
        self.called = _called(answer)
        self.cell = unparse(answer.where).removeprefix(answer.step) if answer.where else ""


class _Names:
    """The steps of a problem by what a student may call them."""

    def __init__(self, problem: Problem):
        self.parts = [part.name for part in problem.parts if part.name]
        self.folded = {part.casefold(): part for part in self.parts}
        self.exact = {step.key: step for step in problem.plan.steps()}
        self.short: dict[str, list[Step]] = {}
        for step in problem.plan.steps():
            self.short.setdefault(step.name, []).append(step)
        self.joined: dict[str, list[Step]] = {}  # as a program calls them: masked_S for masked.S
        for key in filter(lambda key: "." in key, self.exact):
            self.joined.setdefault(key.replace(".", "_"), []).append(self.exact[key])
        self.spelled: dict[str, list[str]] = {}
        for name in self.short:
            self.spelled.setdefault(spelled(name), []).append(name)
        self.called = [*self.short, *(key for key in self.exact if key not in self.short)]
        self.givens = {
            given.name for given in [*problem.plan.givens, *(g for part in problem.plan.parts for g in part.givens)]
        }

    @cached_property
    def words(self) -> frozenset[str]:
        """The words in the names of steps, parts and givens, and in the labels of rows and columns."""
        labels = (label for step in self.exact.values() for side in (step.rows, step.columns) for label in side or ())
        names = (*self.exact, *map(spelled, self.exact), *self.givens, *self.parts, *labels)
        return frozenset(word for name in names for word in _words(name))

    @cached_property
    def row_labels(self) -> frozenset[str]:
        return frozenset(label for step in self.exact.values() for label in step.rows or ())

    def find(self, answer: Answer) -> Step | None:
        """Return the step that is meant; None for a remark in free text."""
        outer = answer.part.split(".") if answer.part else []
        if answer.formula is not None:
            return self.of_formula(answer.formula, outer, answer)
        step = self.named(outer, answer)
        for rival in answer.rivals:
            self.refuse_rival(rival, step, outer, answer)
        return step

    def nearby_faults(self, answer: Answer) -> list[Diagnostic]:
        """Return the faults of texts near an answer that may change it. Names of the problem change nothing."""
        if not answer.nearby:
            return []
        labels = (*(answer.row_labels or ()), *(answer.column_labels or ()))
        known = self.words | {word for label in labels for word in _words(label)}
        return [fault for text in answer.nearby if (fault := text.fault(known))]

    def has(self, called: str) -> bool:
        """Return whether a name, maybe below headings, is that of a step."""
        return called.rpartition(".")[2].partition("[")[0] in self.short

    def is_none(self, answer: Answer) -> bool:
        """Return whether an answer belongs to no step."""
        try:
            return self.find(answer) is None
        except AttncalcError:
            return True

    def called_so(self, name: str, answer: Answer) -> list[Step]:
        """Return the steps that a name beside an answer may mean: that of the answer's part, or else all."""
        outer = answer.part.split(".") if answer.part else []
        near = [self.exact[full] for full in self.candidates(outer, replace(answer, step=name)) if full in self.exact]
        return near[:1] or self.short.get(name, [])

    def refuse_rival(self, rival: str | Tree, step: Step | None, outer: list[str], answer: Answer) -> None:
        """Raise AttncalcError if a chain of equalities names, or has the formula of, another step as well."""
        if isinstance(rival, str):
            steps = self.called_so(rival, answer)
        else:
            steps = self.with_formula(rival, outer)
        if steps and step not in steps:
            here = f"the matrix of {steps[0].key}" if step is None else f"{steps[0].key} and {step.key}"
            message = (
                f"expected a matrix of one step, found a matrix that could belong to {here}; write "
                f"`{answer.step} = [[...]]`"
            )
            raise AttncalcError(message, answer.place)

    def named(self, outer: list[str], answer: Answer) -> Step | None:
        """Return the step of this name; None for a remark in free text."""
        outer, answer = self.renamed(outer, answer)
        if answer.loose:  # a heading is written as headings are
            outer = [self.folded.get(heading.casefold(), heading) for heading in outer]
        for full in self.candidates(outer, answer):
            if full in self.exact:
                return self.exact[full]
            if full == answer.step and len(self.short.get(full, [])) == 1:
                return self.short[full][0]
        if len(joined := self.joined.get(answer.step, [])) == 1:
            return joined[0]
        if not outer or answer.loose:
            if several := self.short.get(answer.step):
                if outer and outer[-1] not in self.parts and (near := did_you_mean(outer[-1], self.parts)):
                    raise AttncalcError(f"no part is called {shorten(outer[-1])!r}{near}", answer.place)
                keys = " or ".join(step.key for step in several)
                raise AttncalcError(f"several parts have a step {answer.step}; did you mean {keys}?", answer.place)
            if (counted := _COUNTED.fullmatch(answer.step)) and answer.where is None:
                of = next((name for name in (counted[1], counted[1].upper()) if name in self.short), None)
                if of is not None:
                    raise AttncalcError(_NOT_AN_ENTRY.format(answer.step, of), answer.place)
            if answer.loose and (answer.step in self.givens or not self.near(answer.step)):
                return None
            outer = [heading for heading in outer if heading in self.parts][-1:] if answer.loose else outer
        raise AttncalcError(self.unknown(outer, answer.step), answer.place)

    def of_formula(self, formula: Tree, outer: list[str], answer: Answer) -> Step:
        """Return the step whose formula is written in the place of its name."""
        steps = self.with_formula(formula, outer)
        if len(steps) == 1:
            return steps[0]
        what = (
            f"no step has the formula {shorten(answer.step)}"
            if not steps
            else f"several steps have the formula {shorten(answer.step)}"
        )
        raise AttncalcError(f"{what}; expected the name of a step, such as `S =`", answer.place)

    def with_formula(self, formula: Tree, outer: list[str]) -> list[Step]:
        """Return the steps with a formula, of the parts that the headings name."""
        inside = {self.folded.get(heading.casefold()) for heading in outer} - {None}
        return [step for step in self.exact.values() if step.tree == formula and (not inside or step.part in inside)]

    def renamed(self, outer: list[str], answer: Answer) -> tuple[list[str], Answer]:
        """Return the answer under the name that the step has in the lessons, if it goes by another."""
        if outer and outer[-1] not in self.parts and (of_part := of_head(answer.step, outer[-1])) in self.short:
            return outer[:-1], replace(answer, step=of_part)
        if answer.step in self.short or answer.step in self.givens or ".".join([*outer, answer.step]) in self.exact:
            return outer, answer
        whole = ".".join([*outer, answer.step])
        if (only := step_called(whole, self.exact)) != whole:
            return outer, replace(answer, step=only.removeprefix(".".join([*outer, ""])))
        same = self.spelled.get(spelled(answer.step), ())
        others = (step_called(answer.step, self.short), *same, *other_names(answer.step))
        other = next((name for name in others if name in self.short), answer.step)
        return outer, answer if other == answer.step else replace(answer, step=other)

    def candidates(self, outer: list[str], answer: Answer) -> Iterable[str]:
        """Yield names to try, the closest first. A heading in free text may be a part or nothing."""
        yield ".".join([*outer, answer.step])
        if answer.loose:
            yield from (f"{heading}.{answer.step}" for heading in reversed(outer))
            yield answer.step

    def near(self, name: str) -> str:
        return did_you_mean(name, self.called)

    def unknown(self, outer: list[str], step: str) -> str:
        if step in self.givens and not outer:
            return f"{step} is a given of the problem, not a step"
        owner, _, label = ".".join([*outer, step]).rpartition(".")
        if label in self.row_labels:
            example = as_written(owner if owner in self.exact else next(iter(self.exact)), "[")
            advice = f"write the rows without labels, such as {example}"
            return f"{shorten(label)!r} is the label of a row, not a step; {advice}"
        head, _, rest = step.partition(".")
        dotted = rest and self.parts and not any(name.startswith(f"{head}.") for name in self.short)
        part, name = (outer[0], ".".join([*outer[1:], step])) if outer else (head, rest) if dotted else (None, step)
        if part is None:
            return f"no step is called {shorten(name)!r}{self.near(name) or self.there(self.short)}"
        steps = [key.removeprefix(f"{part}.") for key in self.exact if key.startswith(f"{part}.")]
        if part in self.parts:
            return f"the part {part} has no step {shorten(name)!r}{did_you_mean(name, steps) or self.there(steps)}"
        if not self.parts:
            whole = f"{part}.{name}"
            near = did_you_mean(whole, list(self.short)) or self.there(self.short)
            return f"the problem has one part, without a name, and no step {shorten(whole)!r}{near}"
        return f"no part is called {shorten(part)!r}{did_you_mean(part, self.parts) or self.there(self.parts)}"

    def there(self, known: Iterable[str]) -> str:
        names = list(known)
        example = names[0] if names and names[0] not in self.parts else next(iter(self.exact), "S")
        return (
            f"; the names are {shorten(', '.join(names), 200)}; write one of them, such as {as_written(example, '[')}"
        )


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", name.casefold().replace("’", "'"))


_BLOCK = re.compile(r"(.*), block ([0-9]+)")


def _position(place: Location) -> tuple[str, int, int]:
    """Return the file, the paragraph of a document (0 in other files) and the line of a place, which are in order."""
    block = _BLOCK.match(place.source)
    return (block[1], int(block[2]), place.line) if block else (place.source, 0, place.line)


def _below(answer: Answer) -> set[tuple[str, int, int]]:
    """Return where the line right below an answer is: in the same paragraph, or at the beginning of the next one."""
    source, block, line = max(_position(typed.place) for row in answer.rows for typed in row if typed)
    return {(source, block, line + 1), *([(source, block + 1, 1)] if block else [])}


def _put(pile: _Pile, answer: Answer, shapes: dict[str, str], is_unsure: bool, is_torn: bool) -> bool:
    """Put one answer onto its step. One of the wrong shape is remembered as that, unless a line that is of no step
    tears its rows apart. Return False for one whose shape has a doubt that may explain it.
    """
    rows, columns = _slice(pile.step, answer)
    try:
        fitted = fit(answer, pile.step, rows, columns)
    except WrongShape as error:
        if is_unsure:
            return False  # what could not be read, and is reported, may be why
        if is_torn:
            raise AttncalcError(_TORN.format(answer.step), answer.place) from None
        if answer.where is None:
            _one_shape(pile, answer, shapes)
            pile.misfit = answer
        shapes.setdefault(pile.step.key, _with_name(answer, error.faults[0].message))
        return True
    if answer.where is None:
        _one_shape(pile, answer, shapes, fits=True)
    new = {(rows[i], columns[j]): _of_label(pile.step, texts) for (i, j), texts in fitted.cells.items()}
    again = [cell for cell in new if cell in pile.typed]
    odd = next((c for c in again if c in pile.disputed or not _agree(new[c], pile.typed[c])), None)
    if odd is not None:
        pile.disputed.update(again)
        first = pile.typed[odd]
        there = f"{pile.step.name}[{odd[0]}, {odd[1]}]"
        texts = f"{first.text} in {_line(first.place, answer.place)} and {new[odd].text} here"
        fault = Diagnostic(_TWICE.format(there, texts), new[odd].place)
    for cell, typed in new.items():
        if cell not in pile.typed or odd is None and _is_finer(typed, pile.typed[cell]):
            pile.typed[cell] = typed
    if odd is not None:
        raise AttncalcError(fault)
    pile.notes += [_with_name(answer, note) for note in fitted.notes]
    if answer.remark:
        pile.notes.append(_with_name(answer, f"the words after the matrix are not read: {shorten(answer.remark)}"))
    if answer.chained:
        pile.notes.append(_with_name(answer, LAST_OF_CHAIN))
    pile.transposed |= fitted.transposed
    pile.answers.append(answer)
    return True


def _repeats(doubted: Typed, typed: Typed) -> bool:
    """Return whether a number in a sentence repeats an answer: it is equal, or the answer rounded to decimals."""
    is_whole = doubted.decimals == 0 and typed.decimals != 0
    return not _differ(doubted, typed) or not is_whole and same_numbers(((typed,),), ((doubted,),))


def _agree(first: Typed, second: Typed) -> bool:
    """Return whether two answers are equal, or one is the other rounded to two decimals or more."""
    is_rounded = min(first.decimals or 0, second.decimals or 0) > 1
    return not _differ(first, second) or is_rounded and (_repeats(first, second) or _repeats(second, first))


def _is_finer(first: Typed, second: Typed) -> bool:
    """Return whether a number has more decimals than one of at least two decimals, which may be rounded."""
    return (first.decimals or 0) > (second.decimals or 0) > 1


def _differ(first: Typed, second: Typed) -> bool:
    """Return whether two answers differ; of two decimal numbers also if one is a rounding of the other."""
    if first.decimals is not None and second.decimals is not None:
        return bool(first.value != second.value)
    return not same_numbers(((first,),), ((second,),))


def _one_shape(pile: _Pile, answer: Answer, shapes: dict[str, str], fits: bool = False) -> None:
    """Raise AttncalcError for two matrices of one step of which one has the wrong shape; neither counts then."""
    others = [pile.misfit] if pile.misfit is not None else []
    others += [whole_answer for whole_answer in pile.answers if whole_answer.where is None and not fits]
    if not others or pile.misfit is not None and not fits and same_numbers(pile.misfit.rows, answer.rows):
        return
    pile.disputed.update((i, j) for i in range(pile.step.shape[0]) for j in range(pile.step.shape[1]))
    shapes.pop(pile.step.key, None)
    message = f"matrices of two shapes, the first in {_line(others[0].place, answer.place)}"
    raise AttncalcError(_TWICE.format(pile.step.name, message), answer.place)


def _line(place: Location, other: Location) -> str:
    """Return a place as seen from another one. The file is named if it is another, or another part of it."""
    return f"line {place.line}" if place.source == other.source else str(place)


def _of_label(step: Step, typed: Typed) -> Typed:
    """Return the number of a column whose label is this word, if a column is chosen; other entries stay as they are."""
    labels = step.node.args[0].columns if typed.word and isinstance(step.node, op.ArgmaxRows) else None
    places = [j for j, label in enumerate(labels or ()) if label.casefold() == typed.text.casefold()]
    return replace(typed, value=fmpq(places[0]), decimals=0, word=False) if len(places) == 1 else typed


def _called(answer: Answer) -> str:
    return ".".join(filter(None, (answer.part, answer.step)))


def _with_name(answer: Answer, note: str) -> str:
    return f"“{unparse(answer.where)}”: {note}" if answer.where is not None else note


def _slice(step: Step, answer: Answer) -> tuple[list[int], list[int]]:
    rows, columns = (list(range(side)) for side in step.shape)
    if answer.where is None:
        return rows, columns
    try:
        picked = _taken(step, answer.where)
    except FormulaError as error:
        fault = Diagnostic(error.message, answer.place.shifted(error.at))
        if isinstance(answer.where.rows, Number) and isinstance(answer.where.columns, Number):
            raise _Beyond(step.key, answer, fault) from None
        raise AttncalcError(fault) from None
    return list(picked[0]) if picked[0] is not None else rows, list(picked[1]) if picked[1] is not None else columns


@lru_cache(maxsize=10_000)
def _taken(step: Step, where: Index) -> tuple[Indices, Indices]:
    """Return the cells that an index takes of a step, remembered, since a class answers the same cells again."""
    node = step.reference(step.name)
    return taken(check(where, lambda name, at: _only(node, name, step, where, at)))


def _only(node: Node, name: str, step: Step, where: Tree | None, at: int) -> Node:
    if isinstance(where, Index) and where.operand.at == at:
        return node
    raise FormulaError(f"index: expected a whole number or a label in quotes, found {shorten(name)!r}", at)
