"""Formulas as on paper, drawn from a grammar with the numbers that the notation gives them, worked out by NumPy: what is
proposed comes to these numbers, or is one of several readings that are shown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from laws import examples
from proposed import proposals, shapes

from attncalc import AttncalcError, load, solve


class Term(NamedTuple):
    """A formula's text, what it comes to by the definition of the notation, and whether a product may hold it as it is
    (2), with a number before it (1), or in brackets alone (0).
    """

    text: str
    value: np.ndarray
    strength: int = 2

    def inside(self, needed: int = 2) -> str:
        return self.text if self.strength >= needed else f"({self.text})"


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(np.clip(-x, -600, 600)))


def exp(x: np.ndarray) -> np.ndarray:
    return np.exp(np.clip(x, -600, 600))


TURNED = ["^T", "ᵀ", "^{\\top}", "^{T}", "⊤"]
FUNCTIONS = {"σ": sigmoid, "tanh": np.tanh, "\\exp": exp, "exp": exp, "relu": lambda x: np.maximum(x, 0)}


class Paper:
    """The names of a file, and the formulas that are drawn over them."""

    def __init__(self, draw, columns: bool):
        self.draw, self.columns = draw, columns
        n, d, m = (draw(st.integers(2, 4)) for _ in range(3))
        self.sizes = [n, d, m]
        tokens = {"X": (n, d), "Q": (n, d), "K": (n, d), "V": (n, m), "W": (d, m), "U": (m, m)}
        entries = st.integers(-2, 3)

        def drawn(rows: int, width: int) -> np.ndarray:
            return np.array(draw(st.lists(entries, min_size=rows * width, max_size=rows * width))).reshape(rows, width)

        self.given = {name: drawn(*(size[::-1] if columns else size)) for name, size in tokens.items()}
        self.flat = {"x": drawn(1, d), "y": drawn(1, d), "δ": drawn(1, m), "b": drawn(1, m)}
        self.width = d
        self.meant = {**self.given, **{k: v.T if columns else v for k, v in self.flat.items()}}

    def file(self) -> dict:
        lists = {name: matrix.tolist() for name, matrix in self.given.items()}
        return lists | {name: matrix[0].tolist() for name, matrix in self.flat.items()} | {"λ": "0.5"}

    def leaf(self, shape: tuple[int, int]) -> Term | None:
        turned = self.draw(st.sampled_from(TURNED))
        fits = [Term(name, value) for name, value in self.meant.items() if value.shape == shape]
        fits += [Term(name + turned, value.T) for name, value in self.meant.items() if value.T.shape == shape]
        return self.draw(st.sampled_from(fits)) if fits else None

    def term(self, shape: tuple[int, int], depth: int) -> Term:
        kinds = ["product", "product", "sum", "scaled", "function", "softmax", "root", "entries"] if depth else []
        leaf = self.leaf(shape)
        kind = self.draw(st.sampled_from(["leaf"] * (leaf is not None) + kinds or ["product"]))
        again = max(0, depth - 1)
        match kind:
            case "leaf":
                return leaf
            case "product":
                k = self.draw(st.sampled_from(self.sizes))
                a, b = self.term((shape[0], k), again), self.term((k, shape[1]), again)
                return Term(f"{a.inside(1)} {b.inside()}", a.value @ b.value, 1)
            case "sum":
                a, b = self.term(shape, again), self.term(shape, again)
                sign = self.draw(st.sampled_from(["+", "-", "−"]))
                return Term(
                    f"{a.text} {sign} {b.inside(1)}", a.value + b.value if sign == "+" else a.value - b.value, 0
                )
            case "scaled":
                a = self.term(shape, again)
                return Term(f"λ {a.inside()}", 0.5 * a.value, 1)
            case "root":
                a = self.term(shape, again)
                root = self.draw(st.sampled_from(["√d_k", "sqrt(d_k)", "\\sqrt{d_k}"]))
                return Term(f"({a.inside(1)} / {root})", a.value / np.sqrt(self.width))
            case "entries":
                a, b = self.term(shape, again), self.term(shape, again)
                return Term(f"({a.inside()} ⊙ {b.inside()})", a.value * b.value)
            case "function":
                a, name = self.term(shape, again), self.draw(st.sampled_from(sorted(FUNCTIONS)))
                return Term(f"{name}({a.text})", FUNCTIONS[name](a.value))
        a = self.term(shape, again)
        axis = int(shape[0] == 1 or (1 not in shape and not self.columns))
        return Term(f"softmax({a.text})", softmax(a.value, axis))


@st.composite
def papers(draw) -> tuple[Paper, Term]:
    paper = Paper(draw, draw(st.booleans()))
    n, d, m = paper.sizes
    shape = draw(st.sampled_from([(n, d), (n, n), (d, m), (n, m), (m, m), (d, d), (1, d), (1, m), (1, 1)]))
    return paper, paper.term(shape[::-1] if paper.columns else shape, draw(st.integers(1, 3)))


def numbers(paper: Paper, formula: str) -> np.ndarray:
    problem = load({"vectors": "columns" if paper.columns else "rows", "given": paper.file(), "steps": {"A": formula}})
    return np.array([[float(x) for x in row] for row in solve(problem)["A"].decimals(12)])


def is_meant(found: np.ndarray, meant: np.ndarray) -> bool:
    """Whether numbers are those of the notation; a vector may lie or stand."""
    if 1 in meant.shape and found.shape == meant.T.shape != meant.shape:
        found = found.T
    return found.shape == meant.shape and np.allclose(found, meant, atol=1e-8, rtol=1e-8)


@examples(150)
@given(papers())
def test_a_proposal_comes_to_what_the_notation_means_or_is_one_of_several(drawn):
    paper, term = drawn
    if len(term.text) > 280 or not np.isfinite(term.value).all() or abs(term.value).max() > 1e12:
        return
    columns = "columns" if paper.columns else "rows"
    try:
        problem = load({"vectors": columns, "given": paper.file(), "steps": {"A": term.text}})
    except AttncalcError as error:
        message = str(error)
    else:
        if not any("warning: A" in one.message for one in problem.warnings):
            assert is_meant(numbers(paper, term.text), term.value), term.text
        return
    shown = proposals(message)
    event(f"{len(shown)} readings")
    assert len(shown) == len(shapes(message)) <= 3, message
    found = [numbers(paper, formula) for formula in shown]
    assert [one.shape for one in found] == shapes(message)
    assert not shown or any(is_meant(one, term.value) for one in found), message


@examples(100)
@given(
    papers(), st.sampled_from(["x^T δ", "X + λ", "‖x‖", "Σ_i x_i y_i", "[Q; K]", "x_1", "2λx", "1/2λ", "x^2", "W x"])
)
def test_what_is_proposed_can_be_read_and_has_the_shape_that_is_shown(drawn, other):
    paper, term = drawn
    for formula in (f"{term.text} + {other}", f"{other} {term.inside()}", f"{term.text} ! {other}"):
        try:
            columns = "columns" if paper.columns else "rows"
            load({"vectors": columns, "given": paper.file(), "steps": {"A": formula}})
        except AttncalcError as error:
            shown = proposals(str(error))
            assert [numbers_shape(paper, one) for one in shown] == shapes(str(error))


def numbers_shape(paper: Paper, formula: str) -> tuple[int, int]:
    columns = "columns" if paper.columns else "rows"
    problem = load({"vectors": columns, "given": paper.file(), "steps": {"A": formula}})
    return next(iter(problem.plan.steps())).shape


def warned(steps: dict, columns: bool = True, **given_: object) -> list[str]:
    problem = load({"vectors": "columns" if columns else "rows", "given": given_, "steps": steps})
    return [one.message for one in problem.warnings if "uses the given" not in one.message]


def test_a_softmax_along_the_axis_of_tokens_is_warned_of_each_time():
    S = [[1, 2], [3, 4]]
    for matrix in (S, [[5, 6], [7, 8]]):  # the second file differs in its numbers alone
        for function in ("softmax", "layer_norm", "rms_norm"):
            (message,) = warned({"A": f"{function}(S)"}, S=matrix)
            assert proposals(message) == [f'{function}(S, axis="columns")']
    assert not warned({"A": 'softmax(S, axis="rows")', "B": "softmax_cols(S)"}, S=S)
    assert not warned({"S": "Q.T @ K", "A": "softmax(S)"}, Q=S, K=S)  # a row for each query
    assert not warned({"A": "softmax(Q @ K.T)"}, columns=False, Q=S, K=S)
    assert warned({"S": "K @ Q.T / 2", "A": "softmax(S)"}, columns=False, Q=S, K=S)


def test_a_product_of_vectors_that_is_added_to_each_entry_is_warned_of():
    given_ = {"x": [1, 2], "δ": [3, 4], "W": [[1, 2], [3, 4]]}
    (message,) = warned({"g": "x @ δ.T", "W_new": "W - 0.1 * g"}, **given_)
    assert "is one number; the matrix is x.T @ δ (2 × 2)" in message
    assert not warned({"g": "mean(x)", "y": "x - g", "s": "x @ δ.T", "z": "s * W"}, **given_)


COMPARED = {
    "X > 2 & X < 5": lambda x: (x > 2) & (x < 5), "X < 2 | X > 4": lambda x: (x < 2) | (x > 4),
    "X > 1 & X < 5 | X == 0": lambda x: (x > 1) & (x < 5) | (x == 0), "~X > 2": lambda x: ~(x > 2),
    "X > 2 && X < 5": lambda x: (x > 2) & (x < 5), "X > 2 ∧ X < 5": lambda x: (x > 2) & (x < 5),
    "(X > 2) & (X < 5)": lambda x: (x > 2) & (x < 5), "(X > 4) & X": lambda x: (x > 4) & (x != 0),
    "2 < X < 5": lambda x: (x > 2) & (x < 5), "1 * (X > 2 & X < 5 & X != 3)": lambda x: (x > 2) & (x < 5) & (x != 3),
}  # fmt: skip


@pytest.mark.parametrize("formula", COMPARED)
def test_comparisons_that_are_joined_mean_what_numpys_authors_mean(formula):
    x = np.arange(6).reshape(2, 3)
    file = {"given": {"X": x.tolist()}, "steps": {"A": formula}}
    try:
        problem = load(file)
    except AttncalcError as error:
        (shown,) = proposals(str(error))
        problem = load(file | {"steps": {"A": shown}})
    assert np.array_equal(np.array(solve(problem)["A"].decimals(0), float), COMPARED[formula](x))


@pytest.mark.parametrize(("vectors", "formula", "expected"), [
    ("columns", "K^T Q / sqrt(d_k)", ["K.T @ Q / sqrt(rows(K))"]), ("rows", "Q K^T / √d_k", ["Q @ K.T / sqrt(cols(K))"]),
    ("columns", "softmax(K^T Q)", ['softmax(K.T @ Q, axis="columns")']),
    ("rows", "x^T δ", ["x.T @ δ", "x @ δ.T"]), ("rows", "[Q; x]", ["vstack(Q, x)"]),
    ("columns", "[Q, δ]", ["hstack(Q, δ.T)"]), ("rows", "Σ_j Q_ij", ["row_sum(Q)"]), ("rows", "x_i δ_j", ["x.T @ δ"]),
    ("rows", "\\frac{QK^\\top}{\\sqrt{d_k}}", ["Q @ K.T / sqrt(cols(K))"]), ("rows", "(QK)^T", ["(Q @ K.T).T"]),
    ("rows", "x @ δ.T (1 × 1)", ["x @ δ.T", "x.T @ δ"]),  # a proposal that was pasted with its shape
])  # fmt: skip
def test_names_and_signs_mean_what_the_file_specifies(vectors, formula, expected):
    given_ = {"Q": [[1, 2, 3], [0, 1, 1]], "K": [[1, 0, 1], [2, 1, 0]], "x": [1, 2], "δ": [3, 4]}
    if vectors == "rows":
        given_ |= {"x": [1, 2, 1], "δ": [3, 4, 2]}
    with pytest.raises(AttncalcError) as error:
        load({"vectors": vectors, "given": given_, "steps": {"A": formula}})
    shown = proposals(str(error.value))
    assert shown == expected or expected and formula == "(QK)^T" and expected[0] in shown


def test_a_size_without_entries_and_givens_for_given_are_told():
    with pytest.raises(AttncalcError, match="did you mean 2 × 2 integers"):
        load({"draw": {"Q": "2 × 2"}, "steps": {"A": "Q"}})
    with pytest.raises(AttncalcError, match=r"did you mean given:\?$"):
        load({"givens": {"Q": [[1, 2]]}, "steps": {"A": "Q"}})
