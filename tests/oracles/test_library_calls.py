"""A formula of a library comes to what the library makes of it, or its author is warned, or it is refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from tests.support.laws import examples
from tests.support.library_calls import GIVENS, numpy_formulas
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

STORED = json.loads(Path(__file__).with_name("library_calls.json").read_text(encoding="utf-8"))
AT_A_TIME = 40


def of_numpy(formula: str):
    """What NumPy makes of a formula; None where it refuses it, or answers with something else than numbers."""
    kind = int if set("&|") & set(formula) else float
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = np.asarray(
                eval(formula, {"np": np} | {name: np.array(v, kind) for name, v in GIVENS.items()}), float
            )
        except Exception:
            return None
    return value if value.ndim <= 2 and np.isfinite(value).all() else None


def chunks(formulas: list[str]) -> list[list[str]]:
    count = -(-len(formulas) // AT_A_TIME)
    return [formulas[k::count] for k in range(count)]


def verdict(formula: str, value) -> str:
    """Whether a formula is equal to its library's value, warned of, refused, or wrong."""
    try:
        problem = load({"given": GIVENS, "steps": {"A": formula}})
        if any(": A: " in f": {one.message}" for one in problem.warnings):
            return "warned"
        decimals = solve(problem)["A"].decimals(12)
    except AttncalcError:
        return "refused"
    ours, value = np.array([[float(entry) for entry in row] for row in decimals]), np.asarray(value, float)
    if value.ndim == 1 and ours.shape[1] == 1:  # what is of rows stands upright here
        value = value[:, None]
    fits = ours.shape == np.atleast_2d(value).shape
    return "equal" if fits and np.allclose(ours, np.atleast_2d(value), rtol=1e-9, atol=2e-7) else "wrong"


CHUNKS = [(library, chunk) for library in ("torch", "scipy", "jax", "keras") for chunk in chunks([*STORED[library]])]
CHUNKS += [("numpy", chunk) for chunk in chunks(numpy_formulas())]


@for_each(("library", "formulas"), CHUNKS, ids=lambda part: part if isinstance(part, str) else part[0], quick=6, ci=30)
def test_a_formula_means_what_its_library_means_by_it(library, formulas):
    values = {formula: of_numpy(formula) if library == "numpy" else STORED[library][formula] for formula in formulas}
    verdicts = {formula: verdict(formula, value) for formula, value in values.items() if value is not None}
    assert [formula for formula, found in verdicts.items() if found == "wrong"] == []
    assert "equal" in verdicts.values()


# -- proposals for formulas that do not fit here -------------------------------------------------------------------------

VECTORS = {
    "A": [[1, 2, 4], [3, -1, 2], [2, 5, -3]], "B": [[2, -1, 3], [1, 4, -2], [-3, 1, 5]], "C": [[1, -2, 3], [4, 5, -6]],
    "x": [1, -2, 3], "y": [2, 5, -1], "c": [[1], [-2], [4]], "a": 2, "r": [[3, 1, 2]],
}  # fmt: skip
_DRAWN = st.recursive(
    st.sampled_from([*VECTORS, "A[1]", "A[:, 0]", "x[:, None]", "x[None, ::2]", "A.sum(axis=1)", "A @ x", "B @ y"]),
    lambda part: st.one_of(
        st.builds("({} {} {})".format, part, st.sampled_from(["@", "@", "+", "-", "*", "%"]), part),
        st.builds("np.{}({})".format, st.sampled_from(["exp2", "degrees", "cosh", "rint", "flipud", "fliplr"]), part),
        st.builds("np.{}({}, {})".format, st.sampled_from(["maximum", "heaviside", "fmax", "dot"]), part, part),
        st.builds("np.{}([{}, {}])".format, st.sampled_from(["vstack", "hstack", "stack", "column_stack", "array"]), part, part),
        st.builds("np.linalg.norm({}, {}{})".format, part, st.sampled_from(["1", "2", "np.inf", "'fro'"]),
                  st.sampled_from(["", "", ", axis=0", ", axis=1", ", axis=1, keepdims=True"])),
        st.builds("np.{}({}{})".format, st.sampled_from(["sum", "prod", "max", "cumsum", "argmax"]), part,
                  st.sampled_from(["", ", axis=0", ", axis=1", ", axis=-1", ", axis=1, keepdims=True"])),
        st.builds("{}[{}]".format, part, st.sampled_from(["0", "-1", ":, 0", "::-1", "1:", "None"])),
    ),
    max_leaves=4,
)  # fmt: skip


def refusals(givens: dict, formula: str) -> list[str]:
    """The formulas that are proposed for one that does not fit."""
    try:
        load({"given": givens, "steps": {"Z": formula}})
    except AttncalcError as error:
        return proposals(str(error))
    return []


@examples(300)
@given(_DRAWN)
def test_a_proposal_has_the_numbers_of_numpy(formula):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = np.asarray(
                eval(formula, {"np": np} | {name: np.array(v, float) for name, v in VECTORS.items()}), float
            )
        except Exception:  # NumPy refuses it
            return
    if value.ndim > 2 or not value.size or not np.isfinite(value).all() or abs(value).max() > 1e6:
        return
    shown = refusals(VECTORS, formula)
    found = []
    for proposal in shown:
        problem = load({"given": VECTORS, "steps": {"Z": proposal}})
        try:
            decimals = solve(problem)["Z"].decimals(9)
        except AttncalcError:  # a division by zero, which NumPy answers with infinity
            return
        ours = np.array([[float(entry) for entry in row] for row in decimals])
        found.append(ours.T if value.ndim == 1 and ours.shape[1] == 1 else ours)
    lying = np.atleast_2d(value)
    assert not found or any(ours.shape == lying.shape and np.allclose(ours, lying, atol=1e-6) for ours in found), shown


TRANSLATED = {
    "A @ x + B": "(A @ x.T).T + B", "A @ x - A[0]": "A @ x.T - A[0].T", "softmax(A @ x) @ A[1]": "softmax((A @ x.T).T) @ A[1].T",
    "A @ (x + A[0])": "A @ (x.T + A[0].T)", "c + A @ x": "c + (A @ x.T).T", "x * A @ x": "x * A @ x.T",
    "(c * x) @ x": "c * x @ x.T", "np.degrees(c * x)": "c * x * 180 / pi", "np.column_stack([x, c * x])": "hstack(x.T, c * x)",
    "np.exp2(A / A.sum(axis=1))": "2 ** (A / row_sum(A).T)", "np.exp2(x).sum(axis=0)": "sum(2 ** x)",
    "softmax(np.sinh(y), axis=0)": "softmax((exp(y) - exp(-y)) / 2)", "x[None, ::2]": "x[:, ::2]", "x[::2, None]": "x[:, ::2].T",
    "np.flipud(x)": "x[:, ::-1]", "np.vstack([x, A[:, 1]])": "vstack(x, A[:, 1].T)",
    "np.array([x, x]) * x": "vstack(x, x) * x", "A.dot(x)": "A @ x.T", "np.linalg.norm(x, 1)": "sum(abs(x))",
    "np.linalg.norm(c.T, 1)": "max(col_sum(abs(c.T)))", "np.linalg.norm(A, np.inf)": "max(row_sum(abs(A)))",
    "A / np.linalg.norm(A, 1, axis=1)": "A / row_sum(abs(A)).T", "torch.norm(A, 1)": "sum(abs(flat(A)))",
    "np.softmax(A) @ c": "softmax(A) @ c", "np.linalg.norm(r, 1)": "max(col_sum(abs(r)))", "np.trunc(r.T)": "sign(r.T) * floor(abs(r.T))",
    "np.trunc(x.T)": "sign(x) * floor(abs(x))",
}  # fmt: skip


@for_each("formula", TRANSLATED)
def test_one_dimension_lies_along_the_rows_in_a_proposal(formula):
    """Behind NumPy's formula may stand the one of papers, in which a flat list is a column."""
    assert refusals(VECTORS, formula)[:1] == [TRANSLATED[formula]]


def test_a_step_behind_a_step_of_one_dimension_is_translated_too():
    steps = {"h": "A @ x", "Z": "np.exp2(A + h)"}
    with pytest.raises(AttncalcError) as error:
        load({"given": VECTORS, "steps": steps})
    shown = [proposals(str(fault)) for fault in error.value.faults]
    assert shown == [["A @ x.T"], ["2 ** (A + h.T)"]]
    warned = load({"given": VECTORS, "steps": {"h": "A @ x.T", "Z": "A + h"}}).warnings
    assert any("A + h.T" in one.message for one in warned)


@for_each("sign", "&|")
@for_each("number", [1, 2, 3, 5, 7])
def test_bits_of_a_number_are_proposed_by_value_or_not_at_all(sign, number):
    values = {name: np.array(entries) for name, entries in VECTORS.items()}
    for text in ("{} {} {}", "2 * ({} {} {})", "{} {} {} | 3"):
        for name in ("A", "x", "a"):
            formula = text.format(name, sign, number)
            meant = np.atleast_2d(eval(formula, {}, values))
            shown = refusals(VECTORS, formula)
            assert len(shown) <= 1 and (shown or number in (2, 5) or "| 3" in text)
            for proposal in shown:
                decimals = solve(load({"given": VECTORS, "steps": {"Z": proposal}}))["Z"].decimals(0)
                assert np.array_equal(np.array(decimals, float), meant), (formula, proposal)


# Calls that no proposal fits, and the reason in the message.
WITHOUT_A_PROPOSAL = {
    "np.relu(A, B)": "does not know the function relu of NumPy", "A.gather(1, x)": "pick(A, x)", "np.random.power(A, 2)": "the functions of np.random",
    "sorted(x)": "no function sorted", "int(2.7)": "no function int", "tf.cast(A, tf.float32)": "no function cast",
    "nn.SiLU()(C, y)": "needs one matrix", "np.linalg.norm(A, 2)": "the spectral norm",
}  # fmt: skip


@for_each("formula", WITHOUT_A_PROPOSAL)
def test_a_call_that_nothing_fits_has_no_proposal(formula):
    with pytest.raises(AttncalcError) as error:
        load({"given": VECTORS, "steps": {"Z": formula}})
    assert WITHOUT_A_PROPOSAL[formula] in str(error.value) and not proposals(str(error.value)), str(error.value)


def test_a_layer_for_rows_of_another_length_gives_a_warning():
    for formula in (
        "nn.LayerNorm(2)(A)",
        "nn.LayerNorm((2,), eps=1)(A)",
        "nn.RMSNorm(normalized_shape=2)(A)",
        "F.layer_norm(A, [2])",
    ):
        warned = load({"given": VECTORS, "steps": {"Z": formula}}).warnings
        assert any("expects rows with 2 entries" in one.message for one in warned)
        fitting = load({"given": VECTORS, "steps": {"Z": formula.replace("2", "3")}}).warnings
        assert not any("expects rows with" in one.message for one in fitting)


# A list of one row has two dimensions in NumPy, and a flat list has one.
NESTED = ("np.exp(A) + {}.T", "A.argmax(axis=1) + {}.T", "np.column_stack([{0}, np.repeat({0}, 2)])", "np.vstack([A[:, 0], {}])",
          "np.hstack([A[0], {}])", "A.sum(axis=1) * {}", "np.roll({}, 1, axis=0)", "{}.sum(axis=0) / A.sum(axis=1)")  # fmt: skip


@for_each("formula", [text.format(name) for text in NESTED for name in ("x", "r", "(2 * r)", "r[0]")])
def test_a_list_of_one_row_has_two_dimensions(formula):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = np.asarray(eval(formula, {"np": np} | {name: np.array(v, float) for name, v in VECTORS.items()}))
        except ValueError:  # NumPy refuses it
            return
    try:
        problem = load({"given": VECTORS, "steps": {"A_": formula}})
    except AttncalcError:
        return
    if not any("A_:" in each.message for each in problem.warnings):
        ours = np.array(solve(problem)["A_"].decimals(9), float)
        lying = ours.T if value.ndim == 1 and ours.shape[1] == 1 else ours
        assert lying.shape == np.atleast_2d(value).shape and np.allclose(lying, value)
