"""The column "right" prints right numbers, rounded as the problem asks, and an entry is explained in the digits of its
line.

The oracle works with 60 decimal digits and rounds by `decimal`'s own modes; `calculator` reads the printed lines.
"""

from __future__ import annotations

import json
import re
import unicodedata
from decimal import Decimal, localcontext

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.api import check
from attncalc.explain.report_document import report_document
from attncalc.render import html, latex, markdown, report_json, text, typst
from tests.support.calculator import check as checked
from tests.support.calculator import lines_of_markdown, lines_of_text
from tests.support.decimal_modes import DECIMAL_MODES
from tests.support.laws import examples

STEPS = {"P": "x / 8", "R": "sqrt(y) / 4", "A": "softmax(y / 2)"}
often = examples(60)


def worked_out(x, y):
    """The three steps with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        e = [(Decimal(v) / 2).exp() for v in y]
        return {"P": [Decimal(v) / 8 for v in x], "R": [Decimal(v).sqrt() / 4 for v in y], "A": [v / sum(e) for v in e]}


def printed(value, digits, mode):
    with localcontext() as context:
        context.prec = 60
        return value.quantize(Decimal(1).scaleb(-digits), DECIMAL_MODES[mode]) + 0


def told(report):
    return {
        step["name"]: step["cells"] for part in json.loads(report_json.write(report))["parts"] for step in part["steps"]
    }


numbers = st.lists(st.integers(-40, 40), min_size=3, max_size=3)
squares = st.lists(st.integers(0, 12), min_size=3, max_size=3)


@given(
    numbers, squares, st.sampled_from(sorted(DECIMAL_MODES)), st.integers(0, 6), st.sampled_from([3, -7]), st.booleans()
)
@often
def test_law_what_is_said_to_be_right_is_rounded_by_the_problems_own_mode(x, y, mode, digits, off, fewer):
    """An answer that is wrong everywhere has every entry beside it, whatever its own digits; what follows from it is
    the same.
    """
    exact = worked_out(x, y)
    own = max(0, digits - fewer)
    wrong = {name: [[str(printed(v, own, mode) + off) for v in row]] for name, row in exact.items()}
    problem = load({"given": {"x": [x], "y": [y]}, "rounding": {"digits": digits, "mode": mode}, "steps": STEPS})
    found = told(check(problem, {"answers": wrong}))
    for name, row in exact.items():
        assert len(found[name]) == len(row)
        for cell in found[name]:
            for side in ("right", "from_own"):
                assert Decimal(cell[side]) == printed(row[cell["column"]], digits, mode), (name, side, cell)
                assert len(cell[side].partition(".")[2]) == digits


@given(numbers, squares, st.sampled_from(sorted(DECIMAL_MODES)), st.integers(0, 9), st.booleans())
@often
def test_law_an_entry_is_explained_in_the_digits_of_its_line(x, y, mode, digits, stated):
    """The worked line ends with the right entry as the column has it, and agrees with a calculator; the sheet may ask
    for nothing.
    """
    exact = worked_out(x, y)
    mode = mode if stated else "half_up"
    asked = {"rounding": {"digits": digits, "mode": mode}} if stated else {}
    problem = load({"title": "t", "given": {"x": [x], "y": [y]}, **asked, "steps": STEPS})
    report = check(
        problem, {"answers": {name: [[str(printed(v, digits, mode) + 1) for v in row]] for name, row in exact.items()}}
    )
    document = report_document(report, solve(problem))
    for writer, reader in ((text, lines_of_text), (markdown, lines_of_markdown)):
        lines = reader(writer.write(document))
        assert not [
            (str(line), told.contradicted) for line in lines if (told := checked(line, mode)).contradicted or told.signs
        ]
    for line in (line for line in lines_of_text(text.write(document)) if line.lead == "right"):
        name, place = re.fullmatch(r"(\w*?)([₀-₉]+)", line.head).groups()  # of a row, counted from 1
        end = printed(exact[name][int(unicodedata.normalize("NFKC", place)) - 1], digits or (0 if stated else 2), mode)
        shown = line.sides[-1][1].replace("−", "-")
        assert Decimal(shown) == end if "·" not in shown else True, str(line)


@pytest.mark.parametrize(
    ("mode", "typed", "said"),
    [
        ("half_up", "1.42", "you wrote 1.42, but 1.4142 rounds to 1.41"),
        ("half_even", "1.42", "you wrote 1.42, but 1.4142 rounds to 1.41"),
        ("truncate", "1.42", "you wrote 1.42, but 1.4142 truncates to 1.41"),
    ],
)
def test_a_last_digit_is_explained_by_the_mode_of_the_problem(mode, typed, said):
    problem = load({"given": {"y": [[2, 3]]}, "rounding": {"digits": 2, "mode": mode}, "steps": {"R": "sqrt(y)"}})
    report = check(problem, {"answers": {"R": [[typed, "1.73"]]}})
    assert said in text.write(report_document(report, solve(problem)))


@given(
    st.from_regex(r"[-+−]?[0-9]{1,3}([.][0-9]{0,4})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
    | st.text("0123456789eE+-−._/(i)nf jx²", min_size=1, max_size=9)
)
@example("1e-330")  # its last digit is smaller than any float
@often
def test_law_what_is_typed_stands_on_every_page(typed):
    """A number in any notation, 1E-7 as 1e-7, and anything else that an answer is read from."""
    problem = load({"title": "t", "given": {"x": [[1, 3]]}, "steps": {"R": "x / 3"}})
    try:
        report = check(problem, {"answers": {"R": [[typed, "2"]]}})
    except AttncalcError:
        return
    document = report_document(report, solve(problem))
    for medium in (text, markdown, html, latex, typst):
        assert medium.write(document)
