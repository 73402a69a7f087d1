"""What authors type: names of the field, formulas without quotes, small matrices where they are needed, inputs in other
letters.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve, verify
from attncalc.formula.parser import is_name, parse
from attncalc.formula.syntax_tree import unparse
from attncalc.generator.lint import as_data, lines, lint
from attncalc.problem.yaml_file.nodes import Mapping, Scalar, Sequence
from attncalc.problem.yaml_file.yaml_reader import disguised, read_yaml, with_colons
from attncalc.render import certificate, html, latex, markdown, pdf
from tests.support.laws import examples
from tests.support.proposed import proposals
from tests.support.sweeps import for_each
from tests.support.timing import takes_less_than

HEAD = "given: {X: [[1, 0], [0, 1], [1, 1]], W_Q: [[1, 0], [0, 1]], W_K: [[1, 1], [0, 1]], W_V: [[1, 2], [3, 4]]}\n"


def steps(text: str) -> dict[str, list[list[str]]]:
    return {step.name: step.decimals(2) for step in solve(load_text(text)).parts[0].steps}


def load_text(text: str):
    from attncalc.problem.loader import read_problem

    return read_problem(text, "p.yaml", "p")


# -- names -------------------------------------------------------------------------------------------------------------

NAMES = ["e", "T", "λ", "β_1", "Δx", "W'", "X''", "W'_Q", "σ", "ω_t", "b'"]


@for_each("name", NAMES)
def test_a_given_and_a_step_may_be_called_so(name):
    problem = load_text(
        f'given: {{"{name}": [[1, 2], [3, 4]], M: [[2, 0], [0, 1]]}}\nsteps: {{A: "{name}.T @ M + {name} * 2", Z: A}}'
    )
    solution = solve(problem)
    assert solution["A"].decimals(0) == [["4", "7"], ["10", "12"]]
    report = verify.verify(json.loads(certificate.write(solution)))
    assert not report.findings and sum(proven for _, _, proven in report.steps) == 8
    assert report.right == report.printed if hasattr(report, "right") else str(report)
    other = load_text(f'given: {{M: [[2, 0], [0, 1]]}}\nsteps: {{"{name}": M + 1, Z: "{name} @ M"}}')
    assert solve(other)["Z"].decimals(0) == [["6", "1"], ["2", "2"]]


@pytest.mark.sweep(quick=0)
def test_every_medium_sets_such_names():
    from attncalc.explain.solution_document import solution_document

    named = {name: [[1, 2], [3, 4]] for name in NAMES}
    formulas = {f"s_{k}": f"{name}.T @ {name} ** 2" for k, name in enumerate(NAMES)}
    solution = solve(load({"title": "Δ and W'", "given": named, "steps": formulas}))
    page = solution_document(solution, solution.parts)
    assert pdf.write(page).startswith(b"%PDF")
    assert r"\lambda" in latex.write(page) and "λ" not in latex.write(page)
    assert "W′" in markdown.write(page) or "W'" in markdown.write(page)
    assert "<mo>′</mo>" in html.write(page)


def test_e_is_eulers_number_until_something_is_called_so():
    assert steps("given: {x: 1}\nsteps: {A: e * x, B: softmax([0, 1], base=e)}")["A"] == [["2.72"]]
    found = steps("given: {e: [0, 0]}\nsteps: {A: e + 1, B: softmax(e), C: cross_entropy([[0.5, 0.5]], [0])}")
    assert found == {"A": [["1.00", "1.00"]], "B": [["0.50", "0.50"]], "C": [["0.69"]]}


@for_each(("name", "said"), [
    ("pi", "a constant"), ("π", "a constant"), ("lambda", "λ or lam"), ("W-Q", "you can use W_Q"),
    ("W₁", "you can use W_1"), ("for", "keyword"),
    ("ϕ", "you can use φ"), ("2x", "letters"), ("'", "letters"), ("x-" * 500_000, "…"),
])  # fmt: skip
def test_other_names_are_refused_with_what_can_be_one(name, said):
    with pytest.raises(AttncalcError) as error:
        load({"given": {name: 1}, "steps": {"A": "2"}})
    assert said in str(error.value) and len(str(error.value)) < 1_100


@examples(200)
@given(st.text("AWxβλΔ_019'", min_size=1, max_size=8))
def test_a_name_means_the_same_wherever_it_stands(name):
    if is_name(name):
        assert unparse(parse(f"{name} @ {name}.T")) == f"{name} @ {name}.T"
        assert solve(load({"given": {name: 3}, "steps": {"Z_1": f"{name} * 2"}}))["Z_1"].decimals(0) == [["6"]]


@for_each("text", ["A['the']", "A['it', \"s\"]", "A[‘the’]", "keep(S, causal(2, 2), fill='x')"])
def test_quotes_stay_quotes_beside_primes(text):
    assert "'" not in unparse(parse(text))


# -- formulas inside {...} and [...] -----------------------------------------------------------------------------------

FLOW = {
    "{A: f(x, y)}": {"A": "f(x, y)"}, "{A: f(g(x, y), [1, 2]), B: Z[0, 1]}": {"A": "f(g(x, y), [1, 2])",
        "B": "Z[0, 1]"},
    "[A, Z[0], Z[:, 0:2]]": ["A", "Z[0]", "Z[:, 0:2]"],
    "{mask: band(2, 1) * (A[0] > 1)}": {"mask": "band(2, 1) * (A[0] > 1)"},
    "{A: \"f(x\", B: 'g(y'}": {"A": "f(x", "B": "g(y"}, "{ask: it's (a, b) here}": {"ask": "it's (a, b) here"},
    "[[1, 2], [3, 4]]": [["1", "2"], ["3", "4"]], "{A: {B: [1, f(2, 3)]}} # (a, [b": {"A": {"B": ["1", "f(2, 3)"]}},
    "{W': [1, 2]}": {"W'": ["1", "2"]}, "{A: max(a, b), λ: g(Z'[0, 1], 2)}": {"A": "max(a, b)", "λ": "g(Z'[0, 1], 2)"},
}  # fmt: skip


def plain(tree):
    match tree:
        case Scalar(text):
            return text
        case Sequence(items):
            return [plain(item) for item in items]
        case Mapping():
            return {key.text: plain(value) for key, value in tree.items()}


@for_each(("text", "meant"), FLOW.items())
def test_commas_of_a_formula_need_no_quotes(text, meant):
    assert plain(read_yaml(text, "p.yaml")) == meant
    assert plain(read_yaml(f"x:\n  - {text}\n", "p.yaml")) == {"x": [meant]}


def test_places_stay_right_behind_them():
    with pytest.raises(AttncalcError) as error:
        load_text("given: {A: ones(2, 2)}\nsteps: {B: maximum(A, 1), C: minimum(A, nothing)}")
    assert str(error.value).startswith("p.yaml:2:41: C: nothing is not defined")


@examples(300)
@given(st.text("a(,)[]{}:\"' #\n", max_size=30))
def test_no_text_is_changed_but_for_signs_in_disguise(text):
    found = disguised(text)
    assert len(found) == len(text)
    assert found.translate(str.maketrans("\ue000\ue001\ue002\ue003\ue004", ",[]{}")) == text


@examples(200)
@given(st.text("a: \n\"'#-", max_size=30))
def test_colons_in_a_text_for_people_change_nothing_else(text):
    assert with_colons(text).replace("\ue005", ":") == text
    said = f"ask: a {text.replace(chr(10), ' ')}"
    assert len(with_colons(said)) == len(said) and with_colons(said).replace("\ue005", ":") == said


# -- small matrices, truth values, inputs in other letters -------------------------------------------------------------


def test_a_mask_may_stand_in_the_lesson():
    listed = steps(HEAD + "self_attention: {mask: [[1, 0, 0], [1, 1, 0], [true, true, true]]}")
    assert listed["A"] == steps(HEAD + "self_attention: {mask: causal}")["A"]
    assert (
        listed["A"]
        == steps(
            HEAD.replace("given: {", "given: {M: [[true, false, False], [1, 1, 0], [1, 1, 1]], ")
            + "self_attention: {mask: M}"
        )["A"]
    )


def test_a_step_may_be_a_small_matrix_of_formulas():
    found = steps("given: {x: 3}\nsteps: {A: [[1, x], [x ** 2, max(x, 5)]], B: 2 * A}")
    assert found["B"] == [["2.00", "6.00"], ["18.00", "10.00"]]
    with pytest.raises(AttncalcError, match="at most 400 entries"):
        load({"given": {"x": 1}, "steps": {"A": [[1] * 21] * 20}})
    with pytest.raises(AttncalcError, match="row 2 has 1 entry"):
        load_text("given: {x: 1}\nsteps: {A: [[1, 2], [3]]}")


@for_each("names", ["W_q W_k W_v", "Wq Wk Wv", "w_Q w_K w_V", "WQ WK WV"])
def test_an_input_may_be_written_in_other_letters(names):
    text = HEAD
    for ours, theirs in zip(("W_Q", "W_K", "W_V"), names.split(), strict=True):
        text = text.replace(ours, theirs)
    found = load_text(text + "self_attention: {}")
    assert (
        solve(found)["Z"].decimals(6) == solve(load_text(HEAD + "self_attention: {}"))["Z"].decimals(6)
        and not found.warnings
    )


def test_heads_may_be_written_in_other_letters_and_what_is_ambiguous_is_not_guessed():
    heads = "given: {X: [[1, 0]], Wq1: [[1], [0]], Wk1: [[1], [0]], Wv1: [[1], [0]], Wq2: [[0], [1]], Wk2: [[0], [1]], Wv2: [[1], [1]]}\n"
    assert steps(heads + "multi_head_attention: {}")["H"] == [["1.00", "1.00"]]
    with pytest.raises(AttncalcError, match="needs W_Q"):
        load_text(
            HEAD.replace("W_Q", "W_q").replace("W_K", "WQ, W_K").replace("WQ,", "WQ: [[1, 0], [0, 1]],")
            + "self_attention: {}"
        )


@for_each(("formula", "said"), [
    ("b[0:2]", "b has 1 row; the slice's bound 2 is too large; to select columns, write b[:, 0:2]"), ("A[0:2]", "this slice selects the whole matrix A"),
    ("A[0:3]", "A has 2 rows; the slice's bound 3 is too large"), ("A[:, 0:5]", "A has 2 columns; the slice's bound 5 is too large"),
    ("A[0:2, 0:2]", "this slice selects the whole matrix A"),
    ("b[0:1]", "to select columns, write b[:, 0:1]"),
])  # fmt: skip
def test_a_slice_that_would_do_nothing_is_an_error(formula, said):
    with pytest.raises(AttncalcError) as error:
        load({"given": {"b": [1, 2, 3], "A": [[1, 2], [3, 4]]}, "steps": {"C": formula}})
    assert said in str(error.value)
    assert steps("given: {A: [[1, 2], [3, 4]]}\nsteps: {B: A[0:1], C: A[:, :], D: A[-1:]}")["C"] == [
        ["1.00", "2.00"],
        ["3.00", "4.00"],
    ]


# -- what was meant ----------------------------------------------------------------------------------------------------

PAPER = {
    "Q @ K^T": "Q @ K.T", "Q K^T": "Q @ K.T", "q . k": "q @ k.T", "q.k": "q @ k.T", "K q.T": "K @ q.T", "X^2": "X @ X or X ** 2",
    "2X": "2 * X", "2 X": "2 * X", "Q Kᵀ": "Q @ K.T", "√2 * X": "sqrt(2) * X",
    "softmax(Q @ K.T)V": "softmax(Q @ K.T) @ V", "||q||": "norm(q)", "|X|": "abs(X) or det(X)",
    "q² + 1": "q ** 2 + 1", "S = Q @ K.T": "Q @ K.T", "X ≤ 2": "X <= 2", "Q @ K^{\\top} / sqrt(2)": "Q @ K.T / sqrt(2)",
    "(Q @ X)'": "(Q @ X).T", "softmax(Q K^T / √2) V": "softmax(Q @ K.T / sqrt(2)) @ V", "Q @ K": "Q @ K.T or Q.T @ K",
    "Q * K.T": "Q @ K.T", "X * Q": None, "Q @ V @ W": None, "0.5(X + W)": "0.5 * (X + W)", "Q·Kᵀ": "Q @ K.T",
}  # fmt: skip
GIVEN = {"Q": [[1, 2], [3, 4], [5, 6]], "K": [[1, 2], [3, 4], [5, 6]], "V": [[1, 2], [3, 4], [5, 6]], "q": [1, 2],
         "k": [1, 2],
         "X": [[1, 2], [3, 4]], "W": [[1, 2], [3, 4]]}  # fmt: skip


@for_each(("formula", "meant"), PAPER.items())
def test_what_is_written_as_on_paper_is_proposed_so_that_it_can_be_pasted(formula, meant):
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVEN, "steps": {"A": formula}})
    said = str(error.value)
    if meant is None:
        assert "must agree" in said or "needs two matrices of equal size" in said
        return
    assert proposals(said) == meant.split(" or "), said
    for one in meant.split(" or "):
        load({"given": GIVEN, "steps": {"A": one}})


@for_each("shape", [(2, 3), (3, 2), (3, 3)])
@for_each("columns", [False, True])
@for_each("size", ["n", "d", "d_{model}", "d_k"])
@for_each("letter", ["i", "j"])
@for_each("form", [
    r"\frac{1}{SIZE}\sum_{LETTER=1}^{SIZE} X_{ij}", r"\sqrt{\frac{1}{SIZE} \sum_{LETTER=1}^{SIZE} X_{ij}}",
    r"\sum_{LETTER=1}^{SIZE} X_{ij} / SIZE", r"\frac{1}{SIZE}\sum_{LETTER=0}^{SIZE - 1} X_{ij}",
])  # fmt: skip
def test_law_the_upper_limit_of_a_sum_is_the_number_of_its_terms(form, letter, size, columns, shape):
    """1/n Σ_{j=1}^n is a mean, whatever n usually is; only the second reading has the usual n."""
    numbers = np.arange(1, 1 + shape[0] * shape[1]).reshape(shape)
    givens = {"given": {"X": numbers.tolist(), "K": [[1, 2, 3, 4]]}} | ({"vectors": "columns"} if columns else {})
    formula = form.replace("SIZE", size).replace("LETTER", letter)
    with pytest.raises(AttncalcError) as error:
        load(givens | {"steps": {"M": formula}})
    mean = numbers.mean(axis="ij".index(letter))
    for proposal in proposals(str(error.value))[:1]:
        found = [float(x) for row in solve(load(givens | {"steps": {"M": proposal}}))["M"].decimals(9) for x in row]
        assert np.allclose(found, np.sqrt(mean) if "sqrt" in form else mean), proposal


BEFORE = {r"\frac{p}{2}": lambda p, t: p / 2, "-p": lambda p, t: -p, r"\sigma(p)": lambda p, t: 1 / (1 + np.exp(-p)),
          "(p+t)": lambda p, t: p + t, r"\left[1+p\right]": lambda p, t: 1 + p, r"\frac{1}{2} p": lambda p, t: p / 2,
          r"\gamma ": lambda p, t: np.array([1, 2, 1])}  # fmt: skip
BEHIND = {r"\left[1 - t\right]": lambda p, t: 1 - t, r"\Big[t - p\Big]": lambda p, t: t - p,
          r"\left[1 + \tanh\left(t\right)\right]": lambda p, t: 1 + np.tanh(t), "[1-t]": lambda p, t: 1 - t}  # fmt: skip


@for_each("behind", BEHIND)
@for_each("before", BEFORE)
def test_law_square_brackets_behind_a_factor_are_brackets_of_a_product(before, behind):
    r"""`\left[` is no index, and `[` is none behind a closing bracket."""
    p, t = np.array([0.2, 0.3, 0.5]), np.array([0, 1, 0])
    if behind == "[1-t]" and (before[-1] not in ")]}" or "\\" not in before):  # an index, as in NumPy
        return
    givens = {"p": p.tolist(), "t": t.tolist(), "gamma": [1, 2, 1]}
    with pytest.raises(AttncalcError) as error:
        load({"given": givens, "steps": {"R": before + behind}})
    first, *others = proposals(str(error.value))
    assert not any("lookup" in proposal or "stack" in proposal for proposal in [first, *others])
    ((*found,),) = solve(load({"given": givens, "steps": {"R": first}}))["R"].decimals(9)
    assert np.allclose([float(x) for x in found], BEFORE[before](p, t) * BEHIND[behind](p, t)), first


@for_each(("formula", "meant"), [
    (r"W \left[h; x\right]", "W @ hstack(h, x).T"), ("W [h, x]^T", "W @ hstack(h, x).T"), ("(QQ^T)[0, 1]", "(Q @ Q.T)[0, 1]"),
    ("(Q Q^T)[1]", "(Q @ Q.T)[1]"), ("[1-h][1-x]", "(1 - h) * (1 - x)"), (r"\log\left[1+h\right]", "log(1 + h)"),
    (r"\left[h - x\right]^2", "(h - x) ** 2"), (r"\sum_i \left[h_i - x_i\right]^2", "sum((h - x) ** 2)"),
    (r"W \left[h, x\right]", "W @ hstack(h, x).T"), ("W @ [h, x]", "W @ hstack(h, x).T"), ("(h+x)[1-h]", "(h + x) * (1 - h)"),
])  # fmt: skip
def test_other_square_brackets_are_lists_indices_and_brackets(formula, meant):
    givens = {"h": [1, 2], "x": [3, 1], "W": [[1, 2, 3, 4], [0, 1, 0, 1]], "Q": [[1, 2], [0, 1]]}
    with pytest.raises(AttncalcError) as error:
        load({"given": givens, "steps": {"R": formula}})
    assert proposals(str(error.value))[0] == meant
    assert "stack(h" not in "".join(proposals(str(error.value))[1:])


LAYERS = {
    "W": [[1, 2], [0, 1]],
    "W_1": [[2, 0], [1, 1]],
    "W_Q": [[1, 0], [2, 1]],
    "W_Q_1": [[0, 1], [2, 1]],
    "x": [1, 2],
}
NUMBERED = {  # with the number of a layer or a head; a formula without a sound reading has no proposal
    r"\sum_j W_{1,ij} x_j": ["W_1 @ x.T"], r"\sum_j W_{2,ij} x_j": [], "W^1 x": ["W_1 @ x.T"], "x W_Q^1": ["x @ W_Q_1"],
    "W^{1} x": ["W_1 @ x.T"], "W^{(1)} x": ["W_1 @ x.T"], "W_{1,2}": ["W[0, 1]"], "(W_1 x)_2": [], "x W^{Q}_{1}": [],
    r"\mathbb{E}[x]": [], r"0.5x[1+\tanh(x)]": [], "x[1+tanh(x)]": [],
}  # fmt: skip


@for_each("formula", NUMBERED)
def test_a_number_of_a_layer_is_no_index_and_no_power(formula):
    with pytest.raises(AttncalcError) as error:
        load({"given": LAYERS | {"E": [[1, 2], [0, 1], [1, 1]]}, "steps": {"R": formula}})
    assert proposals(str(error.value)) == NUMBERED[formula]


POWERS = {  # in a file that has W, W_1, W_2, x and x_2
    "W^2 x": ["W @ W @ x.T", "W_2 @ x.T", "W ** 2 @ x.T"], "W^2 W^1 x": ["W_2 @ W_1 @ x.T"], "x^2": ["x ** 2", "x_2"],
    "x^1 + x^2": ["x_1 + x_2"], "W² x": ["W @ W @ x.T", "W ** 2 @ x.T"], "x^3": ["x ** 3"], "W^{(2)} x": ["W_2 @ x.T"],
}  # fmt: skip


@for_each("formula", POWERS)
def test_law_a_number_above_is_shown_as_a_power_and_as_the_number_of_a_layer(formula):
    more = {"W_2": [[0, 1], [1, 3]], "x_1": [3, 1], "x_2": [0, 4]}
    with pytest.raises(AttncalcError) as error:
        load({"given": LAYERS | more, "steps": {"R": formula}})
    assert proposals(str(error.value)) == POWERS[formula]


JOINS = ["concat(A, B)", r"\mathrm{concat}(A, B)", "[A, B]", r"\left[A, B\right]"]
PRODUCTS = {  # with the join below each other, or side by side, as it fits without another transpose
    "Q JOIN^T": "Q @ vstack(K_1, K_2).T", "JOIN Q": "vstack(K_1, K_2) @ Q", "P JOIN": "P @ vstack(K_1, K_2)",
    "Q JOIN": "Q @ hstack(K_1, K_2)", "JOIN P^T": "hstack(K_1, K_2) @ P.T", "JOIN^T Q": "hstack(K_1, K_2).T @ Q",
    "softmax(Q JOIN^T) JOIN": "softmax(Q @ vstack(K_1, K_2).T) @ vstack(K_1, K_2)",
}  # fmt: skip


@for_each("join", JOINS)
@for_each(("formula", "meant"), PRODUCTS.items())
def test_law_no_transpose_is_added_or_left_out_to_make_a_concat_fit(formula, meant, join):
    givens = {"Q": [[1, 2], [0, 1]], "K_1": [[1, 0], [2, 1]], "K_2": [[1, 1], [0, 2]],
              "P": [[1, 2, 3, 4], [0, 1, 0, 1]]}  # fmt: skip
    with pytest.raises(AttncalcError) as error:
        load({"given": givens, "steps": {"R": formula.replace("JOIN", join.replace("A", "K_1").replace("B", "K_2"))}})
    is_index = join == "[A, B]" and formula[1:] == " JOIN"  # as it is in Python
    assert proposals(str(error.value)) == ([] if is_index else [meant])


LIBRARIES = {
    "scaled_dot_product_attention: {}": "did you mean attention?",
    "MultiheadAttention: {heads: 2}": "did you mean multi_head_attention?",
    "attention: {is_causal: true}": "did you mean mask: causal?",
    "attention: {causal: true}": "did you mean mask: causal?",
    "attention: {attn_mask: M}": "did you mean mask?", "attention: {mask: look_ahead}": "did you mean causal?",
    "attention: {mask: look-ahead}": "did you mean causal?",
    "multi_head_attention: {num_heads: 2}": "did you mean heads?",
    "cross_attention: {query: Q, key_value: X}": "called 'query'; did you mean X?",
    "attention: {query: Q}": "did you mean Q?",
    "layer_norm: {epsilon: 1e-5}": "did you mean eps?", "attention: {axis: -1}": "did you mean rows?",
    "softmax: Q": "steps: {A: softmax(A",
    "steps: {A: {LayerNorm: {}}}": "did you mean layer_norm?", "attention: {use_scale: false}": "did you mean scale?",
}  # fmt: skip


@for_each(("written", "said"), LIBRARIES.items())
def test_names_of_libraries_are_answered_with_ours(written, said):
    with pytest.raises(AttncalcError) as error:
        load_text(f"given: {{Q: [[1]], K: [[1]], V: [[1]], X: [[1]]}}\n{written}\n")
    assert said in str(error.value)


def test_what_stands_instead_is_there():
    """Every lesson, option and word that is proposed exists."""
    from attncalc.lessons import LESSONS, synonyms

    options = {option.name: option for lesson in LESSONS.values() for option in lesson.options}
    inputs = {one.name for lesson in LESSONS.values() for one in lesson.inputs}
    assert set(synonyms.LESSON_NAMES.values()) <= set(LESSONS) and not set(synonyms.LESSON_NAMES) & set(LESSONS)
    assert {meant.partition(":")[0] for meant in synonyms.OPTION_NAMES.values()} <= {*options, *inputs}
    words = {word for option in options.values() for word in option.words}
    assert set(synonyms.WORD_NAMES.values()) <= words


@examples(200)
@given(st.text("QKV^T.'|√²·() 2+@", max_size=12))
def test_a_proposal_is_a_formula(text):
    try:
        parse(text)
    except Exception as error:
        assert all(map(parse, proposals(str(error))))


@for_each("rows", [["a", "a"], ["a", "b"], ["a", "b", "a", "b", "b"]])
@for_each("axis", ["rows", "columns"])
def test_lint_lists_labels_that_several_rows_or_columns_have(axis, rows):
    values = [[k + 1] for k in range(len(rows))] if axis == "rows" else [list(range(len(rows)))]
    report = lint(load({"given": {"X": {axis: rows, "values": values}}, "steps": {"y": "X * 2"}}))
    expected = [
        f"X: {rows.count(label)} {axis} have the label {label!r}; use numbers instead of this label in formulas and answers"
        for label in dict.fromkeys(rows) if rows.count(label) > 1
    ]  # fmt: skip
    assert [line for line in report.unused if "label" in line] == expected


def test_lint_tells_of_unused_givens_and_of_steps_without_mistakes():
    report = lint(load_text(HEAD.replace("{X", "{zebra: 3, X") + "self_attention: {}\nsteps: {N: floor(Z)}"))
    data = as_data(report)
    assert "zebra" in data["unused"][0] and "N" in data["untested"] and "S" not in data["untested"]
    assert any("zebra" in line for line in lines(report)) and any(
        "attncalc knows no mistake in" in line for line in lines(report)
    )


# -- lessons with less -------------------------------------------------------------------------------------------------


def test_a_position_table_may_stand_alone_and_a_layer_too():
    alone = load_text("positional_encoding: {places: 3, width: 4}")
    assert [step.name for step in alone.plan.steps()] == ["PE"] and alone.plan.entries["PE"].shape == (3, 4)
    with pytest.raises(AttncalcError, match="places and width for only the table"):
        load_text("positional_encoding: {places: 3}")
    layer = load_text("given: {X: [[1, -2]], W_1: [[1, 0], [0, 1]]}\nfeed_forward: {W_2: none}")
    assert solve(layer)["active"].decimals(0) == [["1", "0"]] and [step.name for step in layer.plan.steps()] == [
        "hidden",
        "active",
    ]


REPEATED = ["X + ", "X ", "X · ", "X^T ", "\\frac{X}{X} ", "(", "X_1", "|X| ", "\\sum_i X ", "X' * ", "'", "X'", "1", "a", "_", "Σ", "{X} ", "2X",
            "[X;X] ", "X.T.", "lambda x: ", "X[:, 0] + ", "‖X‖ ", "e^X ", ".", "a1", "1a"]  # fmt: skip


@for_each("part", REPEATED)
def test_law_a_formula_of_repeated_signs_is_refused_in_a_short_time(part):
    """A word of 24,000 letters took 10 s."""
    formula = (part * 24_012)[:24_012]

    def refused():
        with pytest.raises(AttncalcError):
            load({"given": {"X": [[1, 2], [3, 4]]}, "steps": {"Y": formula}})

    assert takes_less_than(2, refused)
