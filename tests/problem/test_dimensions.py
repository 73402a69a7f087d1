"""Where NumPy has one dimension: what it makes of a formula by that is what is worked out here, or is warned of."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from tests.oracles.test_library_calls import of_numpy
from tests.support.laws import examples
from tests.support.library_calls import GIVENS
from tests.support.proposed import proposals
from tests.support.sweeps import for_each


def warned(formula: str, **steps: str) -> list[str]:
    problem = load({"given": GIVENS, "steps": {**steps, "A": formula}})
    return [message for one in problem.warnings if (message := str(one.message)).startswith("warning: A:")]


@for_each(("formula", "numpys"), [
    ("C[:, 0] @ C[0]", "C[:, 0].T @ C[0].T (1 × 1)"),
    ("C[:, 0] + C[1]", "C[:, 0].T + C[1] (1 × 2)"),
    ("C.sum(axis=0) - C.sum(axis=1)", "col_sum(C) - row_sum(C).T (1 × 2)"),
    ("C * C[:, 0]", "C * C[:, 0].T (2 × 2)"),
    ("C / C.sum(axis=1)", "C / row_sum(C).T (2 × 2)"),
    ("maximum(C, C[:, 1])", "maximum(C, C[:, 1].T) (2 × 2)"),
    ("k + C[:, 0]", "k + C[:, 0].T (2 × 2)"),
    ("np.inner(C[:, 0], C[:, 1])", "C[:, 0].T @ C[:, 1] (1 × 1)"),
    ("C - C.argmax(axis=1)", "C - argmax_rows(C).T (2 × 2)"),
    # Joins
    ("np.hstack([C[:, 0], C[:, 1]])", "hstack(C[:, 0].T, C[:, 1].T) (1 × 4)"),
    ("np.concatenate([C[:, 0], C[:, 1]], axis=-1)", "hstack(C[:, 0].T, C[:, 1].T) (1 × 4)"),
    ("np.concatenate([z, C[0]], axis=0)", "hstack(z, C[0]) (1 × 4)"),
    ("np.vstack([C[:, 0], C[:, 1]])", "vstack(C[:, 0].T, C[:, 1].T) (2 × 2)"),
    ("np.stack([C.sum(1), C.mean(1)])", "vstack(row_sum(C).T, row_mean(C).T) (2 × 2)"),
    ("np.array([C[:, 0], C[:, 1]])", "vstack(C[:, 0].T, C[:, 1].T) (2 × 2)"),
    ("np.array([z, C[0]])", "vstack(z, C[0]) (2 × 2)"),
    ("np.column_stack([z, C[0]])", "hstack(z.T, C[0].T) (2 × 2)"),
    # The transpose of one dimension
    ("np.transpose(z) * C", "z * C (2 × 2)"),
    ("np.exp(C) * z.T", "exp(C) * z (2 × 2)"),
    ("np.maximum(C[0].T, C)", "maximum(C[0], C) (2 × 2)"),
    ("C.sum(axis=0).T - C", "col_sum(C) - C (2 × 2)"),
    ("z.T @ np.exp(z)", "z @ exp(z).T (1 × 1)"),
    ("z.T @ z", "z @ z.T (1 × 1)"),
    ("z.T @ C[0]", "z @ C[0].T (1 × 1)"),
    ("C[0].T @ C[1]", "C[0] @ C[1].T (1 × 1)"),
    ("C[0].T - z", "C[0] - z (1 × 2)"),
    ("C[0].T * C", "C[0] * C (2 × 2)"),
    ("C + z.T", "C + z (2 × 2)"),
])  # fmt: skip
def test_a_column_that_lies_in_numpy_is_warned_of_with_the_formula_that_numpy_has(formula, numpys):
    (message,) = warned(formula)
    assert message.partition("; for a column in both, write ")[0].endswith(f"the result is {numpys}")
    meant = numpys[: numpys.rindex(" (")]
    assert not warned(meant)
    ours = solve(load({"given": GIVENS, "steps": {"A": meant}}))["A"].numpy()
    assert np.allclose(ours, np.atleast_2d(of_numpy(re.sub(r"(?<![.])maximum", "np.maximum", formula))))


@for_each("column", ["C[:, 0]", "C[:, 1]", "C[:, -1]", "R[:, 2]", "R[0:2, 0]"])
@for_each("formula", ["{} * k", "k - {}", "np.exp(C) / {}", "{} + C[1]", "np.hstack([{0} * k, k - {0}])"])
def test_law_the_column_that_a_warning_proposes_has_the_same_numbers_in_numpy(column, formula):
    (message,) = warned(formula.format(column))
    proposed = message.partition("; for a column in both, write ")[2].partition(";")[0]
    mended = formula.format(proposed)
    assert not warned(mended)
    files = [{"given": GIVENS, "steps": {"A": each}} for each in (formula.format(column), mended)]
    ours = [solve(load(file))["A"].numpy() for file in files]
    assert np.array_equal(*ours) and np.allclose(ours[0], of_numpy(mended))


@for_each("steps", [1, 2, 5])
@for_each("columns", [1, 2, 3])
def test_law_a_file_has_one_warning_for_all_columns_with_one_dimension(steps, columns):
    """It is the warning of the first step alone, with the number of the others."""
    one = " + ".join(f"exp({k} * k - C[:, {k % 2}])" for k in range(columns))
    told = [[each.message for each in load({"given": GIVENS, "steps": {f"A{i}": one for i in range(count)}}).warnings
             if "warning: A" in each.message] for count in (1, steps)]  # fmt: skip
    (alone,), (message,) = told
    assert message.startswith(alone.partition("; the same applies")[0])
    assert sum(int(n) for n in re.findall(r"applies to (\d+) more place", message)) == steps * columns - 1


LEAVES = [
    "x", "y", "A", "x.T", "y.T", "A.T", "A[0]", "A[:, 1]", "A[0].T", "(x - y).T", "A.sum(axis=1)", "k", "np.cumsum(x)",
    "np.cumprod(y)", "np.argsort(x)", "np.array([1, 2, 3])", "np.array([[1, 2, 3]])", "np.dot(x, A)", "np.exp(x)",
    "np.outer(2, x)", "len(x)", "x.shape[0]", "np.cumsum(c)", "r",
]  # fmt: skip
VECTORS = {"x": [1, -2, 3], "y": [2, 5, -1], "A": [[1, 2, 4], [3, -1, 2], [2, 5, -3]], "c": [[1], [-2], [4]],
           "r": [[1, 2, -2]], "k": 3}  # fmt: skip


@examples(600)
@given(
    st.recursive(
        st.sampled_from(LEAVES),
        lambda part: (
            st.builds("({} {} {})".format, part, st.sampled_from("@*-"), part)
            | st.builds("{}{}".format, part, st.sampled_from(["[-1]", "[0]", ".T", "[1:]", "[:, None]", "[None, :]"]))
        ),
        max_leaves=4,
    )
)
def test_law_a_formula_or_a_proposal_without_a_warning_has_the_numbers_of_numpy(formula):
    numpy = {name: np.array(rows, float) for name, rows in VECTORS.items()}
    try:
        value = np.atleast_2d(eval(formula, {"np": np}, numpy))
    except (ValueError, IndexError, TypeError, AttributeError):  # NumPy has no such product or entry
        return
    try:
        load({"given": VECTORS, "steps": {"R": formula}})
    except AttncalcError as error:
        silent = [ours for proposed in proposals(str(error)) if (ours := unwarned(proposed)) is not None]
    else:
        silent = [ours] if (ours := unwarned(formula)) is not None else []
    forms = (value, value.T) if value.ndim == 2 else ()
    alike = [any(form.shape == ours.shape and np.allclose(form, ours) for form in forms) for ours in silent]
    assert any(alike) or not alike, formula


REDUCED = ["x", "y", "A[0]", *(f"A.{name}({axis})" for name in ("sum", "mean", "max", "std", "argmax") for axis in (0, 1)),
           "np.sum(A, 0)", "np.sum(A, axis=1)", "A.sum(axis=1, keepdims=True)", "A.mean(axis=0, keepdims=True)"]  # fmt: skip


@examples(300)
@given(
    first=st.sampled_from(["{}", "A @ {}", "{} @ A", "2 {}", "A @ (k * {})", "{} @ A - y", "(A @ {}) * k"]),
    reduced=st.sampled_from(REDUCED),
    later=st.sampled_from(
        ["h * A", "A - h", "h.T * A", "np.multiply(A, h)", "h + y", "h - c", "np.exp(h) * A", "h[-1]"]
    ),
)
def test_law_a_pasted_proposal_for_one_dimension_keeps_the_numbers_of_numpy_in_later_steps(first, reduced, later):
    """The proposal gives h a row or a column; a later step then has NumPy's numbers, or a warning."""
    numpy = {name: np.array(rows, float) for name, rows in VECTORS.items()}
    formula = first.format(reduced)
    try:
        numpy["h"] = eval(formula.replace("2 ", "2 * "), {"np": np}, numpy)
        value = np.atleast_2d(eval(later, {"np": np}, numpy))
    except (ValueError, IndexError):
        return
    steps = {"h": formula, "R": later}
    try:
        load({"given": VECTORS, "steps": steps})
    except AttncalcError as error:
        if not (shown := proposals(str(error))) or "steps.h: h:" not in str(error):
            return
        if any(".R: warning" in line for line in str(error).splitlines()):
            return
        steps["h"] = shown[0]
    try:
        problem = load({"given": VECTORS, "steps": steps})
    except AttncalcError:
        return
    if any(one.message.startswith("warning: ") for one in problem.warnings):
        return
    ours = solve(problem)["R"].numpy()
    assert any(form.shape == ours.shape and np.allclose(form, ours) for form in (value, value.T)), steps


@for_each("formula", ["x.T - y", "x.T * x", "x.T + x", "x * y.T", "x - y.T"])
@for_each("vectors", ["rows", "columns"])
def test_law_two_flat_lists_are_warned_of_in_files_of_rows_and_of_columns(formula, vectors):
    problem = load({"vectors": vectors, "given": VECTORS, "steps": {"R": formula}})
    assert any("in NumPy, it has one dimension" in one.message for one in problem.warnings)


def unwarned(formula: str) -> np.ndarray | None:
    """The numbers of a formula that has no warning."""
    problem = load({"given": VECTORS, "steps": {"R": formula}})
    if any(one.message.startswith("warning: R: ") for one in problem.warnings):
        return None
    return solve(problem)["R"].numpy()


def test_a_list_of_matrices_has_three_dimensions():
    for formula in ("np.array([C, R[:, 0:2]])", "np.stack([C, C])", "np.sum([C, C])"):
        assert any("three dimensions" in message for message in warned(formula))
    assert not warned("np.array([[1, 2], [3, 4]])") and not warned("np.vstack([C, C])")


@for_each(("formula", "meant"), [
    ("np.zeros_like(x)[-1]", "zeros(rows(x), cols(x))[0, -1]"), ("x[-1]", "x[0, -1]"), ("C[1][0]", "C[1][0, 0]"), ("x[[0, 0]]", "x[:, [0, 0]]"), ("C[1][-1]", "C[1][0, -1]"),
    ("softmax(x, axis=0)", "axis -1"), ("log_softmax(x, dim=0)", "axis -1"), ("logsumexp(x, axis=0)", "axis -1"),
    ("np.roll(x, 1, axis=0)", "axis -1"), ("np.repeat(x, 2, axis=0)", "axis -1"), ("C[:, 0].sum(-1)", "sum(C[:, 0])"),
    ("tf.gather(x, [0, 0])", "x[:, [0, 0]]"), ("C.softmax(0)", 'axis="rows"'), ("C.logsumexp(0)", 'axis="rows"'),
    ("size(C, 1)", "rows(C)"), ("C.std(1)", "row_std(C, ddof=1)"), ("C.max(1)[0]", "in PyTorch, index [0]"),
    ("C[:, 0:1] - z.T", "C[:, 0:1] - z (2 × 2)"), ("z.T / k", "z / k (2 × 2)"), ("k * z.T", "k * z (2 × 2)"),
    ("torch.max(C, dim=1)", "returns values and indices"), ("np.dot(k, C[0:1])", "k @ C[0:1]"), ("np.diag(k)", "the first entry"),
])  # fmt: skip
def test_what_has_another_value_in_a_library_is_warned_of(formula, meant):
    assert any(meant in message for message in warned(formula))


@for_each("formula", [
    "C - C.sum(axis=1, keepdims=True)", "C - row_sum(C)", "C * C[:, 0:1]", "R - R.sum(axis=1)", "C[0] + z @ C", "x.T @ z",
    "C[:, 0][1]", "C[0:1].T * C", "C[0].reshape(-1, 1) * C", "flat(z).T - z", "C @ z.T + z.T", "C - C.sum(axis=0)", "C @ C[:, 0]", "C[:, 0] + C[:, 1]", "C[0] @ C", "x[0, 1]",
    'softmax(C, axis="columns")', "C.std(axis=1)", "C.std(dim=1)", "np.std(C, 1)", "X_0[0, 1]",
])  # fmt: skip
def test_what_is_the_same_in_numpy_or_in_words_of_ours_is_not_warned_of(formula):
    assert not warned(formula, X_0="C @ C")


def test_a_step_keeps_the_dimension_of_its_formula():
    assert warned("C - s", s="C.sum(axis=1)") and warned("y[-1]", y="2 * x")
    assert not warned("C - s", s="row_sum(C)") and not warned("y[-1]", y="C @ C")


@for_each("problem", [
    {"given": {"C": [[1, 2], [3, 5]], "A": "C - C.sum(axis=1)"}, "steps": {"B": "A"}},
    {"given": {"C": [[1, 2], [3, 5]], "a": [["C.std()", 1]]}, "steps": {"B": "C + a"}},
    {"given": {"C": [[1, 2], [3, 5]]}, "layer_norm": {"X": "C * C[:, 0]"}},
    {"given": {"C": [[1, 2], [3, 5]]}, "steps": {"B_0": "C", "B": {"repeat": 2, "formula": "B - B.sum(axis=1)"}}},
    {"given": {"C": [[1, 2], [3, 5]]}, "steps": {"B": [["C.std()", "1"]]}},
    {"given": {"C": [[1, 2], [3, 5]]}, "parts": {"one": {"given": {"A": "C / C.max(dim=1)"}, "steps": {"B": "A"}}}},
])  # fmt: skip
def test_formulas_are_warned_of_wherever_they_stand(problem):
    assert any("NumPy" in one.message or "PyTorch" in one.message for one in load(problem).warnings)


@for_each("form", ["{}", "({}) ** 2", "np.mean(({}) ** 2)", "np.exp({})", "({}) / 3"])
@for_each("difference", ["A @ x - c", "c - A @ x", "(A @ x) / c", "k * (A @ x) - c"])
def test_law_a_flat_list_next_to_a_column_has_the_readings_of_numpy_and_of_papers(form, difference):
    """In one step both are proposed. In two steps, the second one is warned of."""
    vectors = {name: np.array(rows, float) for name, rows in VECTORS.items()}
    numpy = eval(form.format(difference), {"np": np}, vectors)
    paper = eval(form.format(difference).replace("A @ x", "A @ x.T"), {"np": np}, vectors | {"x": vectors["x"][None]})
    with pytest.raises(AttncalcError) as error:
        load({"given": VECTORS, "steps": {"R": form.format(difference)}})
    ours = [solve({"given": VECTORS, "steps": {"R": text}})["R"].numpy() for text in proposals(str(error.value))]
    for value in map(np.atleast_2d, (numpy, paper)):
        assert any(each.shape == value.shape and np.allclose(each, value) for each in ours)
    steps = {"m": "A @ x.T", "R": form.format(difference).replace("A @ x", "m")}
    assert any(
        "in NumPy, it has one dimension" in one.message for one in load({"given": VECTORS, "steps": steps}).warnings
    )


@for_each("later", ["h - k", "k / h", "h * C", "C @ h", "h @ C", "h - C[0]"])
@for_each("formula", [
    "C @ C.sum(axis=1) + 2 * z[1]", "np.exp(C.max(axis=1)) * z[1]", "C.min(1)[[1, 0]] + 2 * z[1]", "C.mean(1)[ids] + 2 * z[1]", "C @ z", "C @ C.sum(0)",
    "C.T @ C.argmax(1) + 2 * z[1]", "np.linalg.norm(C, axis=1) / z[1]", "C[:, 0] + 2 * z[1]", "np.stack([z[1], z[0]])", "C.sum(0) * z[1]",
])  # fmt: skip
def test_law_a_step_after_a_proposal_has_numpys_numbers_or_a_warning(formula, later):
    """The pasted proposal is as one-dimensional as the formula of NumPy."""
    arrays = {name: np.array(rows, float) for name, rows in GIVENS.items() if name != "ids"} | {"ids": np.array([1, 0])}
    h = eval(formula, {"np": np}, arrays)
    try:
        expected = np.atleast_2d(eval(later, {"np": np}, arrays | {"h": h}))
    except ValueError:
        return
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVENS, "steps": {"h": formula}})
    for proposal in proposals(str(error.value)):
        steps = {"h": proposal, "after": later}
        try:
            said = [one.message for one in load({"given": GIVENS, "steps": steps}).warnings]
        except AttncalcError:
            continue
        ours = solve({"given": GIVENS, "steps": steps})["after"].numpy()
        alike = (
            ours.shape == expected.shape
            and np.allclose(ours, expected)
            or h.ndim == 1
            and np.allclose(ours.T, expected)
        )
        assert alike or any("NumPy" in each for each in said), (proposal, later)


@for_each(("made", "axis"), [
    *((form, 0) for form in ("np.expand_dims({}, 0)", "np.expand_dims({}, axis=0)", "{}.unsqueeze(0)", "{}[None]",
                             "torch.unsqueeze({}, 0)", "{}.reshape(1, -1)", "{}.view(1, -1)", "np.reshape({}, (1, -1))")),
    *((form, 1) for form in ("np.expand_dims({}, 1)", "{}.unsqueeze(-1)", "torch.unsqueeze({}, dim=1)")),
])  # fmt: skip
@for_each("list_", ["x", "A[0]", "(A @ x)", "A.mean(0)", "h"])
@for_each("form", ["{}", "{}[0]", "{}.sum(0)", "{}.mean(1)", "np.prod({}, 0)", "np.linalg.norm({}, axis=0)", "{}.T @ {}",
                   "{}.sum(0) * A", "np.concatenate([{0}, {0}])", "np.concatenate([{0}, {0}], axis=1)", "len({}) * x",
                   "np.cumsum({}, axis=0)", "{} + c", "np.vstack([{0}, {0}]).sum(1)"])  # fmt: skip
def test_law_a_list_with_another_dimension_keeps_it_in_a_proposal(made, axis, list_, form):
    """The axis, the index and the join after unsqueeze work on a matrix with one row or one column."""
    formula = form.replace("{}", "{0}").format(made.format(list_))
    arrays = {name: np.array(rows, float) for name, rows in VECTORS.items()}
    arrays["h"] = arrays["A"] @ arrays["x"]
    try:
        there = form.replace("{}", "{0}").format(f"np.expand_dims({list_}, {axis})")
        value = np.atleast_2d(eval(there, {"np": np}, arrays))
    except (ValueError, IndexError):
        return
    steps = {"h": "A @ x.T", "R": formula}
    try:
        found = {formula: load({"given": VECTORS, "steps": steps}).warnings}
    except AttncalcError as error:
        found = {
            each: load({"given": VECTORS, "steps": steps | {"R": each}}).warnings for each in proposals(str(error))
        }
    for each, warnings in found.items():
        if not any("R: " in one.message for one in warnings):
            ours = solve(load({"given": VECTORS, "steps": steps | {"R": each}}))["R"].numpy()
            forms = (value, value.T) if eval(there, {"np": np}, arrays).ndim == 1 else (value,)
            assert any(ours.shape == one.shape and np.allclose(ours, one) for one in forms), (formula, each)


def silent_values(formula: str) -> list[np.ndarray]:
    """Return the values of a formula, or of the formulas proposed for it, for which there is no warning."""
    steps = {"h": "A @ x.T", "R": formula}
    try:
        texts = [formula] if not load({"given": VECTORS, "steps": steps}).warnings else []
    except AttncalcError as error:
        texts = proposals(str(error))
    problems = [load({"given": VECTORS, "steps": steps | {"R": text}}) for text in texts]
    return [solve(each)["R"].numpy() for each in problems if not any("R: " in one.message for one in each.warnings)]


@for_each("vector", ["A @ x", "A @ x + y", "h", "A[:, 1]", "2 * h"])
@for_each("function", ["layer_norm", "rms_norm"])
@for_each("gain", ["x", "h", "A[0]"])
@for_each("form", ["F.{}({}, (3,), {})", "F.{}({}, (3,), weight={})", "{}({}, gamma={})", "{}({}, {})"])
def test_law_a_norm_of_a_vector_has_as_many_entries_as_the_vector(vector, function, gain, form):
    arrays = {name: np.array(rows, float) for name, rows in VECTORS.items()}
    arrays["h"] = arrays["A"] @ arrays["x"]
    a, g = (eval(each, {}, arrays) for each in (vector, gain))
    centred = a - a.mean() if function == "layer_norm" else a
    for ours in silent_values(form.format(function, vector, gain)):
        assert ours.size == 3 and np.allclose(ours.ravel(), centred / np.sqrt(np.mean(centred**2)) * g, rtol=1e-4)


@for_each("first", ["x", "h", "A @ x", "A[:, 0]", "A[1]", "A.sum(1)", "c", "A"])
@for_each("second", ["y", "h", "A @ y", "A[:, 2]", "A.mean(0)", "A"])
@for_each("form", ["np.stack([{}, {}], axis=1)", "torch.stack([{}, {}], dim=-1)", "torch.stack(({}, {}), dim=1)"])
def test_law_a_stack_of_columns_is_numpys(first, second, form):
    arrays = {name: np.array(rows, float) for name, rows in VECTORS.items()}
    arrays["h"] = arrays["A"] @ arrays["x"]
    parts = [eval(each, {}, arrays) for each in (first, second)]
    found = silent_values(form.format(first, second))
    if any(part.ndim > 1 for part in parts):
        assert not found
    else:
        assert found and all(np.allclose(ours, np.stack(parts, axis=1)) for ours in found)


# What a column is taken from, in NumPy, and the column of a given with two dimensions.
PARTS = ["A.mean(axis=0)", "A.max(0)", "A[0]", "A[:, 0]", "A.sum(axis=1)", "2 * A[1]", "np.exp(A[0] / 9)", "x @ A"]


@for_each("part", PARTS)
@for_each("sign", ["+", "-", "*", "/"])
@for_each("in_two_steps", [False, True])
@for_each("turned", ["{}", "{}.T", "({}).T"])
@for_each("vectors", ["rows", "columns"])
def test_law_a_part_beside_a_square_matrix_is_numpys_or_is_warned_of(part, sign, in_two_steps, turned, vectors):
    if turned == "{}.T" and part[0] != "A" and not in_two_steps:
        return
    steps = (
        {"m": part, "Y": f"A {sign} {turned.format('m')}"} if in_two_steps else {"Y": f"A {sign} {turned.format(part)}"}
    )
    A, x = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 10]], float), np.array([1, 2, 4.0])
    known = {"A": A, "x": x, "np": np}
    for name, formula in steps.items():
        known[name] = eval(formula, known)
    try:
        problem = load({"given": {"A": A.tolist(), "x": x.tolist()}, "steps": steps, "vectors": vectors})
    except AttncalcError as error:  # every proposal is NumPy's
        shown = proposals(str(error))
        assert not shown or any(np.allclose(_solved({**steps, "Y": each}, vectors), known["Y"]) for each in shown)
        return
    is_warned = any("Y:" in each.message for each in problem.warnings)
    is_bias = part == "x @ A" and "T" in turned and vectors == "columns"  # as on paper: one entry per feature
    assert is_warned or is_bias or np.allclose(_solved(steps, vectors), known["Y"])


def _solved(steps: dict[str, str], vectors: str) -> np.ndarray:
    given = {"A": [[1, 2, 3], [4, 5, 6], [7, 8, 10]], "x": [1, 2, 4]}
    return np.array(solve(load({"given": given, "steps": steps, "vectors": vectors}))["Y"].decimals(9), float)


@for_each(("formula", "feature"), [
    ("A + c.T", "c"), ("A * c.T", "c"), ("A - row_mean(A).T", "row_mean(A)"), ("A + x", "x.T"), ("A - (A @ c).T", "A @ c"),
    ("A + x.T", ""), ("A + c", ""), ("B + c.T", ""), ("A.T + c.T", ""), ("A - col_mean(A)", ""),
])  # fmt: skip
def test_a_row_beside_a_square_matrix_whose_columns_are_tokens_is_warned_of(formula, feature):
    given = {"A": [[1, 2, 3], [4, 5, 6], [7, 8, 10]], "B": [[1, 2, 3], [4, 5, 6]], "x": [1, 2, 4], "c": [[1], [2], [4]]}
    for vectors in ("rows", "columns"):
        read = load({"given": given, "steps": {"Y": formula}, "vectors": vectors})
        messages = [each.message for each in read.warnings if "has one entry per token here" in each.message]
        assert [text.endswith(f"write {feature}") for text in messages] == [True] * (
            vectors == "columns" and feature != ""
        )
