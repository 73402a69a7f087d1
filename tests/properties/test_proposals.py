"""Formulas as on paper, drawn from a grammar with the numbers that the notation gives them, worked out by NumPy: what is
proposed comes to these numbers, or is one of several readings that are shown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from tests.support.laws import examples
from tests.support.proposed import proposals, shapes
from tests.support.sweeps import for_each


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
    product, message = warned({"g": "x @ δ.T", "W_new": "W - 0.1 * g"}, **given_)
    assert "because flat lists are rows; for the outer product, write x.T @ δ (2 × 2)" in product
    assert "is a single number; for a matrix, write x.T @ δ (2 × 2)" in message
    assert not warned({"g": "mean(x)", "y": "x - g", "s": "dot(x, δ)", "z": "s * W"}, **given_)


COMPARED = {
    "X > 2 & X < 5": lambda x: (x > 2) & (x < 5), "X < 2 | X > 4": lambda x: (x < 2) | (x > 4),
    "X > 1 & X < 5 | X == 0": lambda x: (x > 1) & (x < 5) | (x == 0), "~X > 2": lambda x: ~(x > 2),
    "X > 2 && X < 5": lambda x: (x > 2) & (x < 5), "X > 2 ∧ X < 5": lambda x: (x > 2) & (x < 5),
    "(X > 2) & (X < 5)": lambda x: (x > 2) & (x < 5), "(X > 4) & X": lambda x: (x > 4) & (x != 0),
    "2 < X < 5": lambda x: (x > 2) & (x < 5), "1 * (X > 2 & X < 5 & X != 3)": lambda x: (x > 2) & (x < 5) & (x != 3),
}  # fmt: skip


@for_each("formula", COMPARED)
def test_comparisons_that_are_joined_mean_what_numpys_authors_mean(formula):
    x = np.arange(6).reshape(2, 3)
    file = {"given": {"X": x.tolist()}, "steps": {"A": formula}}
    try:
        problem = load(file)
    except AttncalcError as error:
        (shown,) = proposals(str(error))
        problem = load(file | {"steps": {"A": shown}})
    assert np.array_equal(np.array(solve(problem)["A"].decimals(0), float), COMPARED[formula](x))


@for_each(("vectors", "formula", "expected"), [
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


class Indexed:
    """Formulas with indices, drawn with the numbers that NumPy's einsum gives them: each letter is an axis."""

    def __init__(self, draw):
        self.draw = draw
        n, m, d = (draw(st.integers(2, 3)) for _ in range(3))
        self.extents = {"i": n, "j": m, "k": d}
        entries = st.integers(1, 4)
        pairs = {"A": "ij", "B": "ij", "C": "jk", "D": "ik"}
        self.given = {
            name: np.array([[draw(entries) for _ in range(self.extents[two])] for _ in range(self.extents[one])])
            for name, (one, two) in pairs.items()
        }
        self.vectors = {
            name: np.array([draw(entries) for _ in range(self.extents[i])]) for name, i in zip("uvw", "ijk")
        }
        self.axes = pairs | dict(zip("uvw", "ijk"))
        self.upright = draw(st.sampled_from(["u", "v", "w", ""]))  # which vector is given as a column

    def file(self) -> dict:
        lists = {name: one.tolist() for name, one in (self.given | self.vectors).items()}
        return {name: [[x] for x in one] if name == self.upright else one for name, one in lists.items()}

    def drawn(self) -> tuple[str, np.ndarray]:
        names = self.draw(st.lists(st.sampled_from([*self.axes]), min_size=1, max_size=3))
        parts, terms, letters = [], [], []
        for name in names:
            value = (self.given | self.vectors)[name].astype(float)
            text = f"{name}_{{{self.axes[name]}}}"
            change = self.draw(st.sampled_from(["", "", "\\log ", "^2"]))
            text, value = {
                "": (text, value),
                "\\log ": (f"\\log {text}", np.log(value)),
                "^2": (f"{text}^2", value**2),
            }[change]
            parts, terms, letters = [*parts, text], [*terms, value], [*letters, self.axes[name]]
        free = sorted({letter for one in letters for letter in one})
        summed = sorted(self.draw(st.sets(st.sampled_from(free))))
        left = "".join(letter for letter in free if letter not in summed)
        signs = "".join(
            f"\\sum_{{{letter}{bound}}}"
            for letter in summed
            for bound in [self.draw(st.sampled_from(["", f"=1}}^{{{self.extents[letter]}"]))]
        )
        found = np.einsum(f"{','.join(letters)}->{left}", *terms)
        return f"{signs} {' '.join(parts)}".strip(), np.atleast_2d(found)


@st.composite
def indexed(draw) -> tuple[dict, str, np.ndarray]:
    paper = Indexed(draw)
    return paper.file(), *paper.drawn()


@examples(150)
@given(indexed())
def test_indices_are_axes_as_in_einsum(drawn):
    file, text, meant = drawn
    if "_" not in text or text.startswith("\\log") and " " not in text:
        return
    try:
        problem = load({"given": file, "steps": {"Z": text}})
    except AttncalcError as error:
        message = str(error)
    shown = proposals(message)
    event("proposed" if shown else "refused")
    values = [value for value in (meant, *summed(file, text)) if value.ndim == 2]  # there are no other formulas
    assert len(shown) in (0, len(values)), message
    for formula, value in zip(shown, values, strict=bool(shown)):
        problem = load({"given": file, "steps": {"Z": formula}})
        assert is_meant(np.array(solve(problem)["Z"].decimals(10), float), value), message


def summed(file: dict, text: str) -> list[np.ndarray]:
    """The sum over repeated letters by Einstein's convention, of a product of matrices without Σ and without
    functions.
    """
    parts = re.findall(r"(\w)_\{(\w+)\}", text)
    letters = "".join(letters for _, letters in parts)
    if re.sub(r"\w_\{\w+\}", "", text).strip() or len(set(letters)) == len(letters):
        return []
    factors = [np.array(file[name], float) for name, _ in parts]
    factors = [one.ravel() if len(axes) == 1 else one for one, (_, axes) in zip(factors, parts, strict=True)]
    free = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    return [np.atleast_2d(np.einsum(f"{','.join(axes for _, axes in parts)}->{free}", *factors))]


@for_each("below", ["j<i", "j \\le i", "j \\neq i", "j=2}^{3", "j=1}^{2", "j=1}^{i", "j=1}^{n-1", "j=0}^{3"])
def test_a_sum_of_some_entries_is_not_taken_for_the_sum_of_all(below):
    given_ = {"A": [[1, 2, 3], [4, 5, 6], [7, 8, 9]], "x": [1, 2, 3]}
    for formula in (f"\\sum_{{{below}}} A_{{ij}}", f"\\sum_{{{below}}} A_{{ij}} x_j", f"1 + \\sum_{{{below}}} x_j"):
        with pytest.raises(AttncalcError) as error:
            load({"given": given_, "steps": {"Z": formula}})
        assert not proposals(str(error.value))


def spectral(x):
    return np.atleast_2d(np.linalg.norm(x, 2))


# What each means for X, Y (n × d), B (2 × 2), S (n × n), x and y (rows); refused where that is not in the language.
NOTATIONS = {
    "\\sum_j X_{ij} Y_{ij}": lambda o: (o.X * o.Y).sum(1, keepdims=True), "X_{ij} Y_{ij}": lambda o: o.X * o.Y,
    "X_{ji}": lambda o: o.X.T, "X_{1,2}": lambda o: o.X[:1, 1:2], "(X Y^T)_{ij}": lambda o: o.X @ o.Y.T,
    "S_{ji} = \\sum_k X_{ik} Y_{jk}": lambda o: (o.X @ o.Y.T).T, "\\sum_i S_{ii}": lambda o: np.atleast_2d(np.trace(o.S)),
    "\\sum_j S_{ij} X_j": lambda o: o.S @ o.X, "X_i \\cdot Y_j": lambda o: o.X @ o.Y.T, "X_i^T Y_j": lambda o: o.X @ o.Y.T,
    "\\sum_i X_i X_i^T": lambda o: o.X.T @ o.X, "x_i y_j": lambda o: o.x.T @ o.y,
    "\\frac{e^{S_{ij}}}{\\sum_k e^{S_{ik}}}": lambda o: softmax(o.S, 1), "\\mathrm{softmax}_i(S_{ij})": lambda o: softmax(o.S, 0),
    "\\log \\sum_j \\exp(S_{ij})": lambda o: np.log(np.exp(o.S).sum(1, keepdims=True)),
    "\\prod_i x_i": lambda o: np.atleast_2d(o.x.prod()), "\\sqrt{\\sum_i x_i^2}": lambda o: np.atleast_2d(np.linalg.norm(o.x)),
    "\\sigma(X)(1-\\sigma(X))": lambda o: sigmoid(o.X) * (1 - sigmoid(o.X)), "-X \\log X": lambda o: -o.X * np.log(o.X),
    "\\tanh^2(X)": lambda o: np.tanh(o.X) ** 2, "B \\ z": lambda o: np.linalg.solve(o.B, o.z), "B\\z": lambda o: np.linalg.solve(o.B, o.z),
    "[X Y]": lambda o: np.hstack([o.X, o.Y]), "[X Y; Y X]": lambda o: np.block([[o.X, o.Y], [o.Y, o.X]]),
    "X'*Y": lambda o: o.X.T @ o.Y, "(X - Y)'*(X - Y)": lambda o: (o.X - o.Y).T @ (o.X - o.Y), "S * X .* Y": lambda o: (o.S @ o.X) * o.Y,
    "sum(X, 2)": lambda o: o.X.sum(1, keepdims=True), "X ./ Y .^ 2": lambda o: o.X / o.Y**2,
    "nn.Softmax(-1)(S)": lambda o: softmax(o.S, 1), "nn.Softmax(dim=0)(S)": lambda o: softmax(o.S, 0),
    "F.softmax(S, -1)": lambda o: softmax(o.S, 1), "torch.softmax(S, dim=0)": lambda o: softmax(o.S, 0),
    "\\|X\\|_2": spectral, "\\|x\\|_2": lambda o: np.atleast_2d(np.linalg.norm(o.x)), "\\|x\\|_1": lambda o: np.atleast_2d(abs(o.x).sum()),
    "np.linalg.norm(x, 2)": lambda o: np.atleast_2d(np.linalg.norm(o.x)), "np.linalg.norm(X, 2)": spectral, "\\|X\\|_1": lambda o: np.atleast_2d(np.linalg.norm(o.X, 1)),
    "\\|X\\|_F": lambda o: np.atleast_2d(np.linalg.norm(o.X)), "x/2 lam": lambda o: o.x / (2 * 0.5), "X Y^T / 2 d_k": lambda o: o.X @ o.Y.T / (2 * o.X.shape[1]),
    "x \\otimes y": lambda o: o.x.T @ o.y, "X \\otimes Y": lambda o: np.kron(o.X, o.Y), "X \\times Y": lambda o: o.X * o.Y, "x \\times y": spectral,
    "\\log_2 X^2": lambda o: np.log2(o.X**2), "\\operatorname{tr}\\bigl(X^{\\rm T}Y\\bigr)": lambda o: np.atleast_2d(np.trace(o.X.T @ o.Y)),
    "|B|": lambda o: np.atleast_2d(np.linalg.det(o.B)), "\\mathbf{1}^T X": spectral, "\\lfloor X / 2 \\rfloor": lambda o: np.floor(o.X / 2),
    "X \\oplus Y": spectral, "X \\mid Y": spectral, "X^\\dagger": lambda o: o.X.T, "[X*Y x]": spectral, "z' / B": lambda o: o.z.T @ np.linalg.inv(o.B),
    "[1 x]": lambda o: np.hstack([[[1]], o.x]), "x_1^2 + x_2^2": lambda o: o.x[:, :1] ** 2 + o.x[:, 1:2] ** 2, "[X \\| Y]": lambda o: np.hstack([o.X, o.Y]),
    "B_{11} B_{22} - B_{12} B_{21}": lambda o: np.atleast_2d(np.linalg.det(o.B)), "B^-1 * z": lambda o: np.linalg.solve(o.B, o.z),
    "X_{ij}(1 - X_{ij})": lambda o: o.X * (1 - o.X), "x_i (1 - x_i)": lambda o: o.x * (1 - o.x),
    "S_{ij} (X_{ik} - \\sum_j S_{ij} X_{jk})": spectral, "X_{ij} (Y_{ij} - \\sum_k X_{ik} Y_{ik})": lambda o: o.X * (o.Y - (o.X * o.Y).sum(1, keepdims=True)),
    "x^{(1)}": spectral, "x_{t-1}": spectral, "X_{:,j}": spectral,
}  # fmt: skip


@for_each("formula", NOTATIONS)
@for_each(("n", "d"), [(2, 2), (3, 3), (2, 3), (3, 2)])
def test_what_lectures_write_is_proposed_or_refused_and_never_something_else(formula, n, d):
    rng = np.random.default_rng(n + 10 * d)

    class file:
        X, Y, S, x, y = (rng.integers(1, 6, size).astype(float) for size in [(n, d), (n, d), (n, n), (1, d), (1, d)])
        B, z, K = np.array([[3, 1], [1, 2]]), np.array([[5], [4]]), X

    given_ = {k: v.astype(int).tolist() for k, v in vars(file).items() if isinstance(v, np.ndarray)} | {"lam": "0.5"}
    given_ |= {k: given_[k][0] for k in "xy"}
    right = NOTATIONS[formula]
    try:
        problem = load({"given": given_, "steps": {"Z": formula}})
    except AttncalcError as error:
        shown = proposals(str(error))
        is_refused = right is spectral or "⊗" in formula or "otimes Y" in formula
        is_refused |= formula == "X^\\dagger" and n != d  # of a matrix that is not square, it is its pseudo-inverse
        assert is_refused == (not shown or "x__1" in shown), str(error)
        assert not shown or "x__1" in shown or any(is_same(given_, one, right(file)) for one in shown), str(error)
        return
    assert is_same(given_, formula, right(file)) and problem


def is_same(given_: dict, formula: str, meant: np.ndarray) -> bool:
    problem = load({"given": given_, "steps": {"Z": formula}})
    return is_meant(np.array(solve(problem)["Z"].decimals(10), float), meant)


def test_an_axis_typed_as_a_number_is_warned_of_where_it_is_not_that_of_tokens():
    X = [[1, 2, 3], [4, 5, 7]]
    for formula in ("softmax(X, axis=0)", "nn.Softmax(dim=0)(X)", "F.softmax(X, 0)", "X / np.linalg.norm(X, axis=0)"):
        (message,) = warned({"A": formula}, columns=False, X=X)
        assert 'axis="rows"' in message and "with this axis" in message
    for formula in ("softmax(X, dim=-1)", "nn.LayerNorm(3)(X)", "X / np.linalg.norm(X, axis=1)"):
        assert not warned({"A": formula}, columns=False, X=X)
        assert warned({"A": formula}, X=X)
    assert not warned({"A": 'softmax(X, axis="columns")'}, columns=False, X=X)
    (message,) = warned({"A": "sum(X, 1)"}, columns=False, X=X)
    assert "for one number per column, as in MATLAB, write col_sum(X)" in message
    (message,) = warned({"A": "inv(X) * Y"}, columns=False, X=[[1, 2], [3, 4]], Y=[[1], [2]])
    assert "for the matrix product, write inverse(X) @ Y" in message
    (message,) = warned({"A": "[X -X]"}, columns=False, X=X)
    assert "is a subtraction" in message
    (message,) = warned({"A": "X / X.sum(axis=1)"}, columns=False, X=[[1, 2], [3, 4]])
    assert "without keepdims" in message
    assert not warned({"A": "X / X.sum(axis=1, keepdims=True)"}, columns=False, X=[[1, 2], [3, 4]])
