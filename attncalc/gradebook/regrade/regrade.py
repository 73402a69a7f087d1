"""Regrading of a class after changes to the key: whose marks change, and why."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, partial

from ...errors import AttncalcError, Diagnostics, counted, shorten
from ...exam.sheet.grading_scale import read_scale
from ...explain.document import Block, Document, Heading, Paragraph, Table
from ...explain.point_format import at_most, decimal, points
from ...safe_files import as_json
from ..answer_key import Key, read_key
from ..grade import Grades, Watch, grade_tasks, overrides_of, scripts, unreachable
from ..graded_script import GradedScript
from ..instructor_questions import question_number
from ..overrides import Override
from ..script_grader import Grader, worth_of_variant
from .key_changes import Change, read_changes
from .key_rewriting import rewrite_key

Again = Callable[[Key], Callable[[str], GradedScript]]  # marks the script of a file by another key


class Trial:
    """A key with some of the changes applied: the points of each step of a paper, empty for an unknown code, and the
    result of the script in a file.
    """

    def __init__(self, key: Key, again: Again):
        self.worth = cache(lambda code: next((worth_of_variant(key, v) for v in key.variants if v.code == code), {}))
        grade = cache(lambda: again(key))
        self.row = cache(lambda file: grade()(file))


class ChangeAttribution:
    """Attribution of differences to changes, by omitting each change and by applying each alone."""

    def __init__(self, old: Key, changes: list[Change], again: Again):
        self.old = old
        self.changes = changes
        self.again = again

    def causes(
        self, code: str, step: str, before: object, after: object, value: Callable[[Trial], object]
    ) -> list[Change]:
        """Return the changes that explain the difference between `before` and `after` at a step of a paper."""
        near = [k for k, change in enumerate(self.changes) if _concerns(change, code, step)]
        if len(near) > 1:
            trials = ((k, self.without[k]) for k in near)
            causes = [k for k, trial in trials if trial is None or value(trial) != after]
            trials = ((k, self.alone[k]) for k in near if not causes)
            near = causes or [k for k, trial in trials if trial is not None and value(trial) != before] or near
        return [self.changes[k] for k in near] or self.changes

    @cached_property
    def without(self) -> list[Trial | None]:
        """The key without each of the changes; None if the others cannot be applied then."""
        return [self._trial(other for other in self.changes if other is not change) for change in self.changes]

    @cached_property
    def alone(self) -> list[Trial | None]:
        return [self._trial([change]) for change in self.changes]

    def _trial(self, changes: Iterable[Change]) -> Trial | None:
        try:
            return Trial(rewrite_key(self.old, [*changes])[0], self.again)
        except AttncalcError:
            return None


def _concerns(change: Change, code: str, step: str) -> bool:
    """True if a change concerns this paper and the question of this step."""
    is_near = not change.part or question_number(change.part) == question_number(step)
    return is_near and change.code.casefold() in ("", code.casefold())


HEADS = ("student", "step", "before", "now", "because")
WORTH_HEADS = ("step", "scripts", "worth before", "worth now", "because")
ALONE_HEADS = ("student", "before", "now")
WHOLE = "all"  # in the column of steps


@dataclass(slots=True)
class MarkChange:
    """The marks of a student's step before and after: (earned, out of), or None if the step did not count."""

    student: str
    file: str
    step: str
    before: tuple[Fraction, Fraction] | None
    after: tuple[Fraction, Fraction] | None
    reasons: list[Change] = field(default_factory=list)
    worth: list[Change] = field(default_factory=list)  # of the reasons those why it is worth other points

    @property
    def is_worth(self) -> bool:
        """True if only the points of the step change and the answer earns the same share."""
        if self.before is None or self.after is None:
            return True
        (was, of), (now, out_of) = self.before, self.after
        return was * out_of == now * of


@dataclass(slots=True)
class Regrade:
    """A class graded before and after the changes, the rewritten key, and every changed mark."""

    title: str
    changes: list[Change]
    key: Key  # with the changes
    before: Grades
    after: Grades
    moved: list[MarkChange]
    # Marks set by hand that keep their share of what a step is worth now
    scaled: list[str] = field(default_factory=list)

    @property
    def students(self) -> list[tuple[GradedScript, GradedScript]]:
        """The scripts with changed marks, before and after."""
        files = {mark_change.file for mark_change in self.moved}
        pairs = zip(self.before.rows, self.after.rows, strict=True)
        return [(old, new) for old, new in pairs if new.file in files]


def regrade_class(
    key: str,
    changes: str,
    files: Sequence[str],
    *,
    overrides: str | None = None,
    scale: str | None = None,
    jobs: int | None = None,
    apart: Sequence[str] = (),
    watch: Watch = lambda rows, count: rows,
) -> Regrade:
    """Grade a class with the key and with the changed key; `scale` is a grading scale. The key file stays unchanged.
    Raises AttncalcError as `grade` does, and for inapplicable changes.
    """
    old = read_key(key)
    new, effective = _read_changed_key(old, changes)
    tasks = scripts(key, files, [os.fspath(path) for path in (key, changes, overrides, scale, *apart) if path])
    by_hand = overrides_of(overrides, old, tasks) if overrides else []  # those of what is dropped are left aside then
    grades = read_scale(scale) if scale else ()
    grade = partial(grade_tasks, tasks=tasks, scale=grades, jobs=jobs, watch=watch)
    before = grade(old, overrides=by_hand)
    again = _rescale(by_hand, before.rows, new)
    only_accepts = all(change.word == "accept" for change in effective)
    known = [row if only_accepts and _is_full(row) else None for row in before.rows]
    after = grade(new, overrides=again, resume=known)
    warnings = list(_rescaled_warnings(by_hand, again))
    if fault := unreachable(grades, new):  # no fault: a step may have been dropped
        warnings.append(str(fault))
    moved = [mark_change for pair in zip(before.rows, after.rows, strict=True) for mark_change in _moved(*pair)]

    def grader_of(other: Key) -> Callable[[str], GradedScript]:
        grader = Grader(other, _rescale(by_hand, before.rows, other))
        there = {row.file: task for task, row in zip(tasks, before.rows, strict=True)}
        return lambda file: grader.grade(there[file])

    trials = ChangeAttribution(old, effective, grader_of)
    codes = {row.file: row.variant for row in after.rows}
    for mark_change in moved:
        _explain(mark_change, codes[mark_change.file], trials)
    return Regrade(old.title, effective, new, before, after, moved, warnings)


def _is_full(row: GradedScript) -> bool:
    """Return whether every step is right and has all its points. No accepted alternative changes such a script."""
    is_right = {*row.verdicts.values()} == {"right"} and not row.needs_review and not row.manual_changes
    return is_right and row.marks == row.out_of


def _explain(mark_change: MarkChange, code: str, trials: ChangeAttribution) -> None:
    file, step = mark_change.file, mark_change.step
    was, now = (marks[1] if marks else None for marks in (mark_change.before, mark_change.after))
    if was != now:
        mark_change.worth = trials.causes(code, step, was, now, lambda trial: trial.worth(code).get(step))
    mark_change.reasons = mark_change.worth
    if not mark_change.is_worth:
        before, after = mark_change.before, mark_change.after
        mark_change.reasons = trials.causes(code, step, before, after, lambda trial: _marks(trial.row(file), step))


def _read_changed_key(old: Key, path: str) -> tuple[Key, list[Change]]:
    """Return the key with the changes of a file, as `rewrite_key` does. Raises AttncalcError with every fault."""
    faults = Diagnostics()
    listed = read_changes(path, faults)
    try:
        new = rewrite_key(old, listed)
    except AttncalcError as error:
        faults.extend(error)
    faults.raise_any()
    return new


def _rescale(overrides: list[Override], rows: list[GradedScript], key: Key) -> list[Override]:
    """Return manual marks rescaled to the new points of their steps in the student's variant."""
    before = {row.student: row for row in rows}
    after = {variant.code: worth_of_variant(key, variant) for variant in key.variants}
    rescaled = []
    for override in overrides:
        row = before.get(override.student)
        was = row.out_of.get(override.step, Fraction(0)) if row else Fraction(0)
        now = after.get(row.variant, {}).get(override.step, Fraction(0)) if row else Fraction(0)
        is_other = now > 0 and was not in (0, now) and override.marks <= was
        rescaled.append(replace(override, marks=override.marks * now / was, out_of=now) if is_other else override)
    return rescaled


def _rescaled_warnings(before: list[Override], after: list[Override]) -> Iterator[str]:
    for old, new in zip(before, after, strict=True):
        if old is not new:
            share = f"{points(old.marks)} set by hand now counts as {points(new.marks)} of {points(new.out_of)}"
            yield (f"{old.where}: {shorten(old.student)}: {old.step}: {share}; write {new.marks} here for the new key")


def _moved(old: GradedScript, new: GradedScript) -> Iterator[MarkChange]:
    """Yield the steps with other marks; if there are none, the whole script if it is rounded otherwise."""
    steps = dict.fromkeys([*old.out_of, *new.out_of])
    moved = [step for step in steps if _marks(old, step) != _marks(new, step)]
    for step in moved or [WHOLE] * (old.earned != new.earned):
        yield MarkChange(new.student, new.file, step, _marks(old, step), _marks(new, step))


def _marks(row: GradedScript, step: str) -> tuple[Fraction, Fraction] | None:
    if step == WHOLE:
        return row.earned, row.most
    return (row.marks.get(step, Fraction(0)), row.out_of[step]) if step in row.out_of else None


# -- for people and for programs ---------------------------------------------------------------------------------------


def regrade_document(regrade: Regrade) -> Document:
    """Return a Document: the changes, the changed answers, steps with other points, and scripts that these affect."""
    blocks: list[Block] = [Heading(f"{regrade.title}: marked again"), Paragraph(_summary(regrade), "ask")]
    blocks += [Paragraph(change.description, "note") for change in regrade.changes]
    tables = (
        ("Changed points", HEADS, tuple(_rows(regrade)), {2, 3}),
        ("Steps with changed points", WORTH_HEADS, tuple(_worth(regrade)), {1, 2, 3}),
        ("Scripts whose points change because of these steps", ALONE_HEADS, tuple(_worth_only_rows(regrade)), {1, 2}),
    )
    for title, heads, rows, right in tables:
        blocks += [Heading(title, 2), Table(heads, rows, frozenset(right))] if rows else []
    return Document(blocks)


def _summary(regrade: Regrade) -> str:
    gains = [new.earned - old.earned for old, new in regrade.students]
    up, down, same = sum(g > 0 for g in gains), sum(g < 0 for g in gains), gains.count(Fraction(0))
    words = ((up, "up"), (down, "down"), (same, "with the same total"))
    how = ", ".join(f"{count} {word}" for count, word in words if count)
    have = "has" if len(gains) == 1 else "have"
    scripts = counted(regrade.after.count, "script")
    marks = f"{len(gains)} of {scripts} {have} different points{f': {how}' if how else ''}."
    return f"{marks} {_mean(regrade)}".strip()


def _mean(regrade: Regrade) -> str:
    """Return a sentence on the mean before and after, in points if all papers have equal points, else in percent."""
    graded = ([row for row in grades.rows if row.most] for grades in (regrade.before, regrade.after))
    both = [rows for rows in graded if rows]
    is_same = len({row.most for rows in both for row in rows}) == 1
    means = [
        sum((row.earned if is_same else 100 * row.earned / row.most for row in rows), Fraction(0)) / len(rows)
        for rows in both
    ]
    if len(means) < 2 or means[0] == means[1]:
        return ""
    if is_same:
        was, now = (at_most(mean, 2) for mean in means)
        return f"The mean was {was} points and is now {now}."
    was, now = (decimal(mean, 1) for mean in means)
    return f"The mean was {was} % of the points and is now {now} %."


def _rows(regrade: Regrade) -> Iterator[tuple[str, ...]]:
    """Yield the total of each script with a changed answer, then its changed steps."""
    moved = _by_file(regrade)
    for old, new in regrade.students:
        mine = [mark_change for mark_change in moved[new.file] if not mark_change.is_worth]
        if mine and (len(moved[new.file]) > 1 or old.grade != new.grade):
            whats = dict.fromkeys(why.effect for mark_change in moved[new.file] for why in mark_change.reasons)
            yield new.student, WHOLE, _total_score(old), _total_score(new), "; ".join(whats)
        for mark_change in mine:
            scores = _score(mark_change.before), _score(mark_change.after)
            yield new.student, mark_change.step, *scores, _reasons(mark_change.reasons)


def _reasons(changes: list[Change]) -> str:
    return "; ".join(dict.fromkeys(change.description for change in changes))


def _worth(regrade: Regrade) -> Iterator[tuple[str, ...]]:
    """Yield each step with other points, and its number of scripts."""
    moved = ((_of(change.before), _of(change.after), change) for change in regrade.moved)
    counts = Counter((c.step, before, after, _reasons(c.worth)) for before, after, c in moved if before != after)
    for (step, before, after, because), count in counts.items():
        yield step, str(count), before, after, because


def _worth_only_rows(regrade: Regrade) -> Iterator[tuple[str, ...]]:
    """Yield the totals of scripts whose answers all keep their share."""
    moved = _by_file(regrade)
    for old, new in regrade.students:
        if all(mark_change.is_worth for mark_change in moved[new.file]):
            yield new.student, _total_score(old), _total_score(new)


def _by_file(regrade: Regrade) -> dict[str, list[MarkChange]]:
    by_file: dict[str, list[MarkChange]] = {}
    for mark_change in regrade.moved:
        by_file.setdefault(mark_change.file, []).append(mark_change)
    return by_file


def _of(marks: tuple[Fraction, Fraction] | None) -> str:
    """Return the points of a step; a dash if it does not count."""
    return "–" if marks is None else points(marks[1])


def _total_score(row: GradedScript) -> str:
    """Return `17 of 20`, with the grade if there is a scale."""
    return _score((row.earned, row.most)) + (f", {row.grade}" if row.grade else "")


def _score(marks: tuple[Fraction, Fraction] | None) -> str:
    return "–" if marks is None else f"{points(marks[0])} of {points(marks[1])}"


def regrade_as_json(regrade: Regrade) -> str:
    """Return the regrade as JSON; marks are exact texts such as 1/3."""
    data = {
        "title": regrade.title,
        "changes": [change.description for change in regrade.changes],
        "scripts": regrade.after.count,
        "changed": [
            {
                "student": new.student,
                "file": new.file,
                "variant": new.variant,
                "before": _total(old),
                "after": _total(new),
                "steps": [
                    {
                        "step": mark_change.step,
                        "before": _exact(mark_change.before),
                        "after": _exact(mark_change.after),
                        "because": [why.description for why in mark_change.reasons],
                    }
                    for mark_change in regrade.moved
                    if mark_change.file == new.file
                ],
            }
            for old, new in regrade.students
        ],
    }
    return as_json(data)


def _total(row: GradedScript) -> dict[str, str]:
    return {"marks": str(row.earned), "out_of": str(row.most)} | ({"grade": row.grade} if row.grade else {})


def _exact(marks: tuple[Fraction, Fraction] | None) -> dict[str, str] | None:
    return None if marks is None else {"marks": str(marks[0]), "out_of": str(marks[1])}
