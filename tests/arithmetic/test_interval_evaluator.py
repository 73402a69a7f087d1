"""The interval arithmetic encloses: whatever the operands are within their intervals, the result lies in
the enclosure.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random

import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc.arithmetic.intervals import interval_evaluator
from attncalc.arithmetic.intervals.scalar import HIDDEN, point
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY, is_infinite
from attncalc.arithmetic.rounding import round_number
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.operations import literal
from attncalc.formula.typed_formula import OPERATIONS
from tests.arithmetic import oracle
from tests.arithmetic.cases import Case, Number, draw_case
from tests.arithmetic.ends import ends, holds, is_value, width
from tests.support.laws import each_case
from tests.support.sweeps import for_each

ROOM = (Fraction(0), Fraction(0), Fraction(1, 64), Fraction(1, 2), Fraction(5, 2))
KINDS = ("point", *["interval"] * 5, "below", "above", "unbounded")


def as_end(r: Random, q: Fraction):
    """An end as a fraction or as a ball that holds it."""
    exact = fmpq(q.numerator, q.denominator)
    return exact if r.random() < 0.5 else arb(exact)


def as_ball(r: Random, q: Fraction):
    """A number as a ball that holds it anywhere, or as it is."""
    radius = r.choice((Fraction(0), Fraction(1, 64), Fraction(1, 4), abs(q)))
    middle = q + r.choice((0, 1, -1)) * radius * Fraction(15, 16)
    return arb(fmpq(middle.numerator, middle.denominator), float(radius)) if radius else as_end(r, q)


def around(r: Random, number: Number):
    """A cell that holds the number: a point, an interval of fractions or balls, one that has no end on a side, or no
    bound at all.
    """
    kind = "point" if number.kind == "infinite" else r.choice(KINDS)
    if kind == "point":
        return point(as_ball(r, number.of) if number.kind == "rational" and r.random() < 0.5 else number.flint)
    if kind == "unbounded":
        return None
    below = above = number.of
    if number.kind != "rational":
        below = Fraction(math.floor(oracle.exactly(number.value) * 64), 64)
        above = below + Fraction(1, 64)
    low = MINUS_INFINITY if kind == "below" else as_ball(r, below - r.choice(ROOM))
    high = PLUS_INFINITY if kind == "above" else as_ball(r, above + r.choice(ROOM))
    return low, high


def boxes(r: Random, case: Case):
    return {name: [[around(r, x) for x in row] for row in m] for name, m in case.operands.items()}


def meaning(case: Case):
    """The oracle's values; a case without any, or that 200 digits leave open, is no case."""
    try:
        return case.expected()
    except (oracle.Undefined, oracle.Unclear):
        assume(False)


@pytest.mark.parametrize("operation", OPERATIONS)
@each_case()
@given(r=st.randoms(use_true_random=True))
def test_an_enclosure_holds_every_result(operation, r):
    case = draw_case(operation, r)
    box = boxes(r, case)
    expected = meaning(case)
    found = interval_evaluator.evaluate(case.node, box.__getitem__)
    assert [len(row) for row in found] == [len(row) for row in expected]
    for cell, value in zip(itertools.chain(*found), itertools.chain(*expected), strict=True):
        assert holds(cell, value), (box, found, expected)


# -- as narrow as it can be --------------------------------------------------------------------------------------------

# What has its extremes where every operand is at an end of its interval (or at 0): the enclosure is no wider than the
# results there.
AT_ENDS = (
    "literal", "pi", "ref", "matrix", "neg", "add", "sub", "mul", "div", "pow", "matmul", "transpose", "take",
    "exp", "log", "sqrt", "tanh", "erf", "abs", "floor", "maximum", "row_sum", "row_max", "softmax", "keep", "hstack",
    "vstack", "sort_rows",
)  # fmt: skip
NOT_AT_ENDS = ("sin", "cos", "round", "one_hot", "top_k", "top_p", "argmax_rows", "order_rows")
MOST_OPEN = 4  # entries that are uncertain in one case
SMALL = Fraction(1, 10**8)  # the radius of a ball has 30 bits


def test_every_operation_says_whether_its_enclosure_is_narrow():
    assert {*AT_ENDS, *NOT_AT_ENDS} == set(OPERATIONS)


def narrow_boxes(r: Random, case: Case):
    """Cells with two finite ends around a few of the entries, points around the others; and what each entry may be at
    the extremes.
    """
    box, extremes = {}, {}
    left = MOST_OPEN
    fixed = (
        ["x1"]
        if case.node.word == "pow"
        and not all(x.kind == "rational" and x.of > 3 for row in case.operands["x0"] for x in row)
        else []
    )
    for name, m in case.operands.items():
        cells, choices = [], []
        for x in itertools.chain(*m):
            if x.kind == "rational" and left and name not in fixed and r.random() < 0.7:
                left -= 1
                low, high = x.of - r.choice(ROOM), x.of + r.choice(ROOM)
                cells.append((as_end(r, low), as_end(r, high)) if low < high else point(x.flint))
                choices.append([low, high] + [Fraction(0)] * (low < 0 < high))
            else:
                cells.append(point(x.flint))
                choices.append([x.value])
        width = len(m[0])
        box[name] = [cells[k : k + width] for k in range(0, len(cells), width)]
        extremes[name] = (width, choices)
    return box, extremes


def at_extremes(case: Case, extremes):
    """The results for every choice of extremes."""
    names = list(extremes)
    for chosen in itertools.product(*[itertools.product(*choices) for _, choices in extremes.values()]):
        values = {}
        for name, flat in zip(names, chosen, strict=True):
            width = extremes[name][0]
            values[name] = [list(flat[k : k + width]) for k in range(0, len(flat), width)]
        yield [x for row in oracle.evaluate(case.node, values) for x in row]


@pytest.mark.parametrize("operation", AT_ENDS)
@each_case()
@given(r=st.randoms(use_true_random=True))
def test_an_enclosure_is_no_wider_than_its_extremes(operation, r):
    case = draw_case(operation, r)
    box, extremes = narrow_boxes(r, case)
    try:
        results = list(at_extremes(case, extremes))
    except (oracle.Undefined, oracle.Unclear):
        assume(False)
    found = interval_evaluator.evaluate(case.node, box.__getitem__)
    for cell, values in zip(itertools.chain(*found), zip(*results, strict=True), strict=True):
        real = [
            x if oracle.infinite(x) else Fraction(x) if isinstance(x, Fraction) else oracle.exactly(x) for x in values
        ]
        if cell is None and operation == "pow" and not case.rational:
            continue  # a base that may be 0 has no bound under an irrational power
        assert cell is not None, (box, case.node)
        (low, _), (_, high) = ends(cell[0]), ends(cell[1])
        for k, end, best, direction in ((0, low, min(real), 1), (1, high, max(real), -1)):
            if oracle.infinite(best):
                assert end == best and is_infinite(cell[k]), (box, found)  # the symbol: it has no radius
            else:
                assert (best - end) * direction <= SMALL * (1 + abs(best)), (box, found, float(best), float(end))


OF_EQUALS = ("top_k", "argmax_rows")  # of which any may be chosen, as an examiner lets it


def tied(box) -> bool:
    """Whether a row of points has two that are equal."""
    return any(x == y for m in box.values() for row in m for x, y in itertools.combinations(row, 2))


@pytest.mark.parametrize("operation", [name for name in NOT_AT_ENDS if name != "round"])
@given(r=st.randoms(use_true_random=True))
def test_points_have_points_as_results(operation, r):
    case = draw_case(operation, r)
    expected = meaning(case)
    box = {name: [[point(x.flint) for x in row] for row in m] for name, m in case.operands.items()}
    found = interval_evaluator.evaluate(case.node, box.__getitem__)
    for cell, value in zip(itertools.chain(*found), itertools.chain(*expected), strict=True):
        if operation in ("sin", "cos"):
            assert width(cell) < SMALL and holds(cell, value)
        elif operation in OF_EQUALS and tied(box):
            assert holds(cell, value)
        elif case.rational:
            assert cell is not None and cell[0] is cell[1] and is_value(cell[0], value), (box, found)


@pytest.mark.parametrize("operation", ["top_k", "top_p", "argmax_rows", "order_rows"])
@given(r=st.randoms(use_true_random=True))
def test_choices_among_entries_that_are_far_apart_are_certain(operation, r):
    case = draw_case(operation, r)
    far = [
        [Number("rational", Fraction(k, 100)) for k in r.sample(range(1, 60, 7), len(row))]
        for row in case.operands["x0"]
    ]
    case.operands["x0"] = far
    expected = meaning(case)
    box = {name: [[point(x.flint) if name == "x1" else (x.flint - fmpq(1, 100_000), x.flint) for x in row] for row in m]
           for name, m in case.operands.items()}  # fmt: skip
    sums = [sum(x.of for x in row[:k]) for row in far for k in range(len(row))] if operation == "top_p" else []
    assume(operation != "top_p" or all(abs(case.operands["x1"][0][0].of - s) > Fraction(1, 1000) for s in sums))
    found = interval_evaluator.evaluate(case.node, box.__getitem__)
    if operation == "top_p":  # the larger entries of a row are drawn in any order; only a sum near p may stay open
        assert all(
            holds(cell, v) for row, line in zip(found, expected, strict=True) for cell, v in zip(row, line, strict=True)
        )
        return
    assert [[(fmpq(int(v)),) * 2 for v in row] for row in expected] == found


CHOICES = ("top_k", "top_p", "argmax_rows", "order_rows")


def at_all_ends(operation: str, r: Random, cells):
    """The enclosure of a choice in one row of cells, and its results where every entry is at one of its ends."""
    k, p = r.randint(1, len(cells)), Fraction(r.randint(1, 10), 2)
    row = op.Ref("x", (1, len(cells)))
    build = {
        "top_k": lambda: do.top_k(row, k), "top_p": lambda: do.top_p(row, op.Ref("p", (1, 1))),
        "argmax_rows": lambda: do.reduce_rows(op.ArgmaxRows, row), "order_rows": lambda: do.order_rows(row, k),
    }  # fmt: skip
    node = build[operation]()
    as_flint = [point(fmpq(a)) if a == b else (fmpq(a), fmpq(b)) for a, b in cells]
    box = {"x": [as_flint], "p": [[point(fmpq(p.numerator, p.denominator))]]}
    values = set(itertools.product(*[{Fraction(a), Fraction(b)} for a, b in cells]))
    if operation == "order_rows":  # an entry may also come between the ends of two others
        between = [[Fraction(2 * e + 1, 2) for e in itertools.chain(*cells) if a <= e < b] for a, b in cells]
        values |= {
            (*chosen[:j], x, *chosen[j + 1 :]) for chosen in values for j, own in enumerate(between) for x in own
        }
    results = [oracle.evaluate(node, {"x": [list(chosen)], "p": [[p]]})[0] for chosen in values]
    return interval_evaluator.evaluate(node, box.__getitem__)[0], list(zip(*results, strict=True))


@given(st.fractions(-9, 0, max_denominator=8), st.fractions(0, 3, max_denominator=8))
def test_what_is_below_zero_has_no_logarithm_and_zero_has_minus_infinity(high, width):
    cell = tuple(fmpq(x.numerator, x.denominator) for x in (high - width, high))
    found = interval_evaluator.evaluate(do.unary(op.Log, op.Ref("x", (1, 1))), lambda key: [[cell]])
    assert found == [[HIDDEN if high == 0 else None]]


@given(st.fractions(0, 40, max_denominator=60), st.fractions(0, 40, max_denominator=60))
def test_roots_that_are_fractions_stay_fractions(a, b):
    low, high = (fmpq(x.numerator, x.denominator) for x in sorted((a, b)))
    square = (low**2, high**2)
    found = interval_evaluator.evaluate(do.unary(op.Sqrt, op.Ref("x", (1, 1))), lambda key: [[square]])
    assert all(isinstance(end, fmpq) for end in found[0][0]) and found == [[(low, high)]]


@pytest.mark.parametrize("operation", CHOICES)
@given(r=st.randoms(use_true_random=True))
def test_a_choice_among_intervals_that_touch_is_held(operation, r):
    cells = [tuple(sorted((r.randint(0, 3), r.randint(0, 3)))) for _ in range(r.randint(1, 4))]
    found, results = at_all_ends(operation, r, cells)
    for cell, values in zip(found, results, strict=True):
        assert all(holds(cell, value) for value in values), (cells, found)


@pytest.mark.parametrize("operation", CHOICES)
@given(r=st.randoms(use_true_random=True))
def test_a_choice_is_certain_where_every_end_makes_the_same(operation, r):
    """No two ends are equal, so that no tie is left to the order of the entries."""
    ends_ = r.sample(range(13), 8)
    cells = [
        tuple(sorted(ends_[2 * k : 2 * k + 2])) if r.random() < 0.7 else (ends_[2 * k],) * 2
        for k in range(r.randint(1, 4))
    ]
    found, results = at_all_ends(operation, r, cells)
    for cell, values in zip(found, results, strict=True):
        assert (ends(cell[0])[0], ends(cell[1])[0]) == (min(values), max(values)), (cells, found)
        assert len(set(values)) > 1 or cell[0] is cell[1]


@given(st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=5))
def test_of_equal_points_the_first_comes_first_or_any_may(row):
    r = Random(len(row))
    for operation in CHOICES:
        found, results = at_all_ends(operation, r, [(x, x) for x in row])
        if operation not in OF_EQUALS or len(set(row)) == len(row):
            assert found == [point(fmpq(int(value))) for (value,) in results]
        else:
            assert all(holds(cell, Fraction(value)) for cell, (value,) in zip(found, results, strict=True))


def test_any_of_equal_points_may_be_chosen_and_no_other():
    row = [[point(fmpq(x)) for x in (1, 3, 3, 0)]]
    x = op.Ref("x", (1, 4))
    (kept,) = interval_evaluator.evaluate(op.TopK(1, (x,), (1, 4)), {"x": row}.__getitem__)
    assert [tuple(map(int, cell)) for cell in kept] == [(0, 0), (0, 1), (0, 1), (0, 0)]
    ((place,),) = interval_evaluator.evaluate(op.ArgmaxRows((x,), (1, 1)), {"x": row}.__getitem__)
    assert tuple(map(int, place)) == (1, 2)


@pytest.mark.parametrize("operation", ["sin", "cos"])
@given(r=st.randoms(use_true_random=True))
def test_a_wave_is_no_wider_than_its_argument(operation, r):
    case = draw_case(operation, r)
    box, _ = narrow_boxes(r, case)
    found = interval_evaluator.evaluate(case.node, box.__getitem__)
    for cell, argument in zip(itertools.chain(*found), itertools.chain(*box["x0"]), strict=True):
        assert cell is not None and width(cell) <= width(argument) + SMALL
        assert width(cell) < 2 + SMALL


@given(r=st.randoms(use_true_random=True))
def test_rounding_opens_an_interval_to_the_rounded_ends_alone(r):
    """It was opened by half a unit on either side, so that 41 was a possible rounding of 41.7."""
    case = draw_case("round", r)
    box, _ = narrow_boxes(r, case)
    digits, mode = case.node.digits, case.node.mode
    slack = Fraction(1 if mode == "truncate" else Fraction(1, 2)) / 10**digits
    for cell, argument in zip(
        itertools.chain(*interval_evaluator.evaluate(case.node, box.__getitem__)),
        itertools.chain(*box["x0"]),
        strict=True,
    ):
        if argument == HIDDEN:
            assert cell == HIDDEN
            continue
        for end, number, outward in zip(cell, argument, (-slack, slack), strict=True):
            n = round_number(number, digits, mode)
            expected = ends(number)[0] + outward if n is None else Fraction(int(n), 10**digits)
            assert abs(ends(end)[0] - expected) <= SMALL


@given(st.integers(60, 400))
def test_more_bits_give_narrower_balls(bits):
    with ctx.workprec(bits):
        box = [[point(arb(fmpq(1, 3)))]]
        found = interval_evaluator.evaluate(do.unary(op.Exp, op.Ref("x", (1, 1))), lambda key: box)
    assert width(found[0][0]) < Fraction(64, 2**bits)


# -- single rules ------------------------------------------------------------------------------------------------------


def of(operation: str, *row, **more):
    """The results of an operation on each of some cells."""
    node = do.unary(OPERATIONS[operation], op.Ref("x", (1, len(row))))
    return interval_evaluator.evaluate(node, lambda key: [list(row)], **more)[0]


@for_each(("operation", "at", "value"), [
    ("exp", 0, 1), ("exp", MINUS_INFINITY, 0), ("log", 1, 0), ("sqrt", 0, 0), ("sin", 0, 0), ("cos", 0, 1),
    ("tanh", 0, 0), ("erf", 0, 0),
    ("tanh", PLUS_INFINITY, 1), ("tanh", MINUS_INFINITY, -1), ("erf", PLUS_INFINITY, 1), ("erf", MINUS_INFINITY, -1),
])  # fmt: skip
def test_a_value_that_is_a_fraction_is_a_point(operation, at, value):
    (found,) = of(operation, point(at if isinstance(at, arb) else fmpq(at)))
    assert found is not None and isinstance(found[0], fmpq) and found[0] is found[1] and found[0] == value


def test_logarithms_of_an_interval_to_or_from_one():
    (below, above) = of("log", (fmpq(1, 2), fmpq(1)), (fmpq(1), fmpq(2)))
    assert below[1] == 0 and isinstance(below[1], fmpq) and above[0] == 0 and isinstance(above[0], fmpq)
    assert holds(below, oracle.mp.log(oracle.mp.mpf(3) / 4)) and holds(above, oracle.mp.log(oracle.mp.mpf(3) / 2))


@given(st.fractions(0, 2, max_denominator=64), st.fractions(0, 1, max_denominator=64))
def test_the_root_of_what_may_be_zero_is_bounded(radius, share):
    """An end, or a point, that is a ball around 0: the root lies between 0 and that of the ball's end."""
    assume(radius)
    ball = arb(0, float(radius))
    for cell in ((ball, ball), (fmpq(0), ball), (ball, fmpq(radius.numerator, radius.denominator)), (fmpq(-1), ball)):
        (found,) = of("sqrt", cell)
        assert found is not None and holds(found, oracle.square_root(radius * share)) and ends(found[0])[0] >= 0
        assert ends(found[1])[1] <= oracle.exactly(oracle.mp.sqrt(oracle.real(radius))) * (1 + SMALL)
    assert of("sqrt", (fmpq(-2), fmpq(-1)), (arb(-2, 0.5),) * 2) == [None, None]


def test_weights_of_a_row_without_scores_or_with_unknown_ones():
    def weights(row, empty="error"):
        node = do.softmax(op.Ref("x", (1, len(row))), "rows", empty)
        return interval_evaluator.evaluate(node, lambda key: [row])[0]

    third, nothing, all_ = point(fmpq(1, 3)), point(fmpq(0)), point(fmpq(1))
    assert weights([HIDDEN] * 3) == [None] * 3
    assert weights([HIDDEN] * 3, "zeros") == [nothing] * 3 and weights([HIDDEN] * 3, "uniform") == [third] * 3
    for unknown in (None, (MINUS_INFINITY, fmpq(1)), (fmpq(1), PLUS_INFINITY)):
        assert weights([point(fmpq(1)), HIDDEN, unknown]) == [(0, 1), nothing, (0, 1)]
    assert weights([HIDDEN, (fmpq(1), fmpq(2))]) == [nothing, all_]
    same = weights([point(fmpq(5, 7)), HIDDEN, point(fmpq(5, 7)), point(fmpq(5, 7))])
    assert same == [third, nothing, third, third] and all(x[0] is x[1] for x in same)
    open_ = weights([(fmpq(0), fmpq(1)), (fmpq(0), fmpq(1))])
    assert all(width(cell) > Fraction(1, 5) for cell in open_) and all(holds(cell, Fraction(1, 2)) for cell in open_)
    one, other = weights([point(fmpq(0)), point(fmpq(1))])
    assert holds(one, 1 / (1 + oracle.mp.e)) and width(one) < SMALL and ends(other[0])[0] > Fraction(7, 10)


def test_a_row_with_an_entry_without_a_bound_has_no_largest_and_no_sum():
    row = [point(fmpq(1)), None, (fmpq(0), fmpq(3))]
    for operation in ("row_max", "row_sum"):
        node = do.reduce_rows(OPERATIONS[operation], op.Ref("x", (1, 3)))
        assert interval_evaluator.evaluate(node, lambda key: [row]) == [[None]]


@given(st.fractions(-9, 9, max_denominator=8), st.fractions(0, 2, max_denominator=8), st.sampled_from([0.0, 0.25]))
def test_floor_and_rounding_reach_to_both_sides(x, gap, radius):
    low, high = (arb(fmpq(e.numerator, e.denominator), radius) for e in (x, x + gap))
    (down,) = of("floor", (low, high))
    room = Fraction(radius) + SMALL
    assert (
        math.floor(x - room) - SMALL <= ends(down[0])[0] <= math.floor(x)
        and math.floor(x + gap) <= ends(down[1])[1] <= math.floor(x + gap + room) + SMALL
    )
    for mode, slack in (("truncate", Fraction(1, 10)), ("half_up", Fraction(1, 20)), ("half_even", Fraction(1, 20))):
        node = do.round_to(op.Ref("x", (1, 1)), 1, mode)
        ((cell,),) = interval_evaluator.evaluate(node, lambda key: [[(low, high)]])
        for end, number, outward in zip(cell, (low, high), (-slack, slack), strict=True):
            n = round_number(number, 1, mode)
            expected = ends(number)[0] + outward if n is None else Fraction(int(n), 10)
            assert abs(ends(end)[0] - expected) <= SMALL
        assert interval_evaluator.evaluate(node, lambda key: [[HIDDEN]]) == [[HIDDEN]]
        ((open_,),) = interval_evaluator.evaluate(node, lambda key: [[(MINUS_INFINITY, fmpq(1))]])
        assert open_ == (MINUS_INFINITY, 1)


@given(r=st.randoms(use_true_random=True))
def test_a_part_that_stands_twice_is_worked_out_once_and_counts_twice(r):
    a = op.Ref("x", (1, 2))
    once = do.unary(op.Exp, a)
    once.shared = r.random() < 0.5
    row = [point(fmpq(r.randint(-8, 8), 4)) for _ in range(2)]
    both = do.entrywise(op.Mul, do.entrywise(op.Add, once, literal(((Fraction(1),),))), once)
    for cell, (x, _) in zip(interval_evaluator.evaluate(both, lambda key: [row])[0], row, strict=True):
        power = oracle.mp.exp(oracle.real(ends(x)[0]))
        assert holds(cell, (power + 1) * power) and width(cell) < SMALL


def test_a_table_is_looked_up_by_certain_numbers_alone():
    table = [[HIDDEN, point(fmpq(2))], [point(fmpq(3)), point(fmpq(4))]]
    node = do.matmul(do.one_hot(op.Ref("i", (3, 1)), 2, ignore=-1), op.Ref("t", (2, 2)))
    ids = [[point(fmpq(1))], [point(fmpq(0))], [point(fmpq(-1))]]
    assert interval_evaluator.evaluate(node, {"i": ids, "t": table}.__getitem__) == [
        table[1],
        table[0],
        [point(fmpq(0))] * 2,
    ]
    unsure = interval_evaluator.evaluate(node, {"i": [[(fmpq(0), fmpq(1))]] * 3, "t": table}.__getitem__)
    assert unsure[0][0] is None and holds(unsure[0][1], Fraction(2)) and holds(unsure[0][1], Fraction(4))


@for_each(("operation", "at", "value"), [
    ("exp", 0, 1), ("exp", "-inf", 0), ("log", 1, 0), ("sqrt", 4, 2), ("sqrt", 0, 0), ("sin", 0, 0), ("cos", 0, 1),
    ("tanh", 0, 0), ("tanh", "inf", 1), ("tanh", "-inf", -1),
    ("erf", 0, 0), ("erf", "-inf", -1), ("abs", -3, 3), ("floor", 2, 2),
])  # fmt: skip
def test_what_is_a_fraction_stays_one(operation, at, value):
    """As an end of an interval too, where a function rises."""
    x = {"inf": PLUS_INFINITY, "-inf": MINUS_INFINITY}.get(at) if isinstance(at, str) else fmpq(at)
    ref = op.Ref("x", (1, 1), name="x")
    ((cell,),) = interval_evaluator.evaluate(do.unary(OPERATIONS[operation], ref), lambda key: [[(x, x)]])
    assert cell == (fmpq(value),) * 2 and all(isinstance(end, fmpq) for end in cell)
    if operation in ("exp", "log", "sqrt", "tanh", "erf") and at != "inf":
        ((wide,),) = interval_evaluator.evaluate(do.unary(OPERATIONS[operation], ref), lambda key: [[(x, fmpq(7))]])
        assert wide[0] == fmpq(value) and isinstance(wide[0], fmpq)
