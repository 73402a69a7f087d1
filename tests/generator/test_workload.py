"""Variants that are outliers in work or in predicted difficulty are not drawn: what is measured, what is screened out,
what stress shows.
"""

from __future__ import annotations

from statistics import pstdev

import pytest

from attncalc.api import loads
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.stress import as_data, document, stress
from attncalc.explain.document import Curve
from attncalc.generator.numeric_view import NumericView
from attncalc.generator.rejection_search import MAX_OUTLIERS, MEASURES
from attncalc.generator.workload import SLIPS, Cost, cost
from attncalc.render import html
from tests.support.sweeps import for_each

SHEET = "questions: [{{generate: rms_norm, with: {{tokens: 2, d_model: 3{}}}}}]\n"


def search_of(more=""):
    return read_sheet(SHEET.format(more), "s.yaml").questions[0].search


@pytest.fixture(scope="module")
def search():
    return search_of()


@for_each("given, step, counts", [
    ("Q: [[2, 3]], K: [[4, 5]]", "Q @ K.T", (2, 0, 0, 0)),  # products, hard, negative, figures
    ("Q: [[2, -3]], K: [[4, 0.25]]", "Q @ K.T", (2, 0, 1, 1)),
    ("Q: [[-2, -3]], K: [[-4, 12.5]]", "Q @ K.T", (2, 0, 2, 2)),
    ("Q: [[1, 0, -1, 7]], K: [[9, 9, 9, 9]]", "Q @ K.T", (1, 0, 0, 0)),  # what is 0 or ±1 asks for no product
    ("Q: [[2, 3]], K: [[4, 5]]", "softmax(Q) + K * 0", (0, 2, 0, 0)),
    ("Q: [[1/3, 2]], K: [[4, 5]]", "Q @ K.T", (2, 0, 0, 2)),  # 1/3 is written as 0.333
])  # fmt: skip
def test_what_is_counted(given, step, counts):
    found = cost(NumericView(loads(f"given: {{{given}}}\nsteps: {{S: '{step}'}}\n")))
    assert (found.products, found.hard, found.negative, found.figures) == counts
    assert found.difficulty == sum(
        SLIPS[name] * count for name, count in zip(("products", "hard", "negative", "figures"), counts, strict=True)
    )


@pytest.mark.sweep(quick=0)
def test_screened_variants_are_alike(search):
    assert {*search.windows} == {*MEASURES}
    before, after = list(search.sample_costs(60)), [search.variant(k).cost for k in range(1, 13)]
    for name, (low, high) in search.windows.items():
        assert all(low <= getattr(one, name) <= high for one in after)
        assert pstdev(getattr(one, name) for one in after) <= pstdev(getattr(one, name) for one in before) / 2


@pytest.mark.parametrize("more", [", margin: 0.1", ", relax: work"])
def test_a_margin_of_the_sheets_own_stands_in_place_of_screening(more):
    assert not search_of(more).windows


@pytest.mark.sweep(quick=0)
def test_where_all_are_outliers_others_are_taken(search):
    kept = dict(search.windows)
    search.windows["total"] = (-2.0, -1.0)
    try:
        found = search.variant(1)
    finally:
        search.windows.update(kept)
    assert (
        search.outliers == MAX_OUTLIERS + 1
        and abs(found.cost.total - search.calibration.target) <= search.spec.margin * search.calibration.target
    )


def test_a_cost_of_earlier_fields_is_still_one():
    assert Cost(2, 1, 10).total == 2 + 3 + 2 and Cost(2, 1, 10).difficulty == 4


@pytest.mark.sweep(quick=0)
def test_stress_shows_the_spread_before_and_after():
    found = stress(
        read_sheet("questions: [{generate: feed_forward, with: {tokens: 2, d_model: 2, d_ff: 3}}]\n", "s.yaml"), 8
    )
    (told,) = as_data(found)["questions"]
    for measure in ("work", "predicted difficulty"):
        screening = told["screening"][measure]
        assert 0 <= screening["after"] < screening["before"] and screening["ratio"] < 0.6
    made = document(found)
    curves = [block for block in made.blocks if isinstance(block, Curve)]
    assert len(curves) == 4 and all(95 <= sum(map(float, curve.heights)) <= 105 for curve in curves)
    assert html.write(made).count("<polyline") >= 4
