"""Every sentence of a report, in one place. The sentences are encouraging and exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq, fmpz

from .. import limits
from ..arithmetic.rounding import decimal_text, round_rational
from ..errors import counted, listed, shorten
from ..formula.index_base import counted_place
from ..marking.credit import Because, Reason, rounded
from ..rounding_modes import MODES
from .point_format import points_on_pages

if TYPE_CHECKING:
    from ..marking.diagnosis.cause import Cause
    from ..marking.expected_values import CellReport
    from ..marking.report import Report, StepReport

# The names of matrices or calculations next to each other.
YOURS = "yours"
RIGHT = "correct"
SOLUTION = "solution"
FOLLOWS = "correct for your earlier numbers"
EMPTY = "_"  # a missing entry
NEXT = "next step"
MARKS = "Points"
MARKS_HEADS = ("step", "", "points")
ROWS = "Look again at {} {} of {}."
MIXED = "Every number here is right, but they are not all rounded in the same way."
UNREAD = "{} could not be read completely."
UNTRIED = f"Its cause was not found, because not all mistakes were tried: {limits.SECONDS}."
IN_EARLIER_STEP = " (in {name}, which you did not write down)"
WRONG_SHAPE = "This matrix has the wrong shape: {shape}."
ALL_STEPS = "Every step is right."
FIRST_ERROR = "first error"
THE_FILE = "the file"
LIKE_MISTAKE = "{step}: a mistake gives the same numbers ({mistakes}), and they have too few decimals to exclude it"
UNDECIDED = "{step}: the numbers are not the correct ones, but almost any numbers could follow from the steps before"
COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}
MOST_PLACES = 4
FAR = 10**12  # larger distances are not printed
FROM_OWN = " for your earlier numbers"  # after a number that follows from the student's lines
MOST_NAMED = 8  # steps in one sentence

VERDICTS = {
    "right": "right",
    "truncated": "right, but truncated instead of rounded",
    "last_digit": "right, except for the last digit",
    "too_coarse": "right so far; more decimals are required",
    "carried": "correct, given your earlier numbers",
    "granted": "accepted by your instructor",
    "wrong": "error",
    "missing": "not answered",
}
REASON_SENTENCES = {
    Reason.TRUNCATED: "the method is right, but the digits are truncated instead of rounded",
    Reason.TRUNCATED_CARRIED: "the digits are truncated, but rounding is required",
    Reason.LAST_DIGIT: "the method is right, but the last digit is not",
    Reason.INACCURATE: "the method is right, but the result is not accurate enough",
    Reason.SLIP: "few entries are wrong, and no mistake in the method was found",
    Reason.ZEROS: "only zeros, but the correct numbers are not all 0",
    Reason.UNINFORMATIVE: "so few digits that they show hardly any work",
    Reason.UNDEFINED: "your earlier numbers give no value here, so there is nothing to check these numbers against",
    Reason.SHOWN_LATER: "so few digits that they show hardly any work; a later line shows the method",
    Reason.TOO_COARSE: "the method is right, but more decimals are required",
    Reason.TOO_COARSE_CARRIED: "more decimals are required",
    Reason.CARRIED: "correct, given your earlier numbers (points are deducted for a mistake only once)",
    Reason.TRIVIAL: "these numbers follow from an earlier line that shows hardly any work",
    Reason.MOSTLY: "most entries are right, but a mistake in the method explains the others",
    Reason.PICKED: "{right} of {count} are right; each counts separately",
    Reason.RUBRIC: "{mistake} leaves {share} of the points",
    Reason.MISSING: "not answered",
    Reason.PARTIAL: "{there} of {asked} entries are answered",
    Reason.IMPLIED: "not shown, but implied by your later correct steps",
    Reason.IMPLIED_MISTAKEN: "not shown, but implied: a later answer depends on it, and that answer's mistake "
    "was made in another step",
    Reason.MADE_HERE: "not shown; the error in {line} comes from a mistake in this step",
    Reason.MADE_BEFORE: "correct apart from the mistake in {step}; points are deducted only there",
    Reason.UNUSABLE: "{message}",
    Reason.BY_HAND: "{marks} instead of {before}, set by hand{why}",
}
MARKED = {"wrong": "error"}  # in the table of points
NEARLY = ("last_digit", "truncated", "too_coarse")


def score(earned: Fraction, out_of: Fraction) -> str:
    return f"{points_on_pages(earned)} of {points_on_pages(out_of)}" if out_of else ""


def score_in_points(earned: Fraction, out_of: Fraction) -> str:
    """Return `3 of 4 points` or `0 of 1 point`; empty if nothing is worth points."""
    return f"{score(earned, out_of)} point{'s' * (out_of != 1)}" if out_of else ""


def total_score(exact: Fraction, out_of: Fraction, step: Fraction) -> str:
    """Return the points of a whole script. If they are rounded to a multiple of `step`, add the exact points."""
    earned = rounded(exact, step, out_of)
    from_what = f"from {points_on_pages(exact)} " * (earned != exact)
    how = f" (rounded {from_what}to a multiple of {step})" * bool(step and out_of)
    return score_in_points(earned, out_of) + how


def summary(report: Report, student: str | None) -> str:
    """Return the first sentences of a report. If no answered step is wrong, the first sentence says so."""
    who = f"{student}: " if student else ""
    total = total_score(report.exact, report.out_of, report.problem.round_to)
    earned = f"{total}. " if report.out_of else ""
    verdicts = {step.verdict for step in report.steps if not step.shows_nothing}
    if not verdicts <= {"missing"} and not verdicts & {"wrong", "carried"}:
        return f"{who}No answered step is wrong. {earned}{_outcome(report)}"
    return f"{who}{earned}{_outcome(report)}"


def counted_steps(report: Report) -> str:
    """Return a sentence with the steps that have points, and how to choose others; empty if no step has points."""
    counting = [(part, [step.step.name for step in part.steps if step.mark.out_of]) for part in report.parts]
    named = [
        f"{f'in {part.part.name} ' if part.part.name and len(counting) > 1 else ''}{listed(names, MOST_NAMED)}"
        for part, names in counting
        if names
    ]
    if not named:
        return ""
    if all(part.part.asked_stated for part, names in counting if names):
        return f"Counted: {'; '.join(named)}, as the problem file asks (asked:)."
    last = next(names[-1] for _, names in reversed(counting) if names)
    return (
        f"Counted: {'; '.join(named)}. To choose the steps, list them in the problem file, for example asked: [{last}]."
    )


def steps_summary(report: Report) -> str:
    """Return the summary of the steps of a paper that also has other questions; empty if there are no steps."""
    return _outcome(report, "Every step", "No step") if report.steps else ""


def reason_text(reasons: Iterable[Because]) -> str:
    """Return the reasons for the points of a step, as one sentence."""
    return "; ".join(REASON_SENTENCES[each.reason].format(**each.parameters) for each in reasons)


def mark_reason(step_report: StepReport) -> str:
    """Return the reasons for the points of a step, or its verdict, for the table of points."""
    verdict = step_report.verdict
    return reason_text(step_report.mark.reasons) or MARKED.get(verdict, VERDICTS[verdict])


def notes(report: Report) -> list[str]:
    """Return the notes of the reader, and the doubts about the numbers of steps."""
    return [*report.bound.notes, *doubts(report).values()]


def doubts(report: Report) -> dict[str, str]:
    """Return a sentence for each step whose points almost any numbers could earn, or whose numbers a mistake gives as
    well.
    """
    lines = ((step.step.key, step.line.like_mistakes) for step in report.steps if step.line)
    alike = {key: LIKE_MISTAKE.format(step=key, mistakes=" or ".join(codes)) for key, codes in lines if codes}
    return {key: UNDECIDED.format(step=key) for key in report.undecided} | alike


def unread_sentence(names: Iterable[str]) -> str:
    """Return the sentence on steps, and maybe other parts of the file, that could not be read completely."""
    steps = [name for name in names if name != THE_FILE]
    if not steps:
        return UNREAD.format(THE_FILE.capitalize())
    return UNREAD.format(listed(steps, MOST_NAMED))


def _outcome(report: Report, all_of_it: str = "Everything", none_of_it: str = "Nothing") -> str:
    unread = list(dict.fromkeys(shorten(unread_entry.step) or THE_FILE for unread_entry in report.bound.lost))
    lost = f" {unread_sentence(unread)}" if unread else ""
    answered = [s for s in report.steps if s.verdict != "missing"]
    named = {name.partition("[")[0] for name in unread}
    left_out = [s for s in report.steps if s.verdict == "missing" and not {s.step.key, s.step.name} & named]
    zeros = sum(bool(s.line and s.line.filled.cells) for s in left_out)
    missing = len(left_out) - zeros
    empty = f" {_steps(zeros)} {'has' if zeros == 1 else 'have'} {REASON_SENTENCES[Reason.ZEROS]}." if zeros else ""
    if not answered and zeros:
        return f"{none_of_it} is right yet.{lost}{empty}"
    if not answered:
        return f"{none_of_it} {'could be read' if unread else 'is answered yet'}.{lost}"
    left = f"{lost}{f' {_steps(missing)} {_are(missing)} unanswered.' if missing else ''}"
    if report.first_wrong is not None:
        return _first_error(report, answered) + empty + left
    telling = [s for s in answered if not s.shows_nothing]
    nearly = sum(s.verdict in NEARLY for s in telling)
    what = " that could be read" if unread else " answered" if missing else ""
    verdict = "All other answers are right" if zeros or len(telling) < len(answered) else f"{all_of_it}{what} is right"
    digits = f", except for the digits of {_steps(nearly)}" if nearly else ""
    right = f" {verdict}{digits}." if telling else ""
    return f"{empty}{right}{_too_little(len(answered) - len(telling))}{left}".lstrip()


def _first_error(report: Report, answered: Sequence[StepReport]) -> str:
    first = report.first_wrong
    assert first is not None
    wrong = sum(s.verdict == "wrong" for s in answered)
    carried = sum(s.verdict == "carried" and not s.shows_nothing for s in answered)
    nothing = sum(s.shows_nothing for s in answered)
    implied = sum(s.line is None and s.verdict == "right" for s in answered)
    count = len(answered) - implied
    right = count - wrong - nothing
    where = f"{first.step.part}.{first.step.name}" if first.step.part else first.step.name
    condition = (
        f", {carried} of them given your earlier numbers"
        if 0 < carried < right
        else ", given your earlier numbers"
        if carried
        else ""
    )
    more = f" {_steps(implied)} {_are(implied)} implied." if implied else ""
    successes = (
        f"{right} of {counted(count, 'written step' if implied else 'step')} {_are(right)} right{condition}. "
        if right
        else ""
    )
    later = f"; {wrong - 1} later {'step needs' if wrong == 2 else 'steps need'} checking" if wrong > 1 else ""
    if first.made_in is not None:
        later = f"; it comes from {first.made_in.name}, which is left out{later}"
    verb = "shows" if first.made_in else "is"
    return f"{successes}The first error {verb} in {where}{later}.{more}{_too_little(nothing)}"


def _too_little(count: int) -> str:
    return f" {_steps(count)} {'shows' if count == 1 else 'show'} too little work to earn points." if count else ""


def _steps(count: int) -> str:
    return counted(count, "step")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def shared_remark(names: Sequence[str], what: str) -> str:
    """Return one line for several steps with the same remark."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}: {what}"


def several_causes(acts: Sequence[Cause], together: bool) -> str:
    """Return the line above several causes: all happened together, two of them did, or each fits equally well."""
    count = COUNTS.get(len(acts), len(acts))
    if all(act.also for act in acts):
        return f"{count if together else 'Two of these'} mistakes together explain these numbers:"
    return f"{count} explanations fit these numbers equally well:"


def where_to_look(step_report: StepReport, place: Callable[[int, int], str], hints: bool) -> str:
    """Return the positions of the errors if no cause is named: whole rows, or entries with their distances."""
    cells, columns = step_report.cells, step_report.step.shape[1]
    rows = sorted({c.row for c in cells})
    if columns > 1 and len(cells) == columns * len(rows):
        labels = step_report.step.display_labels[0]
        names = [f"“{labels[i]}”" if labels else counted_place(i) for i in rows]
        word = "row" if len(rows) == 1 else "rows"
        return ROWS.format(f"the {word}" if labels else word, listed(names, MOST_NAMED), step_report.step.name)
    nominal = step_report.line is not None and step_report.line.is_index_valued  # indices have no distance
    shown = [
        place(c.row, c.column) if nominal else _distance(c, place(c.row, c.column), hints) for c in cells[:MOST_PLACES]
    ]
    more = f", and {len(cells) - MOST_PLACES} more" if len(cells) > MOST_PLACES else ""
    return f"Look again at {'; '.join(shown)}{more}."


def _distance(cell: CellReport, where: str, hints: bool) -> str:
    typed, expected = cell.typed, cell.from_own
    try:
        gap = Fraction(typed) - Fraction(expected)
    except ValueError:
        return where
    if not gap:
        return where
    direction = f"too {'large' if gap > 0 else 'small'}{FROM_OWN * (expected != cell.right)}"
    if hints:
        return f"{where}, which is {direction}"
    if abs(gap) > FAR:
        return f"{where}, which is far {direction}"
    decimals = max(len(typed.partition(".")[2]), len(expected.partition(".")[2]))
    size = decimal_text(fmpz(int(abs(gap) * 10**decimals)), decimals)
    return f"{where}, which is {size.rstrip('0').rstrip('.') if '.' in size else size} {direction}"


def is_same_number(typed: str, right: str) -> bool:
    """Return whether two texts are the same number, such as 2 and 2.00."""
    try:
        return Fraction(typed.replace("−", "-")) == Fraction(right)
    except (ValueError, ZeroDivisionError):
        return typed == right


def round_again(text: str, digits: int, mode: str) -> str:
    """Return a decimal rounded to `digits` decimals."""
    try:
        exact = Fraction(text)
    except ValueError:
        return text
    return decimal_text(round_rational(fmpq(exact.numerator, exact.denominator), digits, mode), digits)


def last_digits(
    differing: Sequence[CellReport],
    cells: Sequence[CellReport],
    place: Callable[[int, int], str],
    unrounded: Callable[[CellReport], str],
    hints: bool,
    mode: str = "half_up",
) -> str:
    """Return a sentence about entries with a wrong last digit, or about entries that change with the student's earlier
    numbers. `unrounded(cell)` returns the right value with more digits.
    """
    if hints:
        return (
            f"Check the last digit of {', '.join(place(c.row, c.column) for c in (differing or cells)[:MOST_PLACES])}."
        )
    if differing:
        return "; ".join(_last_digit(c, place(c.row, c.column), unrounded(c), mode) for c in differing[:MOST_PLACES])
    led = [c for c in cells if not is_same_number(c.typed, c.from_own)][:MOST_PLACES]
    if led:
        return "; ".join(
            f"{place(c.row, c.column)}: {c.typed} is the right value, but your earlier numbers lead to {c.from_own}"
            for c in led
        )
    return MIXED


def _last_digit(cell: CellReport, where: str, unrounded: str, mode: str) -> str:
    """Return `S[0, 0]: you wrote 0.70, but 0.7071 rounds to 0.71`."""
    if not unrounded or is_same_number(unrounded, cell.right):
        return f"{where} is {cell.right}; you wrote {cell.typed}"
    return f"{where}: you wrote {cell.typed}, but {unrounded} {MODES[mode].verb} {cell.right}"
