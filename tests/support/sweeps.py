"""Which cases of a sweep are run, and one test for many small cases."""

from __future__ import annotations

import functools
import inspect

import pytest

FAULTS = (Exception, pytest.fail.Exception)  # `pytest.raises` ends with the latter


def few(items, most):
    """So many of the items, spread evenly from the first to the last."""
    items = list(items)
    if most < 2 or len(items) <= most:
        return items[:most]
    return [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)]


def parts(items, quick, ci=None):
    """The items that `pytest` runs, those that CI runs too, and all others. CI runs so many: all if `ci` is True, and
    without `ci` half as many more as `quick`, at least one.
    """
    items = list(items)
    positions = range(len(items))
    first = dict.fromkeys(few(positions, quick))
    if ci is None:
        spread = [k for k in few(positions, max(1, 2 * len(first))) if k not in first]
        chosen = few(spread, max(1, len(first) // 2))
    else:
        chosen = positions if ci is True else few(positions, ci)
    more = dict.fromkeys(k for k in chosen if k not in first)
    others = [k for k in positions if k not in first and k not in more]
    return [[items[k] for k in part] for part in (first, more, others)]


def for_each(names, cases, *, quick=None, ci=None, ids=None):
    """A decorator like `pytest.mark.parametrize` for cases that take little time: they are one test, which reports every
    case that fails. With `quick` and `ci` (see `parts`) the other cases are tests of their own: slow, and exhaustive.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = [_row(names, case, ids, k) for k, case in enumerate(cases)]

    def decorated(test):
        if inner := getattr(test, "rows", None):  # the cases of two tables: each with each
            together = [(f"{a}-{b}", first | second) for a, first in inner for b, second in rows]
            return _one_test(test.one_case, together, quick, ci)
        return _one_test(test, rows, quick, ci)

    return decorated


def _row(names, case, ids, k):
    values, name = case, None
    if isinstance(case, type(pytest.param())):
        assert not case.marks, "a case with marks of its own is parametrised"
        values, name = (case.values if len(names) > 1 else case.values[0]), case.id
    values = (values,) if len(names) == 1 else tuple(values)
    assert len(values) == len(names), f"{values!r} has no value for each of {names}"
    if callable(ids):
        name = "-".join(str(ids(value)) for value in values)
    elif ids:
        name = str(list(ids)[k])
    return name or ", ".join(map(repr, values)), dict(zip(names, values))


def _one_test(test, rows, quick, ci):
    fixtures = [one for one in inspect.signature(test).parameters.values() if one.name not in rows[0][1]]
    kinds = [pytest.param(rows, id="all")]
    if quick is not None:
        now, later, others = parts(rows, quick, ci)
        marks = [(), pytest.mark.slow, (pytest.mark.slow, pytest.mark.exhaustive)]
        kinds = [
            pytest.param(part, id=name, marks=mark)
            for part, name, mark in zip((now, later, others), ("quick", "ci", "others"), marks)
            if part
        ]

    @pytest.mark.parametrize("swept", kinds)
    @functools.wraps(test)
    def all_cases(swept, **given):
        failed = []
        for name, row in swept:
            try:
                test(**row, **given)
            except FAULTS as error:
                error.add_note(f"case: {name}")
                failed.append(error)
        if len(failed) == 1:
            raise failed[0]
        if failed:
            named = "\n".join(error.__notes__[-1] for error in failed)
            raise BaseExceptionGroup(f"{len(failed)} of {len(swept)} cases fail\n{named}", failed)

    swept = inspect.Parameter("swept", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    all_cases.__signature__ = inspect.Signature([swept, *fixtures])
    all_cases.rows, all_cases.one_case = rows, test
    return all_cases
