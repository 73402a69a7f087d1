"""Formulas of textbooks, of MATLAB and of NumPy, drawn with what their own notation gives them, worked out by NumPy: what
is proposed comes to these numbers, or is one of several readings that are shown.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.formula.compat.foreign_functions import foreign_functions
from attncalc.formula.compat.meanings import MEANINGS
from attncalc.formula.functions import functions
from tests.support.laws import examples
from tests.support.proposed import proposals, shapes
from tests.support.sweeps import for_each

Size = tuple[int, int]
N, M = 2, 3


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


FUNCTIONS: dict[str, Callable] = {
    "tanh": np.tanh, "\\tanh": np.tanh, "exp": np.exp, "\\exp": np.exp, "sin": np.sin, "log": np.log, "\\log": np.log,
    "σ": sigmoid, "relu": lambda x: np.maximum(x, 0),
}  # fmt: skip
ENTRY_BY_ENTRY, TOTAL = ("⊙", "\\odot", "∘"), ("Σ", "\\sum")


class Term(NamedTuple):
    """A formula, what it comes to, and how tightly it binds: 0 for a sum, 1 for a product, 2 for a power, 3 for a name."""

    text: str
    value: np.ndarray
    strength: int = 3

    def inside(self, needed: int) -> str:
        return self.text if self.strength >= needed else f"({self.text})"


class Draw:
    """The matrices of a file: A and B square, C wide, x and y columns, and s a number."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        sizes = {"A": (N, N), "B": (N, N), "C": (N, M), "x": (N, 1), "y": (N, 1)}
        self.given = {name: self.entries(size) for name, size in sizes.items()} | {"s": np.array([[0.5]])}
        for name in "AB":
            self.given[name][0, 0] += abs(np.linalg.det(self.given[name])) < 0.5

    def entries(self, size: Size) -> np.ndarray:
        return np.array([[float(self.random.randint(1, 4)) for _ in range(size[1])] for _ in range(size[0])])

    def file(self, formula: str) -> dict:
        lists = {name: value.tolist() for name, value in self.given.items() if value.size > 1}
        lists |= {name: rows[0] for name, rows in lists.items() if len(rows) == 1}
        return {"given": lists | {"s": "0.5"}, "steps": {"Z": formula}}

    def numbers(self, formula: str) -> np.ndarray:
        decimals = solve(load(self.file(formula)))["Z"].decimals(10)
        return np.array([[float(entry) for entry in row] for row in decimals])

    def any(self, *choices: object) -> object:
        return self.random.choice(choices)


class Textbook(Draw):
    """What textbooks write: factors side by side bind tighter than a sign, a power binds to the last letter."""

    def sum(self, size: Size, depth: int) -> Term:
        text, value = self.product(size, depth)[:2]
        while self.random.random() < 0.25:
            other, sign = self.product(size, depth - 1), self.any("+", "-")
            text, value = f"{text} {sign} {other.text}", value + other.value if sign == "+" else value - other.value
        return Term(text, value, 0)

    def product(self, size: Size, depth: int) -> Term:
        match self.random.randrange(9) if depth > 0 else None:
            case 0 | 1:
                above, below = self.side_by_side(size, depth - 1), self.side_by_side((1, 1), depth - 1)
                return Term(f"{above.text}{self.any(' / ', '/')}{below.text}", above.value / below.value, 1)
            case 2:
                a, b = self.side_by_side(size, depth - 1), self.side_by_side(size, depth - 1)
                return Term(f"{a.text} {self.any(*ENTRY_BY_ENTRY)} {b.text}", a.value * b.value, 1)
            case 3 if size == (1, 1):
                total = self.product(self.any((N, 1), (N, N)), depth - 1)
                return Term(f"{self.any(*TOTAL)} {total.text}", np.array([[total.value.sum()]]), 1)
            case 4:
                name, inside = self.any("tanh", "exp", "\\log", "sin"), self.side_by_side(size, depth - 1)
                if inside.text[0] in "ABCxy":
                    return Term(f"{name} {inside.text}", FUNCTIONS[name](inside.value), 1)
        return self.side_by_side(size, depth)

    def side_by_side(self, size: Size, depth: int) -> Term:
        match self.random.randrange(20) if depth > 0 else 0:
            case kind if kind < 9:
                parts = [self.factor(size, depth)]
            case kind if kind < 15:
                middle = self.any(N, N, M, 1)
                parts = [self.factor((size[0], middle), depth - 1), self.factor((middle, size[1]), depth - 1)]
            case kind if kind < 17:
                i, j = self.any(N, M), self.any(N, 1)
                parts = [self.factor(shape, depth - 1) for shape in ((size[0], i), (i, j), (j, size[1]))]
            case _:
                parts = [self.factor((1, 1), depth - 1), self.factor(size, depth - 1)]
        value = parts[0].value
        for part in parts[1:]:
            value = value * part.value if value.size == 1 else value @ part.value
        text = "".join(
            " " * (text[0] not in "(ABCxys" or self.random.random() < 0.6) + text
            for text in (part.text for part in parts)
        ).strip()
        if text[0] in "ABCxys(\\" and self.random.random() < 0.12:
            number = self.random.randint(2, 5)
            return Term(f"{number}{text}", number * value, 1)
        return Term(text, value, 1)

    def factor(self, size: Size, depth: int) -> Term:
        match self.random.randrange(20) if depth > 0 else None:
            case 0 | 1 | 2:
                inside = self.sum(size, depth - 1)
                return Term(f"({inside.text})", inside.value)
            case 3 | 4 | 5:
                name, inside = self.any(*FUNCTIONS), self.sum(size, depth - 1)
                return Term(f"{name}({inside.text})", FUNCTIONS[name](inside.value))
            case 6:
                inside = self.sum(size, depth - 1)
                if not set("|‖") & set(inside.text) and size != (N, N):
                    return Term(f"|{inside.text}|", abs(inside.value))
            case 7 if size == (1, 1):
                inside = self.sum((N, 1), depth - 1)
                if "|" not in inside.text:
                    return Term(f"\\|{inside.text}\\|", np.array([[np.linalg.norm(inside.value)]]))
            case 8 | 9:
                above, below = self.sum(size, depth - 1), self.sum((1, 1), depth - 1)
                return Term(f"\\frac{{{above.text}}}{{{below.text}}}", above.value / below.value)
            case 10 if size == (1, 1):
                inside = self.sum(size, depth - 1)
                return Term(self.any("\\sqrt{%s}", "√(%s)") % inside.text, np.sqrt(inside.value))
        return self.letter(size)

    def letter(self, size: Size) -> Term:
        fits = []
        for name, value in self.given.items():
            square, turned = self.any("^2", "²", "^{2}"), self.any("^T", "ᵀ", "^{\\top}", "^⊤")
            if value.shape == size:
                fits += [Term(name, value)] * 3
                fits.append(Term(name + square, value @ value if size == (N, N) else value**2))
            if value.shape == size == (N, N):
                inverse = np.linalg.inv(value)
                fits += [Term(name + self.any("^{-1}", "^-1", "⁻¹"), inverse), Term(f"{name}^{{-T}}", inverse.T)]
                fits += [Term(f"{name}^{{-2}}", inverse @ inverse), Term(f"{name}^3", value @ value @ value)]
            if value.T.shape == size != (1, 1):
                fits.append(Term(name + turned, value.T))
        if fits:
            return self.any(*fits)
        inside = self.sum(size, 2)
        return Term(f"({inside.text})", inside.value)


class Matlab(Draw):
    """What MATLAB reads: * / and \\ are of matrices, their kin with a point are of entries, from the left. A list is a row."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.given["r"] = self.entries((1, N))

    def sum(self, size: Size, depth: int) -> Term:
        match self.random.randrange(12) if depth > 0 else None:
            case 0 | 1:
                a, sign = self.sum(size, depth - 1), self.any("+", "-")
                b = self.sum(self.any(size, (1, size[1]), (size[0], 1)), depth - 1)
                return Term(
                    f"{a.text} {sign} {b.inside(1)}", a.value + b.value if sign == "+" else a.value - b.value, 0
                )
            case 2 | 3:
                middle = self.any(N, M, 1)
                a, b = self.sum((size[0], middle), depth - 1), self.sum((middle, size[1]), depth - 1)
                return Term(f"{a.inside(1)}{self.any('*', ' * ')}{b.inside(2)}", a.value @ b.value, 1)
            case 4 | 5:
                a, sign = self.sum(size, depth - 1), self.any(".*", "./", ".\\")
                b = self.sum(self.any(size, (1, size[1]), (size[0], 1)), depth - 1)
                value = {".*": np.multiply, "./": np.divide, ".\\": lambda a, b: b / a}[sign](a.value, b.value)
                return Term(f"{a.inside(1)} {sign} {b.inside(2)}", value, 1)
            case 6:
                a, power = self.sum(size, depth - 1), self.any(2, 3, -1)
                return Term(f"{a.inside(3)}.^{power}", a.value**power, 2)
            case 7:
                a = self.sum(size[::-1], depth - 1)
                return Term(f"{a.inside(3)}'", a.value.T)
            case 8 if size[0] == N:
                a, b = self.letter((N, N)), self.sum(size, depth - 1)
                return Term(f"{a.text} \\ {b.inside(2)}", np.linalg.solve(a.value, b.value), 1)
            case 9 if size[1] == N:
                a, b = self.sum(size, depth - 1), self.letter((N, N))
                return Term(f"{a.inside(1)} / {b.inside(2)}", a.value @ np.linalg.inv(b.value), 1)
            case 10 if size == (N, N):
                a, power = self.letter(size), self.any(2, 3, -1)
                return Term(f"{a.inside(3)}^{power}", np.linalg.matrix_power(a.value, power), 2)
        return self.letter(size)

    def letter(self, size: Size) -> Term:
        fits = [Term(name, value) for name, value in self.given.items() if value.shape == size]
        fits += [Term(f"{name}'", v.T) for name, v in self.given.items() if v.T.shape == size != (1, 1)]
        if fits:
            return self.any(*fits)
        a, b = self.letter((size[0], N)), self.letter((N, size[1]))
        return Term(f"({a.text}*{b.text})", a.value @ b.value)


def is_same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and np.allclose(a, b, atol=1e-7, rtol=1e-7)


def check_proposals(drawn: Draw, text: str, meant: np.ndarray) -> None:
    """Every proposal is read and has the shape beside it, and one of them comes to what is meant."""
    try:
        load(drawn.file(text))
    except AttncalcError as error:
        message = str(error)
    else:
        event("can be read")
        return
    shown = proposals(message)
    event(f"{len(shown)} readings")
    plans = [load(drawn.file(formula)).plan for formula in shown]
    assert [next(iter(plan.steps())).shape for plan in plans] == shapes(message), message
    values = []
    for formula in shown:
        try:
            values.append(drawn.numbers(formula))
        except AttncalcError as error:  # the logarithm of 0, which floats missed
            assert any(fault in str(error) for fault in ("division by zero", "log", "sqrt", "larger than")), message
            return
    assert not shown or any(is_same(value, meant) for value in values), message


@examples(2000)
@given(st.integers(0, 2**40), st.sampled_from([Textbook, Matlab]), st.integers(1, 3))
def test_a_proposal_has_the_value_of_its_notation(seed, notation, depth):
    drawn = notation(seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            term = drawn.sum(drawn.any((N, 1), (N, N), (1, 1), (N, M), (1, N)), depth)
        except (RecursionError, np.linalg.LinAlgError):
            return
    if len(term.text) > 90 or not np.isfinite(term.value).all() or abs(term.value).max() > 1e7:
        return
    check_proposals(drawn, term.text, term.value)


# What each means, the textbook's reading first, for the matrices of Draw(1); [] where nothing is sound.
MEANT = {
    "x^T A x / x^T x": ["x.T @ A @ x / (x.T @ x)"], "AB^{-1}": ["A @ inverse(B)"], "sx^2": ["s * x ** 2"],
    "AB^2": ["A @ (B @ B)", "A @ B ** 2"], "AB^T": ["A @ B.T"], "(AB)^T": ["(A @ B).T"], "A^2x": ["A @ A @ x", "A ** 2 @ x"],
    "A/2B": ["A / (2 * B)", "A / 2 @ B"], "\\sum_i |x_i - y_i|": ["sum(abs(x - y))"],
    "tanh A x": ["tanh(A @ x)", "tanh(A) @ x"], "\\log s x": ["log(s * x)", "log(s) * x"],
    "\\log s / s": ["log(s / s)", "log(s) / s"], "A^{-2}": ["inverse(A @ A)", "A ** -2"], "A^s": [], "A^{1/2}": [],
    "A^0": ["identity(rows(A))", "A ** 0"], "A.\\B": ["B / A"], "A''": ["A"], "nn.LayerNorm((2, 2))(A)": [],
    "(A > 2) ^ (B > 0)": ["(A > 2) != (B > 0)"],
    "A[[0, 1], [1, 1]]": ["hstack(A[0, 1], A[1, 1])", "A[[0, 1]][:, [1, 1]]"], "A^{-T}": ["inverse(A.T)"],
    "tr A": ["trace(A)"], "\\det A": ["det(A)"], "x^TAx": ["x.T @ A @ x"], "A[None]": [], "A / n": ["A / rows(A)"],
    "\\frac{1}{n} \\sum_i x_i": ["1 / rows(x) * sum(x)"], "1/n \\sum_i x_i": ["1 / rows(x) * sum(x)"],
    "A * BA": ["A * (B @ A)"], "5% A": [], "\\sqrt[3]{x}": [], "\\sin^{-1} x": [], "A^{tr}": [], "2^3^2": [],
    "√2s": ["sqrt(2) * s", "sqrt(2 * s)"], "e^2s": [], "x ⋅ y": ["x.T @ y"],
    "|x||y|": ["abs(x) * abs(y)", "norm(x) * norm(y)", "abs(x).T @ abs(y)"], "x || y": [], "sexp(x)": ["s * exp(x)"],
    "\\|y/s\\|s^{2}": ["norm(y / s) * s ** 2"], "y_i = A_{ij} x_j": ["A @ x"],
    "y_i = A_{ij} x_j + y_i": ["A @ x + y"], "A .* B^2": ["A * (B @ B)"], "B .^ 2 + A^2": ["B ** 2 + A @ A"],
    "A ./ sum(A)": ["A / col_sum(A)", "A / sum(A)"], "A ./ norm(A)": [], "A' .\\ B": ["B / A.T"],
    "A ⊙ B x": ["A * (B @ x)", "A * B @ x"], "3y^T log(Axx^T)": ["3 * y.T @ log(A @ x @ x.T)"],
}  # fmt: skip


@for_each("text", MEANT)
def test_a_notation_is_proposed_in_each_of_its_readings(text):
    drawn = Draw(1)
    with pytest.raises(AttncalcError) as error:
        load(drawn.file(text))
    shown = proposals(str(error.value))
    assert sorted(shown) == sorted(MEANT[text]), str(error.value)
    assert shown[:1] == MEANT[text][:1]
    assert [drawn.numbers(formula).shape for formula in shown] == shapes(str(error.value))


# -- names of libraries ------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=2, ci=4)
@pytest.mark.parametrize("arguments", ["A", "A, B", "A / 5", "-1.5 * A"])
def test_a_function_of_numpy_is_proposed_as_what_numpy_makes_of_it(arguments):
    drawn = Draw(3)
    known = {name: drawn.given[name] for name in "AB"}
    values = [eval(argument, {}, known) for argument in arguments.split(", ")]  # of the list above
    for name in sorted(foreign_functions() | {"square", "subtract", "zeros_like", "log1p", "cumsum", "pow"}):
        formula = f"np.{name}({arguments})"
        try:
            load(drawn.file(formula))
        except AttncalcError as error:
            shown = proposals(str(error))
        else:
            continue
        for proposal in shown:
            if not proposal.startswith("{"):  # a lesson, which is no formula
                load(drawn.file(proposal))
        if shown and (meant := numpys(name, values)) is not None and np.isfinite(meant).all():
            assert any(is_same(drawn.numbers(one), meant) for one in shown), (formula, shown)


def numpys(name: str, values: list[np.ndarray]) -> np.ndarray | None:
    function = getattr(np, name, None)
    try:
        with np.errstate(all="ignore"):
            return np.atleast_2d(np.asarray(function(*values), float))
    except (TypeError, ValueError):
        return None


ENTRIES = {  # of libraries that are not at hand
    "expit": sigmoid, "logit": lambda x: np.log(x / (1 - x)), "relu6": lambda x: np.clip(x, 0, 6), "exp10": lambda x: 10**x,
    "softsign": lambda x: x / (1 + abs(x)), "logsigmoid": lambda x: np.log(sigmoid(x)), "hardtanh": lambda x: np.clip(x, -1, 1),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))), "tanhshrink": lambda x: x - np.tanh(x), "entr": lambda x: -x * np.log(x),
    "softmin": lambda x: np.exp(-x) / np.exp(-x).sum(1, keepdims=True), "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "hardsigmoid": lambda x: np.clip(x + 3, 0, 6) / 6, "sec": lambda x: 1 / np.cos(x), "cot": lambda x: 1 / np.tan(x),
    "csc": lambda x: 1 / np.sin(x),
}  # fmt: skip


@for_each("name", ENTRIES)
def test_a_function_of_another_library_is_proposed_as_what_it_is(name):
    drawn = Draw(2)
    with pytest.raises(AttncalcError) as error:
        load(drawn.file(f"{name}(A / 5)"))
    (shown,) = proposals(str(error.value))
    assert is_same(drawn.numbers(shown), ENTRIES[name](drawn.given["A"] / 5))


def test_a_name_of_a_library_is_no_misspelling():
    drawn = Draw(1)
    for name in sorted(foreign_functions() - MEANINGS.keys()):
        try:
            load(drawn.file(f"{name}(A)"))  # some are read as what they are
        except AttncalcError as error:
            assert not proposals(str(error)), str(error)
    assert not foreign_functions() & functions().keys()
    with pytest.raises(AttncalcError, match="did you mean softmax"):
        load(drawn.file("sofmax(A)"))


# What MATLAB and paper mean by a flat list, MATLAB's reading first: x is a row there, and a column on paper.
FLAT = {
    "A - r'": ["A - r.T", "A - r"], "A.*r'": ["A * r.T", "A * r"], "A*r' + B": ["A @ r.T + B", "A * r.T + B"],
    "[1;2]*r": ["vstack(1, 2) @ r", "vstack(1, 2) * r"], "diag(A)'": ["diag(A)"], "A^2*x": ["A @ A @ x", "A ** 2 * x"],
    "A^2*B": ["A @ A @ B", "A ** 2 * B"], "A^T*x": ["A.T @ x", "A.T * x"], "A*[1;2]": ["A @ vstack(1, 2)", "A * vstack(1, 2)"],
    "A + r^T": ["A + r.T", "A + r"], "r'*A": ["r.T * A", "r @ A"], "A'&B": ["(A.T != 0) * (B != 0)"],
    "std(r)'": ["std(r, ddof=1).T", "std(r).T"], "ones(2)*A'": ["ones(2, 2) @ A.T", "ones(2, 2) * A.T"],
    "norm(A.*B)": [], "norm(A')": [], "norm(r')": ["norm(r.T)"], "r' - norm(A')": [], "A*r' + norm(A)": [], "e^A": [], "e^r": ["e ** r", "exp(r)"], "C^T*C": ["C.T @ C"], "C^t": ["C ** t"], "C^T": ["C.T", "C ** T"],
}  # fmt: skip


@for_each("text", FLAT)
def test_a_flat_list_is_a_row_in_matlab_and_a_column_on_paper(text):
    drawn = Matlab(1)
    file = drawn.file(text)
    file["given"] |= {"t": 2, "T": 2} if text == "C^T" else {"t": 2}
    with pytest.raises(AttncalcError) as error:
        load(file)
    assert proposals(str(error.value)) == FLAT[text], str(error.value)
    assert "entries_" not in str(error.value)


@for_each(("text", "meant"), [
    ("1/2 Z", ["1 / 2 * Z"]), ("s/Z x", ["s / (Z @ x)"]), ("1/(A-A) B", []), ("log Z", ["log(Z)"]), ("1/2 A", ["1 / (2 * A)", "1 / 2 * A"]),
])  # fmt: skip
def test_a_reading_that_divides_by_zero_is_not_proposed(text, meant):
    file = Draw(1).file(text)
    file["given"]["Z"] = [[0, 1], [2, 3]]
    file["steps"] = {"Y": file["steps"].pop("Z")}
    with pytest.raises(AttncalcError) as error:
        load(file)
    assert proposals(str(error.value)) == meant
