"""Laws of acceptance (R1 to R1d) on random problems: programs' prints, coarse lines, indices, and what stands in the
column of right numbers.
"""

import json
import random
from decimal import ROUND_DOWN, Context, Decimal, localcontext
from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.api import check
from attncalc.marking.alternatives import with_fewer_alternatives
from attncalc.marking.context import Memory
from attncalc.marking.report import check as report
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.laws import examples
from tests.support.sweeps import for_each

SEEDS = st.integers(0, 10**6)
PASSES = {"right", "truncated", "too_coarse"}
PRINTS = {
    "shortest": str,
    "spreadsheet": lambda x: f"{x:.15g}" if x.dtype == np.float64 else f"{x:.8g}",
    "a list in a spreadsheet": lambda x: f"{float(x):.15g}",
    "eight decimals": lambda x: f"{x:.8f}",
    "fourteen decimals": lambda x: f"{float(x):.14f}",
    "scientific": lambda x: f"{x:.15e}" if x.dtype == np.float64 else f"{x:.8e}",
}


def tenths(rng, n, m):
    return [[f"{rng.randint(-15, 15) / 10:g}" for _ in range(m)] for _ in range(n)]


def whole(rng, n, m, most=4):
    return [[rng.randint(-most, most) for _ in range(m)] for _ in range(n)]


def head(x, w_q, w_k, w_v):
    """Self-attention in NumPy, in the inputs' own arithmetic."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T
    scaled = scores / np.sqrt(np.array(k.shape[1], dtype=x.dtype))
    powers = np.exp(scaled - scaled.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    return {"Q": q, "K": k, "V": v, "S": scores, "S_scaled": scaled, "A": weights, "Z": weights @ v}


def computed(rng, kind):
    """A problem and its lines by a program."""
    n, d, k = rng.choice((2, 3, 4)), rng.choice((2, 3, 4)), rng.choice((2, 3, 5))
    inputs = {"X": tenths(rng, n, d), "W_Q": tenths(rng, d, k), "W_K": tenths(rng, d, k), "W_V": tenths(rng, d, k)}
    problem = load({"given": inputs, "rounding": {"digits": 2}, "self_attention": {}})
    return problem, head(*(np.array(rows, dtype=float).astype(kind) for rows in inputs.values()))


def verdicts(report):
    return {step.step.name: step.verdict for step in report.steps}


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize("shown", PRINTS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@examples(8)
@given(seed=SEEDS)
def test_what_a_program_prints_has_full_marks(kind, shown, seed):
    rng = random.Random(seed)
    problem, lines = computed(rng, kind)
    kept = rng.choice((list(lines), ["S_scaled", "A", "Z"], ["Z"]))
    report = check(
        problem, {"answers": {name: [[PRINTS[shown](x) for x in row] for row in lines[name]] for name in kept}}
    )
    assert set(verdicts(report).values()) == {"right"}
    assert report.earned == report.out_of


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@examples(20)
@given(seed=SEEDS)
def test_exponentials_of_low_scores_lose_digits_in_a_program_that_does_not_subtract_the_largest(kind, seed):
    rng = random.Random(seed)
    lowest, highest = (-103, -60) if kind is np.float32 else (-744, -660)
    scores = [[rng.randint(lowest, highest) for _ in range(3)] for _ in range(2)]
    powers = np.exp(np.array(scores, dtype=kind))
    weights = powers / powers.sum(axis=1, keepdims=True)
    problem = load({"given": {"S": scores}, "rounding": {"digits": 2}, "steps": {"A": "softmax(S)"}})
    typed = [[PRINTS["scientific"](x) for x in row] for row in weights]
    assert verdicts(check(problem, {"answers": {"A": typed}})) == {"A": "right"}


@examples(10)
@given(seed=SEEDS)
def test_a_mask_the_other_way_round_is_told_of_a_program_s_print_as_what_it_is(seed):
    """1 − mask is 0 and 1 as it stands in every arithmetic: an inverted mask hides the diagonal, a transposed one does not."""
    rng = random.Random(seed)
    scores = [[7 * rng.randint(1, 9) for _ in range(3)] for _ in range(3)]
    given = {"Q": scores, "K": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "V": [[1], [2], [4]]}
    problem = load({"given": given, "rounding": {"digits": 2}, "attention": {"mask": "causal"}})
    typed = [[f"{x / sqrt(3):.15g}" if j >= i else "-inf" for j, x in enumerate(row)] for i, row in enumerate(scores)]
    (masked,) = [one for one in check(problem, {"answers": {"S_masked": typed}}).steps if one.step.name == "S_masked"]
    assert [cause.code for cause in masked.causes] == ["mask-transposed"]


@examples(20)
@given(seed=SEEDS, digits=st.integers(1, 3))
def test_an_exact_product_is_not_a_unit_smaller_however_it_is_cut(seed, digits):
    """The first query of a causal head looks at itself alone: its output is its own value."""
    rng = random.Random(seed)
    inputs = {name: whole(rng, 3, 2) for name in ("Q", "K", "V")}
    problem = load({"given": inputs, "rounding": {"digits": digits}, "attention": {"mask": "causal"}})
    typed = [[f"{x - (x > 0) * 0.1**digits + (x < 0) * 0.1**digits:.{digits}f}" for x in inputs["V"][0]]]
    report = verdicts(check(problem, {"answers": {"Z[0]": typed}}))
    assert (report["Z"] in PASSES) == (not any(inputs["V"][0]))


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@examples(10)
@given(seed=SEEDS)
def test_a_program_s_number_that_is_a_little_off_is_not_right(kind, seed):
    rng = random.Random(seed)
    problem, lines = computed(rng, kind)
    weights = lines["A"].copy()
    i, j = rng.randrange(weights.shape[0]), rng.randrange(weights.shape[1])
    weights[i, j] += kind(1e-3)
    assert verdicts(check(problem, {"answers": {"A": [[str(x) for x in row] for row in weights]}}))["A"] not in PASSES


@examples(25)
@given(seed=SEEDS)
def test_a_scale_that_is_forgotten_shows_in_whole_numbers(seed):
    """Where some score differs from its scaled one by more than a unit, no rounding makes one of the other."""
    rng = random.Random(seed)
    d = rng.choice((2, 3, 5))
    inputs = {"Q": whole(rng, 3, d), "K": whole(rng, 2, d)}
    scores = np.array(inputs["Q"]) @ np.array(inputs["K"]).T
    if not (abs(scores - scores / sqrt(d)) > 1.1).any():
        return
    problem = load(
        {"given": inputs, "rounding": {"digits": 2}, "steps": {"S": "Q @ K.T", "S_scaled": "S / sqrt(cols(K))"}}
    )
    report = check(problem, {"answers": {"S": scores.tolist(), "S_scaled": scores.tolist()}})
    assert verdicts(report) == {"S": "right", "S_scaled": "wrong"}


@examples(25)
@given(seed=SEEDS)
def test_what_follows_a_coarse_line_follows_from_its_prints_or_from_its_full_values(seed):
    """Each of the two is right; a mixture, one entry from here and one from there, is not."""
    rng = random.Random(seed)
    values = [Fraction(rng.choice((10 * rng.randint(-9, 9) + 4, 10 * rng.randint(-9, 9) - 4)), 30) for _ in range(2)]
    full = [v * Fraction(10, 3) for v in values]
    prints = [round(v) for v in full]
    if any(abs(f - p) < Fraction(1, 20) for f, p in zip(full, prints, strict=True)):
        return
    problem = load({
        "given": {"x": [[str(v) for v in values]]}, "rounding": {"digits": 2},
        "steps": {"y": "x * 10 / 3", "z": "y * 7"},
    })  # fmt: skip

    def second(carried):
        typed = {"y": [[str(p) for p in prints]], "z": [[f"{float(7 * c):.2f}" for c in carried]]}
        return verdicts(check(problem, {"answers": typed}))["z"]

    assert second(prints) in PASSES
    assert second(full) in PASSES
    assert second([prints[0], full[1]]) not in PASSES


@examples(15)
@given(seed=SEEDS)
def test_another_index_earns_nothing(seed):
    rng = random.Random(seed)
    logits = rng.sample(range(-9, 10), 5)
    best = logits.index(max(logits))
    problem = load({"given": {"logits": [logits]}, "next_word": {}, "rounding": {"digits": 2}, "asked": ["next"]})
    for typed in range(5):
        report = check(problem, {"answers": {"next": [[typed]]}})
        assert report.earned == (report.out_of if typed == best else 0)
        assert (verdicts(report)["next"] in PASSES) == (typed == best)


def rounded(x, digits):
    """A fraction rounded half up, as an exact decimal."""
    shifted = abs(x) * 10**digits + Fraction(1, 2)
    return Fraction(shifted.numerator // shifted.denominator * (1 if x >= 0 else -1), 10**digits)


@examples(40)
@given(seed=SEEDS, digits=st.integers(0, 2), carry=st.booleans(), lesson=st.sampled_from(["layer_norm", "steps"]))
def test_a_variance_follows_from_the_mean_that_was_written_down(seed, digits, carry, lesson):
    """Its formula names the inputs alone, but a hand takes the mean from the line above: its print, or its
    full value.
    """
    rng = random.Random(seed)
    rows = [[Fraction(rng.randint(-15, 15), 10) for _ in range(4)] for _ in range(2)]
    means = [sum(row) / 4 for row in rows]
    prints = [rounded(mean, digits) for mean in means]
    variances = [
        sum((x - mean) ** 2 for x in row) / 4 for row, mean in zip(rows, prints if carry else means, strict=True)
    ]
    given_ = {"X": [[f"{float(x):g}" for x in row] for row in rows]}
    what = (
        {"layer_norm": {"eps": "0.5"}}
        if lesson == "layer_norm"
        else {"steps": {"mean": "row_mean(X)", "var": "row_mean((X - row_mean(X)) ** 2)"}}
    )
    typed = {
        "mean": [[f"{float(m):.{digits}f}"] for m in prints],
        "var": [[f"{float(rounded(v, 2)):.2f}"] for v in variances],
    }
    assert verdicts(check(load({"given": given_} | what), {"answers": typed}))["var"] in PASSES


@examples(15)
@given(seed=SEEDS, off=st.integers(0, 4))
def test_of_several_indices_each_counts_by_itself(seed, off):
    """Four indices of which so many are another one, by one or by many: what is left is what the right ones earn."""
    rng = random.Random(seed)
    rows = [rng.sample(range(9), 5) for _ in range(4)]
    right = [row.index(max(row)) for row in rows]
    wrong = rng.sample(range(4), off)
    typed = [[(value + rng.randint(1, 4)) % 5 if k in wrong else value] for k, value in enumerate(right)]
    report = check(load({"given": {"P": rows}, "steps": {"best": "argmax_rows(P)"}}), {"answers": {"best": typed}})
    assert report.earned / report.out_of == Fraction(4 - off, 4)


@examples(15)
@given(seed=SEEDS)
def test_a_line_that_a_mistake_would_print_too_earns_by_a_later_line_alone(seed):
    rng = random.Random(seed)
    scores = [[rng.choice((-1, 1)) for _ in range(3)]]  # ±1 and ±0.71 are both ±1 in whole numbers
    steps = {"S_scaled": "S / sqrt(2)", "A": "softmax(S_scaled)"}
    problem = load(
        {"given": {"S": scores}, "rounding": {"digits": 2}, "steps": steps, "points": {"S_scaled": 4, "A": 4}}
    )
    alone = check(problem, {"answers": {"S_scaled": scores}})
    assert alone.steps[0].mark.earned == 0
    with_weights = check(problem, {"answers": {"S_scaled": scores, "A": solve(problem).parts[0]["A"].decimals(2)}})
    assert with_weights.steps[0].mark.earned == 3
    powers = [exp(score) for (score,) in zip(*scores, strict=True)]  # from ±1, as it stands
    from_prints = [[f"{power / sum(powers):.2f}" for power in powers]]
    assume(len(set(scores[0])) > 1)
    with_weights = check(problem, {"answers": {"S_scaled": scores, "A": from_prints}})
    assert (with_weights.steps[0].mark.earned, with_weights.steps[1].verdict) == (0, "right")


@examples(15)
@given(seed=SEEDS)
def test_zeros_for_what_is_not_zero_earn_nothing(seed):
    rng = random.Random(seed)
    x = [[rng.choice((-1, 1)) * Fraction(rng.randint(3, 9), 10) for _ in range(3)]]
    problem = load({"given": {"x": [[str(v) for v in x[0]]]}, "rounding": {"digits": 2}, "steps": {"y": "x / sqrt(2)"}})
    report = check(problem, {"answers": {"y": [[0, 0, 0]]}})
    assert report.earned == 0
    assert verdicts(report)["y"] not in PASSES


@examples(15)
@given(seed=SEEDS)
def test_the_column_of_right_numbers_holds_them_in_every_entry(seed):
    """Whatever stands in the answer, and whichever of its entries is wrong."""
    rng = random.Random(seed)
    inputs = {"Q": whole(rng, 2, 3), "K": whole(rng, 3, 3)}
    problem = load(
        {
            "given": inputs,
            "rounding": {"digits": 3},
            "steps": {"S": "Q @ K.T", "S_scaled": "S / sqrt(cols(K))", "A": "softmax(S_scaled)"},
        }
    )
    right = {step.name: step.decimals(3) for step in solve(problem).parts[0].steps}
    typed = [
        [f"{rng.uniform(-5, 5):.{rng.randint(0, 3)}f}" if rng.random() < 0.5 else x for x in row]
        for row in right["S_scaled"]
    ]
    report = check(problem, {"answers": {"S_scaled": typed, "A": right["A"]}})
    for step in report.steps:
        assert not step.right or step.right == right[step.step.name]
        assert all(cell.right == right[step.step.name][cell.row][cell.column] for cell in step.cells)


def masks(rng, n):
    """Masks of n tokens in which every query sees some key, and their names in a problem."""
    lower = np.tril(np.ones((n, n)))
    padding = np.ones((n, n))
    padding[:, n - 1] = 0
    drawn = np.maximum(np.eye(n), np.random.default_rng(rng.randrange(10**6)).integers(0, 2, (n, n)))
    return rng.choice([("causal", lower), ("M", lower * padding), ("M", padding), ("M", drawn)])


def masked_heads(rng):
    """One to three heads whose hidden scores are filled with a low number, or lowered by it, and worked out
    from there.
    """
    n, d, count = rng.choice((2, 3, 4)), rng.choice((1, 2, 4)), rng.choice((1, 2, 3))
    (name, mask), digits, added = masks(rng, n), rng.choice((1, 2, 3)), rng.random() < 0.3
    given_, parts, answers = {}, {}, {}
    if name == "M":
        given_["M"] = mask.astype(int).tolist()
    for head in range(count):
        q, k, v = (np.array(whole(rng, n, d)) for _ in range(3))
        scores = np.round(q @ k.T / sqrt(d), digits)
        lowest = min(scores[i][mask[i] == 1].max() for i in range(n)) - abs(scores).max() - np.log(2 * 10**digits)
        fill = rng.choice([-99, -100, -999, -9999, -(10**9), int(lowest) - rng.randint(1, 9)])
        low = scores + fill if added else np.full((n, n), float(min(fill, int(lowest) - 1)))
        filled = np.where(mask == 1, scores, low)
        powers = np.exp(filled - filled.max(-1, keepdims=True))
        weights = np.round(powers / powers.sum(-1, keepdims=True), digits)
        parts[f"head_{head}"] = {
            "given": {"Q": q.tolist(), "K": k.tolist(), "V": v.tolist()},
            "attention": {"mask": name},
        }
        lines = {"S_scaled": scores, "S_masked": filled, "A": weights, "Z": weights @ v}
        answers |= {
            f"head_{head}.{line}": [[f"{x:.{digits}f}" for x in row] for row in rows] for line, rows in lines.items()
        }
    return load({"given": given_, "rounding": {"digits": digits}, "parts": parts}), answers


@examples(30)
@given(seed=SEEDS)
def test_a_number_whose_weight_prints_as_0_is_minus_infinity(seed):
    problem, answers = masked_heads(random.Random(seed))
    report = check(problem, {"answers": answers})
    assert {
        (step.step.name, step.verdict) for step in report.steps if step.verdict not in ("missing", "right", "truncated")
    } == set()


@examples(30)
@given(seed=SEEDS)
def test_a_number_whose_weight_shows_is_not_minus_infinity(seed):
    """As high as the row's largest score, or lower by too little."""
    rng = random.Random(seed)
    n, digits = rng.choice((2, 3)), rng.choice((1, 2, 3))
    scores = np.array(whole(rng, n, n))
    fill = [scores[i][: i + 1].max() - rng.uniform(0, np.log(2 * 10**digits) - 0.1) for i in range(n)]
    filled = [[f"{scores[i][j] if j <= i else fill[i]:.3f}" for j in range(n)] for i in range(n)]
    steps = {"S_masked": f"keep(S, causal({n}, {n}))", "A": "softmax(S_masked)"}
    problem = load({"given": {"S": scores.tolist()}, "rounding": {"digits": digits}, "steps": steps})
    assert verdicts(check(problem, {"answers": {"S_masked": filled}}))["S_masked"] == "wrong"


@pytest.mark.parametrize("typed", ["-7", "-99", "-999"])
def test_the_logarithm_of_0_is_no_low_number(typed):
    problem = load({"given": {"p": [["0.5", "0"]]}, "rounding": {"digits": 2}, "steps": {"L": "log(p)"}})
    assert verdicts(check(problem, {"answers": {"L": [["-0.69", typed]]}}))["L"] == "wrong"


@pytest.mark.parametrize("decimals", [16, 17])
def test_a_program_s_tiny_weight_follows_from_its_low_number(decimals):
    problem = load(
        {"given": {"S": [[1, 2], [3, 4]]}, "steps": {"S_masked": "keep(S, causal(2, 2))", "A": "softmax(S_masked)"}}
    )
    filled = np.array([[1.0, -100.0], [3.0, 4.0]])
    powers = np.exp(filled - filled.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    typed = {"S_masked": filled.tolist(), "A": [[f"{x:.{decimals}e}" for x in row] for row in weights]}
    assert verdicts(check(problem, {"answers": typed})) == {"S_masked": "right", "A": "right"}


@examples(25)
@given(seed=SEEDS, digits=st.integers(1, 3))
def test_masked_scores_that_stand_as_they_are_are_not_masked_however_low(seed, digits):
    """Nothing is hidden where every score is copied; one number so low in all the hidden cells is a filler."""
    rng = random.Random(seed)
    n = rng.choice((2, 3, 4))
    inputs = {name: [[rng.randint(-40, 40) for _ in range(2)] for _ in range(n)] for name in "QKV"}
    problem = load({"given": inputs, "rounding": {"digits": digits}, "attention": {"mask": "causal"}})
    lines = {step.step.name: step.decimals(digits) for step in solve(problem).parts[0].steps}
    copied = {"S": lines["S"], "S_scaled": lines["S_scaled"], "S_masked": lines["S_scaled"]}
    above = [lines["S_scaled"][i][j] for i in range(n) for j in range(i + 1, n)]
    assert (
        verdicts(check(problem, {"answers": copied}))["S_masked"] == "wrong"
        or len({*above}) == 1
        and float(above[0]) % 1 == 0
    )
    fill = rng.choice(("-1e9", "-9999", "-1e4"))
    filled = [[fill if j > i else entry for j, entry in enumerate(row)] for i, row in enumerate(lines["S_scaled"])]
    assert set(verdicts(check(problem, {"answers": lines | {"S_masked": filled}})).values()) == {"right"}


@examples(30)
@given(seed=SEEDS)
def test_weights_by_logarithms_on_a_calculator_that_are_cut_are_legal(seed):
    """e^(x − ln Σe^x) with a calculator's ten to twelve figures: a weight that is 1 or 1/2 may come out a hair less,
    and is cut.
    """
    rng = random.Random(seed)
    n, places = rng.randint(1, 3), rng.randint(1, 4)
    scores = [[Decimal(rng.randint(-99, 99)) / 100] * n for _ in range(3)]  # all weights of a row are 1/n
    weights = []
    with localcontext(Context(prec=rng.choice((10, 11, 12)))):
        for row in scores:
            whole_row = sum((x.exp() for x in row), Decimal(0)).ln()
            weights.append([str((x - whole_row).exp().quantize(Decimal(1).scaleb(-places), ROUND_DOWN)) for x in row])
    problem = load(
        {
            "given": {"S": [[str(x) for x in row] for row in scores]},
            "rounding": {"digits": places},
            "steps": {"A": "softmax(S)"},
        }
    )
    assert verdicts(check(problem, {"answers": {"A": weights}}))["A"] in PASSES


@examples(100)
@given(seed=SEEDS)
def test_of_equal_entries_any_choice_is_right_and_no_other(seed):
    rng = random.Random(seed)
    rows = [[rng.randint(0, 2) for _ in range(5)] for _ in range(2)]
    k = rng.randint(1, 4)
    problem = load({"given": {"S": rows}, "steps": {"M": f"top_k(S, {k})", "best": "argmax_rows(S)"}})
    chosen, best = [], []
    for row in rows:
        ranked = sorted(range(5), key=lambda j: (-row[j], rng.random()))  # of equal ones any
        chosen.append(set(ranked[:k] if rng.random() < 0.7 else rng.sample(range(5), rng.randint(1, 5))))
        best.append(ranked[0] if rng.random() < 0.7 else rng.randrange(5))
    fine = all(sorted(row[j] for j in some) == sorted(row)[-k:] for row, some in zip(rows, chosen, strict=True))
    answers = {"M": [[int(j in some) for j in range(5)] for some in chosen], "best": [[j] for j in best]}
    report = check(problem, {"answers": answers})
    assert verdicts(report) == {
        "M": "right" if fine else "wrong",
        "best": "right" if all(row[j] == max(row) for row, j in zip(rows, best, strict=True)) else "wrong",
    }
    assert not any(step.causes for step in report.steps)  # another choice is no slip


@examples(25)
@given(seed=SEEDS)
def test_behind_a_probability_that_prints_as_0_a_finite_loss_is_that_of_a_small_number_not_of_any(seed):
    """x is carried in full or kept to some digits: what is not 0 then is more than x / 2. The print 0 leads to ∞."""
    rng = random.Random(seed)
    digits, gap = rng.choice((1, 2)), rng.randint(4, 9) if rng.random() < 0.5 else rng.randint(6, 12)
    more = [rng.randint(-3, 1) for _ in range(rng.choice((1, 2)))]
    powers = [Decimal(score).exp() for score in (gap, 0, *more)]
    x = powers[1] / sum(powers)
    if round(x, digits) != 0:
        return
    problem = load({"given": {"logits": [[gap, 0, *more]], "targets": [1]}, "cross_entropy": {}})
    kept = rng.randint(digits + 1, digits + 4)
    carried = rng.choice((x, round(x, kept), x.quantize(Decimal(1).scaleb(-kept), ROUND_DOWN))) or x
    shown = {"P": [[str(round(power / sum(powers), digits)) for power in powers]]} if rng.random() < 0.7 else {}

    def verdict(loss):
        return verdicts(check(problem, {"answers": shown | {"loss": [[loss]]}}))["loss"]

    assert verdict(str(round(-carried.ln(), digits))) in PASSES
    assert verdict(str(round(-x.ln() + rng.choice((-3, 2, 5, 40)), digits))) == "wrong"
    assert not shown or verdict("inf") in PASSES


@examples(10)
@given(seed=SEEDS)
def test_a_float32_that_is_printed_as_a_float64_is_one(seed):
    """`tensor.tolist()` makes Python's floats of it."""
    problem, lines = computed(random.Random(seed), np.float32)
    report = check(problem, {"answers": {name: lines[name].tolist() for name in ("S_scaled", "A", "Z")}})
    found = verdicts(report)
    assert {found[name] for name in ("S_scaled", "A", "Z")} == {"right"}


# -- what a wrong script earns beside a right one ---------------------------------------------------------------------

METHODS = {
    "S transposed": {"S": "K @ Q.T"},
    "no root": {"S_scaled": "S / cols(Q)"},
    "no scale": {"S_scaled": "S"},
    "along columns": {"A": "softmax(S_scaled, axis=columns)"},
    "no exponentials": {"A": "normalize(S_scaled)"},
    "scores as weights": {"Z": "S @ V"},
}
FORMULAS = {"S": "Q @ K.T", "S_scaled": "S / sqrt(cols(Q))", "A": "softmax(S_scaled)", "Z": "A @ V"}
ASKED = (["S", "A", "Z"], ["A", "Z"], ["Z"], ["S", "S_scaled", "A", "Z"])


def worked(given, formulas, digits, written):
    """The lines of somebody who works with these formulas, in full, and writes down so many decimals."""
    found = solve(load({"given": given, "steps": formulas})).parts[0].steps
    return {step.name: step.decimals(digits) for step in found if step.name in written}


def asked_of(rng, **more):
    given = {"Q": whole(rng, 3, 2), "K": whole(rng, 3, 2), "V": whole(rng, 3, 2, 9)}
    asked = rng.choice(ASKED)
    written = [name for name in asked if rng.random() < 0.8] or asked[-1:]
    problem = {"given": given, "rounding": {"digits": 2}, "attention": {}, "asked": asked, **more}
    return given, problem, written


@examples(150)
@given(SEEDS, st.sampled_from(sorted(METHODS)), st.integers(0, 1))
def test_law_too_few_digits_cost_what_follows_from_a_mistake_as_much_as_any_line(seed, method, digits):
    given, problem, written = asked_of(random.Random(seed))
    try:
        lines, fine = (worked(given, FORMULAS | METHODS[method], d, written) for d in (digits, 2))
    except Exception:  # a row of scores that add up to 0
        assume(False)
    for step in check(load(problem), {"answers": lines}).steps:
        name = step.step.name
        if step.verdict != "carried" or np.array_equal(np.array(lines[name], float), np.array(fine[name], float)):
            continue  # what is right follows from the steps before by some legal work; or it is no coarser
        others = {k: rows for k, rows in lines.items() if k != name}
        on_paper = worked(given | others, {k: f for k, f in FORMULAS.items() if k not in others}, 2, [name])
        if not np.array_equal(np.array(lines[name], float), np.array(on_paper[name], float)):
            assert step.mark.earned <= Fraction(3, 4) * step.mark.out_of, (name, step.verdict, step.mark)


@examples(150)
@given(SEEDS, st.sampled_from(sorted(METHODS)), st.integers(0, 3), st.data())
def test_law_what_is_accepted_never_costs_a_point(seed, method, digits, data):
    rng = random.Random(seed)
    given, problem, written = asked_of(rng)
    try:
        lines = worked(given, FORMULAS | METHODS[method], digits, written)
    except Exception:
        assume(False)
    for rows in lines.values():
        if rng.random() < 0.3:
            rows[rng.randrange(len(rows))][0] = rng.choice(("0", "0.000", "1", "0.67", "-2"))
    codes = data.draw(st.lists(st.sampled_from(ACCEPTED), min_size=1, max_size=3, unique=True))
    before, after = (
        check(load(problem | {"accept": accept}), {"answers": lines}).earned for accept in (codes[1:], codes)
    )
    assert after >= before


ACCEPTED = [
    "scale-forgotten", "scale-without-root", "scores-transposed", "softmax-over-columns", "softmax-without-exponential",
    "softmax-of-unscaled", "mask-where-none-belongs",
]  # fmt: skip


@examples(100)
@given(SEEDS, st.sampled_from(sorted(METHODS)), st.integers(0, 2))
def test_law_no_line_is_called_right_that_earns_nothing(seed, method, digits):
    given, problem, written = asked_of(random.Random(seed))
    try:
        lines = worked(given, FORMULAS | METHODS[method], digits, written)
    except Exception:
        assume(False)
    lines[written[0]] = [["0" for _ in row] for row in lines[written[0]]]
    report = check(load(problem), {"answers": lines})
    for step in report.steps:
        assert step.mark.earned or step.verdict in ("wrong", "missing") or step.shows_nothing, step.step.name


def test_an_entry_near_what_is_accepted_costs_no_more_than_it_did():
    """(0.670, 0) is right under neither convention; taken for a coarse line of the accepted one, it would earn nothing,
    nor what follows from it.
    """
    problem = {
        "given": {"Q": [[1, 2], [1, 3]], "K": [[1, 1], [0, 1]], "V": [[3, 8], [1, 4]]}, "rounding": {"digits": 2},
        "attention": {"mask": "causal"}, "asked": ["A", "Z"], "points": {"A": 4, "Z": 4},
    }  # fmt: skip
    script = {"A": [["0.670", "0"], ["0.670", "0.330"]], "Z": [["2.010", "5.360"], ["2.340", "6.679"]]}
    earned = [check(load(problem | {"accept": some}), {"answers": script}).earned for some in ([], ["mask-forgotten"])]
    assert earned[0] == earned[1] > 5


def test_a_third_convention_costs_no_point_that_two_leave():
    """If all three were tried alone, the script would earn less than by these two."""
    problem = {"given": {"Q": [[3, 1], [2, -4], [-3, 3]], "K": [[2, 4], [-2, 0], [-4, 2]],
                         "V": [[0, 8], [-8, -7], [6, -5]]},
               "rounding": {"digits": 2}, "attention": {}, "asked": ["S", "S_scaled", "A", "Z"]}  # fmt: skip
    script = {"S": [[10, -6, -10], [-12, -4, -16], [6, 6, 18]], "S_scaled": [[5, -3, -5], [-6, -2, -8], [3, 3, 9]],
              "A": [[1, 0, 0], [-2, 1, 0], [0, 0, 1]], "Z": [[0, 8], [-8, -7], [6, -5]]}  # fmt: skip
    codes = ["scale-without-root", "scores-transposed", "softmax-of-unscaled"]
    two, three = (check(load(problem | {"accept": some}), {"answers": script}).exact for some in (codes[:2], codes))
    assert three >= two > 0


@examples(40)
@given(SEEDS, st.lists(st.sampled_from(ACCEPTED), min_size=1, max_size=2, unique=True))
def test_law_a_class_is_marked_as_each_script_alone_where_something_is_accepted(seed, codes):
    """Scripts go on with the lines of others that were marked by what else the problem accepts, or less of it."""
    rng = random.Random(seed)
    given, problem, _ = asked_of(rng, accept=codes)
    loaded, memory = load(problem), Memory()
    for _ in range(6):
        written = [name for name in problem["asked"] if rng.random() < 0.8] or problem["asked"][-1:]
        lines = worked(given, FORMULAS | METHODS[rng.choice(LINEAR)], rng.choice((1, 2)), written)
        for rows in lines.values():
            if rng.random() < 0.4:
                rows[rng.randrange(len(rows))][0] = rng.choice(("0", "0.5", "1", "-2"))
        bound = bind(read(json.dumps({"answers": lines}), "answers.json"), loaded)
        together, alone = report(loaded, bound, memory), report(loaded, bound)
        assert [(s.verdict, s.mark, [c.code for c in s.causes]) for s in together.steps] == [
            (s.verdict, s.mark, [c.code for c in s.causes]) for s in alone.steps
        ]


@examples(40)
@given(SEEDS, st.lists(st.sampled_from(ACCEPTED), min_size=2, max_size=2))
def test_law_each_question_is_marked_as_alone_by_what_it_accepts(seed, codes):
    """The choices among what is accepted share lines: a line is judged once for each choice that concerns it."""
    rng = random.Random(seed)
    parts, answers, alone = {}, {}, Fraction(0)
    for name, code in zip("ab", codes, strict=True):
        given, problem, written = asked_of(rng, accept=[code])
        lines = worked(given, FORMULAS | METHODS[rng.choice(LINEAR)], rng.choice((1, 2)), written)
        alone += check(load(problem), {"answers": lines}).exact
        parts[name], answers[name] = problem, lines
    together = load({"parts": parts})
    assert check(together, {"answers": answers}).exact == alone


HEAD = {
    "Q": "X @ W_Q", "K": "X @ W_K", "V": "X @ W_V", "S": "Q @ K.T", "S_scaled": "S / sqrt(cols(Q))",
    "S_masked": "keep(S_scaled, causal(3), fill=-inf)", "A": "softmax(S_masked)", "Z": "A @ V",
}  # fmt: skip
MISTAKEN = (
    {}, {"S_scaled": "S / cols(Q)"}, {"S_scaled": "S"}, {"S_masked": "S_scaled"}, {"S": "K @ Q.T"},
    {"A": "softmax(S_masked, axis=columns)"},
)  # fmt: skip


@pytest.mark.parametrize(
    "seed", [19, 29, pytest.param(15, marks=pytest.mark.slow), pytest.param(39, marks=pytest.mark.slow)]
)
def test_lines_of_a_class_outlive_the_script_that_had_them_first(seed):
    """What a right line comes to is worked out when somebody asks, which may be a later script that left a step out."""
    rng = random.Random(seed)
    given = {"X": whole(rng, 3, 2)} | {name: whole(rng, 2, 2, 2) for name in ("W_Q", "W_K", "W_V")}
    asked = [name for name in HEAD if name != "S_masked"]
    loaded = load({"given": given, "rounding": {"digits": 2}, "self_attention": {"mask": "causal"}, "asked": asked,
                   "accept": ["scale-without-root"]})  # fmt: skip
    memory = Memory()
    for _ in range(30):
        written = [name for name in asked if rng.random() < 0.8] or ["Z"]
        try:
            lines = worked(given, HEAD | rng.choice(MISTAKEN), 2, written)
        except AttncalcError:  # no token sees another one
            continue
        for rows in lines.values():
            if rng.random() < 0.05:
                rows[rng.randrange(len(rows))][0] = rng.choice(("0", "0.5", "1", "-2"))
        bound = bind(read(json.dumps({"answers": lines}), "answers.json"), loaded)
        together, alone = report(loaded, bound, memory), report(loaded, bound)
        assert [(s.verdict, s.mark) for s in together.steps] == [(s.verdict, s.mark) for s in alone.steps]


LINEAR = ["S transposed", "no root", "no scale", "along columns", "scores as weights"]  # which always have a value


@for_each(("accept", "choices"), [
    ([], [()]), (["a"], [()]), (["a", "b"], [(), ("a",), ("b",)]),
    (["a", "b", "c"], [(), ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]),
    (["a", "b", "c", "d"], [(), *(tuple(x) for x in "abcd"), *(tuple(x) for x in ("abc", "abd", "acd", "bcd"))]),
])  # fmt: skip
@for_each("where", ["problem", "part", "both"])
def test_a_script_is_marked_by_less_of_what_is_accepted_as_well(accept, choices, where):
    codes = dict(zip("abcd", ACCEPTED, strict=False))
    problem = load({"given": {"Q": [[1]], "K": [[1]], "V": [[1]]}, "attention": {}})
    own = [codes[name] for k, name in enumerate(accept) if where == "part" or where == "both" and k % 2]
    problem.parts[0].accept.update(dict.fromkeys(own, next(problem.plan.steps()).place))
    problem.accept.update(dict.fromkeys({codes[name] for name in accept} - set(own), None))
    found = [{*less.accept, *less.parts[0].accept} for less in with_fewer_alternatives(problem)]
    wanted = [{codes[name] for name in choice} for choice in choices] if accept else []
    assert sorted(map(sorted, found)) == sorted(map(sorted, wanted))
    assert all(set(less.parts[0].accept) <= set(own) for less in with_fewer_alternatives(problem))


def test_other_formulas_are_left_out_one_by_one():
    problem = load({"given": {"x": [[3]]}, "steps": {"y": "x * 2", "z": "y + 1"},
                    "accept": [{"y": "x * 3"}, {"y": "x * 4"}, {"z": "y + 2"}]})  # fmt: skip
    found = [{name: len(nodes) for name, nodes in less.parts[0].alternatives.items() if nodes} for less in
             with_fewer_alternatives(problem)]  # fmt: skip
    assert found == [{}, {"y": 1}, {"y": 1}, {"z": 1}, {"y": 2}, {"y": 1, "z": 1}, {"y": 1, "z": 1}]


@pytest.mark.parametrize(("line", "earned"), [
    ([["2.2", "6.4"], ["2.1", "6.3"]], 3),  # too few decimals
    ([["2.20", "6.40"], ["2.14", "6.29"]], 4),
])  # fmt: skip
def test_too_few_digits_cost_a_line_whose_mistake_is_charged_before_it(line, earned):
    problem = load({
        "given": {"Q": [[1, 2], [1, 3]], "K": [[1, 1], [0, 1]], "V": [[3, 8], [1, 4]]}, "rounding": {"digits": 2},
        "attention": {"scale": "none"}, "asked": ["A", "Z"], "points": {"A": 4, "Z": 4},
    })  # fmt: skip
    steps = check(problem, {"answers": {"Z": line}}).steps
    assert [step.mark.earned for step in steps] == [0, earned]
    assert steps[1].made_in.name == "A"


@for_each("spoiled", [None, "55", "-7", "0.5"])
@for_each("weights", [[["1", "0"], ["0", "1"]], [["0", "0"], ["0", "0"]], [["0.00", "0.00"], ["0.00", "0.00"]]])
def test_an_error_behind_a_line_that_shows_no_work_raises_no_mark(weights, spoiled):
    """Z = V after the identity, or zeros after zeros, earns nothing, and no more with a wrong number among them."""
    problem = {"given": {"Q": [[1, 2], [1, 3]], "K": [[1, 1], [0, 1]], "V": [[5, 8], [1, 4]]}, "attention": {},
               "rounding": {"digits": 2}, "asked": ["A", "Z"], "points": {"A": 4, "Z": 4}}  # fmt: skip
    lines = [[f"{float(weights[i][0]) * 5 + float(weights[i][1]):.2f}",
              f"{float(weights[i][0]) * 8 + float(weights[i][1]) * 4:.2f}"] for i in range(2)]  # fmt: skip
    if spoiled:
        lines[0][0] = spoiled
    assert check(load(problem), {"answers": {"A": weights, "Z": lines}}).earned == 0
