"""The first file of an author: every fault is told in one run, each with a formula that can be pasted, and then it is right."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.api import loads
from attncalc.problem.loader import read_problem
from tests.support.laws import examples
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

FAULT = re.compile(r"^problem\.steps\.([^:]+): ")


def faults(problem: dict) -> list[str]:
    try:
        load(problem)
    except AttncalcError as error:
        return str(error).splitlines()
    return []


def pasted(problem: dict) -> dict:
    """The problem with what each message proposes in place of the step's formula; every fault must propose one."""
    steps = dict(problem["steps"])
    for line in faults(problem):
        (name,) = FAULT.match(line).groups()  # type: ignore[union-attr]
        steps[name] = proposals(line)[0]
    return problem | {"steps": steps}


def numbers(problem: dict, step: str) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in solve(load(problem))[step].decimals(10)])


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


# -- exercises as lecturers type them -------------------------------------------------------------------------------------

W, U = [[1, 0], [0.5, -1]], [[0, 1], [1, 0]]
H = [[1, 0], [0, 1], [1, -1]]


def encoder() -> np.ndarray:
    h, states = np.zeros(2), []
    for x in ([1, 0], [0, 1], [1, 1]):
        h = np.tanh(np.array(W) @ x + np.array(U) @ h)
        states.append(h)
    return softmax(np.array(states) @ [1, 0.5]) @ np.array(states)


def gated() -> np.ndarray:
    w, u, h, s = np.array(W), np.array(U), np.array(H), np.array([0, 1])
    x = np.array([1, 1]) + softmax(np.tanh(s @ w + h @ u) @ [1, -1]) @ h
    z, r = sigmoid(w @ x + u @ s), sigmoid(u @ x + w @ s)
    return (1 - z) * s + z * np.tanh(w @ x + u @ (r * s))


def state_space() -> np.ndarray:
    a = np.array([[-1, 0], [1, -2]])
    m = np.linalg.inv(np.eye(2) - a / 4)
    a_bar, b_bar, x = m @ (np.eye(2) + a / 4), m @ [0.5, 0], np.zeros(2)
    for u in (1, 0, 2, -1):
        x = a_bar @ x + b_bar * u
    return x.sum()


def selective() -> np.ndarray:
    h, found = np.zeros(2), []
    for x in (1, -1, 2):
        step = np.log1p(np.exp(0.5 * x + 0.1))
        h = np.exp(step * np.array([-1, -2])) * h + step * np.array([1, 0.5]) * x
        found.append(h @ [1, -1])
    return np.array(found)


def linear() -> np.ndarray:
    q, k, v = (np.array(m, float) for m in ([[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 2], [3, 0]]))
    weights = np.tril((q + 1) @ (k + 1).T)
    return weights @ v / weights.sum(1, keepdims=True)


SYSTEM = {"A": [[-1, 0], [1, -2]], "B": [[1], [0]], "C": [[1, 1]], "D": "1/2", "u": [1, 0, 2, -1]}
DISCRETE = {"I": "eye(2)", "M": "inv(I - D/2 * A)", "A_bar": "M @ (I + D/2 * A)", "B_bar": "M @ (D * B)"}
EXERCISES = {
    "a recurrent encoder with attention": (
        {"x_1": [1, 0], "x_2": [0, 1], "x_3": [1, 1], "W": W, "U": U, "s": [1, 0.5]},
        {
            "h_1": "tanh(W x_1)",
            "h_2": "tanh(W @ x_2 + U h_1)",
            "h_3": "tanh(W @ x_3 + U @ h_2)",
            "H": "vstack(h_1.T, h_2.T, h_3.T)",
            "e": "H @ s",
            "alpha": "softmax(e)",
            "c": "H.T alpha",
        },
        encoder,
    ),
    "a gated decoder with additive attention": (
        {"s": [0, 1], "y": [1, 1], "H": H, "W": W, "U": U, "v": [1, -1]},
        {
            "e": "tanh(s @ W + H @ U) @ v",
            "alpha": "softmax(e)",
            "c": "alpha @ H",
            "x": "y + c",
            "z": "σ(W x + U s)",
            "r": "σ(U x + W s)",
            "h": "tanh(W x + U (r ⊙ s))",
            "s_new": "(1 - z) ⊙ s + z ⊙ h",
        },
        gated,
    ),
    "a state space model as a convolution": (
        SYSTEM,
        DISCRETE
        | {
            "K_1": "C @ A_bar^2 @ B_bar",
            "K_2": "C A_bar³ B_bar",
            "y": "K_2 * u[0] + K_1 * u[1] + C @ A_bar @ B_bar * u[2] + C @ B_bar * u[3]",
        },
        state_space,
    ),
    "a state space model as a recurrence": (
        SYSTEM,
        DISCRETE
        | {
            "x_1": "B_bar * u[0, 0]",
            "x_2": "A_bar @ x_1 + B_bar * u[1]",
            "x_3": "A_bar @ x_2 + B_bar * u[2]",
            "x_4": "A_bar x_3 + B_bar * u[3]",
            "y": "C x_4",
        },
        state_space,
    ),
    "a selective state space": (
        {"x": [1, -1, 2], "A": [-1, -2], "B": [1, 0.5], "C": [1, -1]},
        {
            "d": "softplus(0.5 * x + 0.1)",
            "h_0": "zeros(2)",
            "h_1": "exp(d[0] * A) * h_0 + d[0] * B * x[0]",
            "h_2": "exp(d[1] * A) * h_1 + d[1] * B * x[1]",
            "h_3": "exp(d[2] * A) * h_2 + d[2] * B * x[2]",
            "y": "[C @ h_1, C @ h_2, C @ h_3]",
        },
        selective,
    ),
    "linear attention as a recurrence": (
        {"Q": [[1, 0], [0, 1]], "K": [[0, 1], [1, 0]], "V": [[1, 2], [3, 0]]},
        {
            "S_1": "zeros_like(V) + outer(K[0] + 1, V[0])",
            "z_1": "np.zeros(2) + K[0] + 1",
            "y_1": "(Q[0] + 1) @ S_1 / ((Q[0] + 1) @ z_1)",
            "S_2": "S_1 + outer(K[1] + 1, V[1])",
            "z_2": "z_1 + K[1] + 1",
            "y_2": "(Q[1] + 1) @ S_2 / ((Q[1] + 1) @ z_2)",
            "Y": "vstack(y_1, y_2)",
        },
        linear,
    ),
}


@for_each("exercise", EXERCISES)
def test_an_exercise_is_right_once_its_messages_are_pasted(exercise):
    givens, steps, oracle = EXERCISES[exercise]
    first = {"given": givens, "steps": steps}
    assert faults(first)
    assert np.allclose(numbers(pasted(first), list(steps)[-1]).ravel(), np.ravel(oracle()), atol=1e-9)


STYLES = ["{} {}", "{} @ {}", "{} . {}", "({}) @ {}", "{}({} + 0)"]


@examples(40)
@given(st.lists(st.sampled_from(STYLES), min_size=2, max_size=6), st.booleans())
def test_the_faults_of_a_whole_recurrence_are_told_at_once(styles, entries):
    """However a matrix times a flat list is written in each step, and whichever step its fault hides."""
    givens: dict = {"W": W, "U": U, "b": [0.5, -1], "u": list(range(1, len(styles) + 1))}
    steps, h = {"h_0": "W @ b"}, np.array(W) @ [0.5, -1]
    for k, style in enumerate(styles):
        entry = f"u[{k}]" if entries and k else f"u[0, {k}]"
        steps[f"h_{k + 1}"] = f"{style.format('W', 'b')} * {entry} + {style.format('U', f'h_{k}')}"
        h = np.array(W) @ [0.5, -1] * (k + 1) + np.array(U) @ h
    mended = pasted({"given": givens, "steps": steps})
    assert np.allclose(numbers(mended, f"h_{len(styles)}").ravel(), h, atol=1e-9)


def test_a_step_behind_a_guess_is_told_only_where_something_can_be_proposed():
    givens = {"A": [[1, 2], [3, 4], [5, 6]], "x": [1, 2]}
    told = faults({"given": givens, "steps": {"B": "A x", "C": "B @ nothing", "D": "B + A.T", "E": "A @ B.T @ C"}})
    assert len(told) == 3 and proposals(told[0]) == ["A @ x.T"] and told[1].endswith("nothing is not defined")
    assert proposals(told[2]) == ["B.T + A.T"]  # in NumPy, A @ x lies along the rows
    told = faults({"given": givens, "steps": {"B": "A ! x", "C": "B @ x", "D": "C @ B"}})
    assert told == ["problem.steps.B: B: expected a formula, found 'A ! x'"]


# -- a softmax that does nothing ------------------------------------------------------------------------------------------


@for_each("formula", ["softmax(e)", "softmax(e, dim=-1)", "log_softmax(e)", "2 * softmax(2 * e, base=2)"])
def test_a_softmax_of_each_row_of_a_column_gets_a_warning(formula):
    problem = {"given": {"e": [[1], [2], [4]]}, "steps": {"A": formula}}
    (warned,) = load(problem).warnings
    (proposed,) = proposals(warned.message)
    assert "is a column, 3 × 1, and softmax works on each row" in warned.message
    assert not load(problem | {"steps": {"A": proposed}}).warnings and len(set(numbers(problem, "A").flat)) == 1
    assert len(set(numbers(problem | {"steps": {"A": proposed}}, "A").flat)) == 3


@pytest.mark.parametrize(
    "work",
    [
        {"steps": {"A": 'softmax(e, axis="rows")', "B": 'softmax(e, axis="columns")', "C": "softmax(e[0])"}},
        {"attention": {"Q": "e", "K": "e[0]", "V": "e[0]"}},
    ],
)
def test_a_column_of_weights_may_be_asked_for(work):
    assert not load({"given": {"e": [[1], [2], [4]]}} | work).warnings


# -- a lesson's name stands for its result --------------------------------------------------------------------------------


def test_the_name_of_a_lesson_stands_for_its_last_step():
    givens = {"q": [1, 0, 2, 1], "k": [0, 1, 1, 1]}
    steps: dict = {f"{name}_{m}": {"rotary": {"X": name, "start": m}} for name, m in (("q", 3), ("k", 1), ("q", 5))}
    steps |= {"k_3": {"rotary": {"X": "k", "start": 3}}, "near": "dot(q_3, k_1)", "far": "dot(q_5.X_rot, k_3)"}
    solution = solve(load({"given": givens, "steps": steps}))
    assert solution["near"].decimals(8) == solution["far"].decimals(8)
    assert solution["near"].formula == "dot(q_3.X_rot, k_1.X_rot)"
    steps |= {"scores": {"attention": {"Q": "q_3", "K": "k_1", "V": "k_1"}}, "out": "2 * scores"}
    assert solve(load({"given": givens, "steps": steps}))["out"].formula == "2 * scores.Z"


def test_the_name_of_a_lesson_with_a_fault_says_nothing_more():
    told = faults({"given": {"q": [1, 0]}, "steps": {"r": {"rotary": {"X": "q", "strt": 3}}, "s": "r @ r.T"}})
    assert len(told) == 1 and "did you mean start?" in told[0]


# -- masks and arguments ----------------------------------------------------------------------------------------------------

HEAD = "given: {X: [[1, 0], [0, 1]], M: [[1, 2], [0, 1], [1, 1]], W_Q: [[1, 0], [0, 1]], W_K: [[1, 1], [0, 1]], "
HEAD += "W_V: [[1, 2], [3, 4]], hidden: [[0, 0, 1]], memory: [[1, 1], [2, 0], [0, 1]]}\n"
TOLD = {
    "self_attention: {mask: sliding_window(2)}": "did you mean band(1, 0)? With that a token attends to itself "
    "and 1 before it",
    "self_attention: {window: 3}": "did you mean mask: band(2, 0)?",
    "cross_attention: {memory: M, key_padding_mask: [False, False, True]}": "did you mean mask: [1, 1, 0]? Its 1 means",
    "cross_attention: {memory: M, key_padding_mask: hidden}": "did you mean mask: 1 - hidden?",
    "multi_head_attention: {heads: 2, mask: [1, 1, 0]}": "multi_head_attention uses the given memory only if",
    "ngram_perplexity: {corpus: the cat sat . it sat, sentence: it sat, smoothing: 1}": "'smoothing'; did you mean add?",
    "patch_embedding: {X: M, patch_size: 2}": "'patch_size'; did you mean patch?",
}


@for_each(("written", "said"), TOLD.items())
def test_what_libraries_call_masks_and_arguments_is_answered(written, said):
    with pytest.raises(AttncalcError) as error:
        read_problem(HEAD + written, "p.yaml", "p")
    assert said in str(error.value) and "expected a formula" not in str(error.value)


def test_a_padding_mask_as_it_is_proposed_works():
    listed = read_problem(HEAD + "cross_attention: {memory: M, mask: [1, 1, 0]}", "p.yaml", "p")
    turned = read_problem(HEAD + "cross_attention: {memory: M, mask: 1 - hidden}", "p.yaml", "p")
    assert solve(listed)["Z"].decimals(8) == solve(turned)["Z"].decimals(8)
    assert [row[2] for row in solve(listed)["A"].decimals(2)] == ["0.00", "0.00"]


def test_an_input_that_must_be_named_gets_a_warning_that_names_it():
    warned = read_problem(HEAD + "multi_head_attention: {heads: 2}", "p.yaml", "p").warnings
    assert any("memory only if you write memory: memory" in str(one) for one in warned)


def test_rows_in_a_list_get_a_warning():
    def warned(formula: list) -> list[str]:
        problem = load({"given": {"a": [1, 2], "b": [3, 4], "x": 1}, "steps": {"Y": formula}})
        return [str(one.message) for one in problem.warnings if "side by side" in str(one)]

    assert "(1 × 4); to put them below each other, write vstack(a, b)" in warned(["a", "b"])[0]
    assert not warned(["x", "a[0, 1]"]) and not warned(["a"]) and not warned([["x", 2], [3, 4]])


@pytest.mark.parametrize(("formula", "product"), [("W · W + 1", "W @ W"), ("2 · W", ""), ("x · W", "")])
def test_a_dot_between_matrices_gets_a_warning(formula, product):
    warned = [str(one) for one in load({"given": {"W": W, "x": 3}, "steps": {"Y": formula, "Z": "x * W"}}).warnings]
    assert len(warned) == bool(product) and all(f"for the matrix product, write {product}" in one for one in warned)


def test_a_flat_list_beside_a_column_that_a_proposal_made_is_turned_too():
    givens = {"x": [1, -1], "W": W}
    steps = {"T": "σ(W x - 1)", "H": "tanh(U x)", "y": "T * H + (1 - T) * x", "n": "T + H"}
    told = faults({"given": givens | {"U": U}, "steps": steps})
    assert len(told) == 3 and proposals(told[2]) == ["T * H + (1 - T) * x.T"]
    t, h = sigmoid(np.array(W) @ [1, -1] - 1), np.tanh(np.array(U) @ [1, -1])
    found = numbers(pasted({"given": givens | {"U": U}, "steps": steps}), "y")
    assert np.allclose(found.ravel(), t * h + (1 - t) * [1, -1])


def test_warnings_are_told_beside_faults():
    told = faults({"given": {"u": [1, 2], "B": [[1], [2]]}, "steps": {"x": "B * u[0]", "y": "B * u[1]"}})
    fault, warning = sorted(told, key=lambda line: "warning" in line)
    assert warning.endswith("warning: x: u[0] is the whole row u (1 × 2); for the first entry, write u[0, 0]")
    assert proposals(fault) == ["B * u[0, 1]"]


# -- words where numbers should stand ----------------------------------------------------------------------------------------

WORDS = {
    "given: {X: [[1, 2], [a, 3]]}\nsteps: {Y: X}": "X, row 2, column 1: expected a number; a is not defined",
    "given: {n: two}\nsteps: {Y: n}": "n: expected a number; two is not defined",
    "given: {W_Q: [[1]], X: w_q}\nsteps: {Y: W_Q}": "X: expected a number; w_q is not defined; did you mean W_Q?",
    "given: {tokens: [the, cat, sat]}\nsteps: {Y: tokens}": "to label the rows of a matrix, write tokens: {rows: [the, cat",
    "given: {X: {rows: [the cat, dog], values: [[1], [3]]}}\nsteps: {Y: X[dog]}": 'did you mean X["dog"] (1 × 1)?',
}


@for_each(("text", "said"), WORDS.items())
def test_a_word_where_a_number_should_stand(text, said):
    with pytest.raises(AttncalcError) as error:
        read_problem(text, "p.yaml", "p")
    assert said in str(error.value) and len(str(error.value).splitlines()) == 1


@examples(60)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_words_as_numbers_are_numbers_or_told(words):
    try:
        load({"given": {"t": words}, "steps": {"Y": "t"}})
    except AttncalcError as error:
        assert all(len(line) < 1_100 for line in str(error).splitlines())


# -- powers of matrices --------------------------------------------------------------------------------------------------------


def test_powers_of_a_matrix():
    a, c = [[0.5, 1], [0.25, 2]], [[1, 1]]
    steps = {"P": "np.linalg.matrix_power(A, 3)", "I": "np.linalg.matrix_power(A, -1)"}
    assert np.allclose(numbers({"given": {"A": a}, "steps": steps}, "P"), np.linalg.matrix_power(np.array(a), 3))
    assert np.allclose(numbers({"given": {"A": a}, "steps": steps}, "I"), np.linalg.inv(np.array(a)))
    assert "a whole number from 1 to 9" in faults({"given": {"A": a}, "steps": {"P": "matrix_power(A, 99)"}})[0]
    meant = {"C @ A^2 @ C^T": "C @ (A @ A) @ C.T", "A^-1 @ A": "inverse(A) @ A", "A⁻¹": "inverse(A)", "(C - 1)^2": None}
    for formula, proposed in meant.items():
        told = faults({"given": {"A": a, "C": c}, "steps": {"Y": formula}})
        assert proposals(told[0])[0] == (proposed or "(C - 1) ** 2")


# -- entropies, fractions and products as on paper ----------------------------------------------------------------------


def test_zero_times_its_logarithm_is_told_how_to_count_as_zero():
    problem = {"given": {"S": [[1, "-inf", 0]]}, "steps": {"P": "softmax(S)", "H": "-sum(P * log2(P))"}}
    with pytest.raises(AttncalcError, match=r"write xlogy\(A, B\) instead of A \* log\(B\), or entropy\(P\)"):
        numbers(problem, "H")
    steps = {"P": "softmax(S)", "H": "entropy(P, base=2)", "G": "-torch.xlogy(P, P).sum() / log(2)"}
    p = softmax(np.array([1.0, 0.0]))
    assert np.allclose(numbers(problem | {"steps": steps}, "H"), -(p * np.log2(p)).sum())
    assert np.allclose(numbers(problem | {"steps": steps}, "G"), -(p * np.log2(p)).sum())


PAPER = {
    "½ ||u - v||²": "1 / 2 * norm(u - v) ** 2",
    "⅓u": "1 / 3 * u",
    "u_1 · u": "u_1 @ u.T",
    "u_1 · v / (||u_1|| ||v||)": "u_1 @ v.T / (norm(u_1) * norm(v))",
    "2 · u v": "2 * u @ v.T",
    "u (v - 1) / 2": "u * (v - 1) / 2",
    "min(u v, u_1 v)": "minimum(u * v, u_1 * v)",
    "¼ Σ (u - v)²": "1 / 4 * sum((u - v) ** 2)",
    "Σ u² / 2": "sum(u ** 2 / 2)",
    "√u²": "sqrt(u ** 2)",
    "-Σ log(σ(-u)) + 1": "-sum(log(sigmoid(-u))) + 1",
    "Σ_i u v - Σ_{i} (u - v) u": "sum(u * v) - sum((u - v) * u)",
    "max(Σ u, 2) Σ v": "maximum(sum(u), 2) * sum(v)",
}


@for_each(("formula", "proposed"), PAPER.items())
def test_fractions_and_products_of_paper(formula, proposed):
    givens = {"u": [1, 2], "v": [3, 1], "u_1": [0, 1]}
    told = faults({"given": givens, "steps": {"y": f"{formula} × ½" if formula == "u_1 · u" else formula}})
    assert proposals(told[0])[0] == f"{proposed}{' * (1 / 2)' if formula == 'u_1 · u' else ''}"
    assert not faults({"given": givens, "steps": {"y": proposed}})


MEANT = {
    "½ u^T v": "1 / 2 * u @ v.T",
    "u^T v / (||u|| ||v||)": "u @ v.T / (norm(u) * norm(v))",
    "u^T S^2 v": "u @ (S @ S) @ v.T",
    "softmax(β S μ)": 'softmax(beta * S @ mu.T, axis="columns")',
    "-logsumexp(S v)": '-logsumexp(S @ v.T, axis="columns")',
    "½ S + ½ I": "1 / 2 * S + 1 / 2 * identity(2)",
    "(S - λ I) v": "(S - lam * identity(2)) @ v.T",
}


@for_each("formula", MEANT)
def test_vectors_identities_and_greek_letters_of_paper(formula):
    """Paper's vectors are columns, its I is the identity, and a letter and its name are one."""
    givens = {"u": [1, 2], "v": [3, 1], "S": [[1, 2], [0, 1]], "beta": 2, "mu": [1, 1], "lam": 3}
    (told,) = faults({"given": givens, "steps": {"y": formula}})
    assert MEANT[formula] in proposals(told)
    assert not faults({"given": givens, "steps": {"y": MEANT[formula]}})


@for_each(("name", "other"), [("ξ", "xi"), ("beta_1", "β_1"), ("λ", "lam"), ("lambda_q", "λ_q"), ("Δ", "D")])
def test_a_letter_and_its_name_are_near(name, other):
    (told,) = faults({"given": {other: 2}, "steps": {"y": f"1 + {name}"}})
    assert proposals(told) == ([f"1 + {other}"] if other != "D" else [])


def test_a_broken_step_is_not_taken_for_the_entry_of_a_list():
    told = faults({"given": {"x": [1, 2], "W": W}, "steps": {"x_1": "W ! x", "y": "W x_1"}})
    assert proposals(told[1]) == ["W @ x_1"]


JOINED = ["np.concatenate([a, [0]], axis=1)", "hstack([a, [0]])", "torch.cat([a, [0]], dim=-1)", "concat([a, [0]])"]


@for_each("formula", JOINED)
def test_a_list_may_stand_among_what_is_joined(formula):
    assert numbers({"given": {"a": [1, 2]}, "steps": {"y": formula}}, "y").tolist() == [[1, 2, 0]]
    assert numbers({"given": {"a": [1, 2]}, "steps": {"y": "vstack([a, [3, 4]])"}}, "y").tolist() == [[1, 2], [3, 4]]


def test_keys_of_the_whole_file_are_sent_to_its_top():
    with pytest.raises(AttncalcError, match="write draw: at the top of the file, next to parts:"):
        read_problem("parts: {a: {draw: {X: 2 × 2 integers}, steps: {Y: X}}}", "p.yaml", "p")


# -- NumPy's shapes and indices ------------------------------------------------------------------------------------------

SHAPES = {
    "K / math.sqrt(K.shape[-1])": np.array(H) / np.sqrt(2),
    "K / K.size(-1) ** 0.5": np.array(H) / np.sqrt(2),
    "K.shape[0]": 3,
    "K.T.shape[1]": 3,
    "K.size(0)": 3,
    "K.numel()": 6,
    "np.size(K)": 6,
    "len(K)": 3,
    "K[range(3), y]": [[1], [1], [1]],
    "-log(2 + K[torch.arange(len(K)), y])": [[-np.log(3)]] * 3,
    "K @ np.array([[1, 2], [3, 4]])": np.array(H) @ [[1, 2], [3, 4]],
    "torch.tensor([1., 2.], dtype=torch.float32) @ K.T": [[1, 2, -1]],
}


@for_each("formula", SHAPES)
def test_shapes_and_indices_of_numpy_are_understood(formula):
    found = numbers({"given": {"K": H, "y": [0, 1, 0]}, "steps": {"a": formula}}, "a")
    assert np.allclose(found, np.atleast_2d(SHAPES[formula]))


@for_each(
    ("formula", "said"),
    [
        ("K.shape[2]", "expected A.shape[0], which is rows(A)"),
        ("K[range(1, 3), y]", "like pick(P, ids)"),
        ("K[range(2), 0:1]", "like pick(P, ids)"),
        ("K.size + 1", "did you mean rows(K) * cols(K) + 1 (1 × 1)?"),
        ("2 * K.shape", "did you mean 2 * (rows(K) * cols(K)) (1 × 1)?"),
    ],
)
def test_other_shapes_and_indices_are_told(formula, said):
    assert said in faults({"given": {"K": H, "y": [0, 1, 0]}, "steps": {"a": formula}})[0]


def test_the_length_of_a_flat_list_gets_a_warning():
    def warned(formula: str) -> list[str]:
        return [str(one) for one in load({"given": {"x": [1, 2, 3]}, "steps": {"m": formula}}).warnings]

    assert all(
        "x has only one row; to count the 3 entries, write cols(x)" in warned(one)[0]
        for one in ("sum(x) / len(x)", "sum(x) / x.shape[0]")
    )
    assert not warned("sum(x) / x.shape[-1]") and not warned("sum(x) / rows(x)")


def test_a_label_in_place_of_its_number_is_told_the_number():
    text = "given: {p: {columns: [a, b], values: [[0.5, 0.5]]}, ids: [b]}\nsteps: {y: pick(p, ids)}"
    with pytest.raises(AttncalcError, match="b is not defined, but is the label of column 1 of p; did you mean 1"):
        read_problem(text, "p.yaml", "p")


# -- texts for people, and steps as equations ------------------------------------------------------------------------------

TEXTS = """title: Exam 2025: Question 3
source: NLP: winter term
ask: Given the scores, compute the following:
note: "quoted: as ever"
given: {S: [[1, 2], [0, 1]]}
steps:
  A: softmax(S)   # a comment: this
"""


def test_a_colon_in_a_text_for_people_needs_no_quotes():
    problem = read_problem(TEXTS, "p.yaml", "p")
    assert (problem.title, problem.source) == ("Exam 2025: Question 3", "NLP: winter term")
    assert problem.parts[0].ask == "Given the scores, compute the following:" and problem.note == "quoted: as ever"
    nested = "parts: {}\n".replace("{}", "\n  a:\n    ask: One: two\n    steps: {Y: '1'}")
    assert read_problem(nested, "p.yaml", "p").parts[0].ask == "One: two"


def test_places_stay_right_beside_such_a_colon_and_other_colons_are_faults():
    with pytest.raises(AttncalcError, match=r"^p\.yaml:7:14: A: T is not defined"):
        read_problem(TEXTS.replace("softmax(S) ", "softmax(T) "), "p.yaml", "p")
    with pytest.raises(AttncalcError, match=r"^p\.yaml:7:13: found an unexpected colon"):
        read_problem(TEXTS.replace("softmax(S) ", "softmax: (S) "), "p.yaml", "p")


@pytest.mark.parametrize("steps", ["\n  A = softmax(S)\n  Z = A @ S", "\n  - A = softmax(S)\n  - Z = A @ S"])
def test_steps_written_as_equations_are_told_the_form(steps):
    with pytest.raises(AttncalcError, match=r"did you mean A: softmax\(S\)\?"):
        read_problem(f"given: {{S: [[1, 2]]}}\nsteps:{steps}", "p.yaml", "p")


@pytest.mark.parametrize(
    ("demand", "near"), [("no uniform row", "no uniform rows"), ("no tie", "no ties"), ("all small", "")]
)
def test_a_demand_in_other_words_is_told_ours(demand, near):
    with pytest.raises(AttncalcError, match="expected a formula, or a condition such as `no ties`") as error:
        read_problem(f"draw: {{X: 2 × 2 integers}}\ndemand: [{demand}]\nsteps: {{Y: X}}", "p.yaml", "p")
    assert str(error.value).endswith(f"; did you mean {near}?" if near else f"{demand!r}")


CROSSED = {
    "mean(argmax_rows(P) == y)": "mean(argmax_rows(P) == y.T)",
    "sum(m * row_sum(P)) / sum(m)": "sum(m.T * row_sum(P)) / sum(m)",
    "c - m": "c - m.T",
}


@pytest.mark.parametrize("formula", CROSSED)
def test_a_column_beside_a_flat_list_gets_a_warning(formula):
    """NumPy's vectors have one dimension; here the one stands and the other lies."""
    givens = {"P": [[0.5, 0.5], [0.1, 0.9], [1, 0]], "y": [0, 1, 1], "m": [1, 0, 1], "c": [[1], [2], [3]]}
    problem = {"given": givens, "steps": {"a": formula, "b": "P + c + y[0, 0] + m[0, 1]"}}
    (warned,) = [one.message for one in load(problem).warnings if "uses the given" not in one.message]
    assert "so the result is 3 × 3" in warned and proposals(warned) == [CROSSED[formula]]
    mended = problem | {"steps": {"a": CROSSED[formula]}}
    assert not [one for one in load(mended).warnings if "stretch" in one.message]


@for_each("formula", ["x.T - y", "x.reshape(-1, 1) * y", "c - y.T", "outer(x, y)", "P * c", "c * 2"])
def test_what_is_stretched_on_purpose_gets_none(formula):
    givens = {"x": [1, 2, 3], "y": [0, 1, 1], "c": [[1], [2], [3]], "P": [[1, 2], [3, 4], [5, 6]]}
    assert not [one for one in load({"given": givens, "steps": {"a": formula}}).warnings if "stretch" in one.message]


def test_the_whole_of_a_row_behind_a_guess_is_told_with_its_first_entry():
    told = faults({"given": {"h": [1, 2], "W": W}, "steps": {"P": "softmax(h W)", "a": "-log(P[0])", "b": "P @ W"}})
    assert (
        "for the first entry, write P[0, 0]; did" in told[1]
        and proposals(told[1]) == ["-log(P[0, 0])"]
        and len(told) == 2
    )


# -- lengths, labels and sides -------------------------------------------------------------------------------------------


@for_each("m", [1, 3])
@for_each("n", [1, 2])
def test_bars_below_rows_are_the_length_of_each_row(n, m):
    q, k = np.arange(1, 2 * n + 1).reshape(n, 2), np.arange(3, 2 * m + 3).reshape(m, 2)
    problem = {
        "given": {"Q": q.tolist(), "K": k.tolist()},
        "steps": {"C": "Q @ K.T / (||Q|| * ||K||)", "U": "Q / ‖Q‖", "R": "||Q - 1|| / ||Q||"},
    }
    found, along = pasted(problem), np.linalg.norm
    right = q @ k.T / np.outer(along(q, axis=1), along(k, axis=1))
    assert np.allclose(numbers(found, "C"), right) and np.allclose(
        numbers(found, "U"), q / along(q, axis=1, keepdims=True)
    )
    assert np.allclose(numbers(found, "R"), along(q - 1) / along(q))  # of a single number, all entries


def test_a_label_without_quotes_keeps_the_other_index():
    table = {"rows": ["the", "cat"], "columns": ["cat", "mat"], "values": [[1, 2], [3, 4]]}
    steps = {"a": "P[0, cat]", "b": "P[cat, mat]", "c": "P[cat]", "d": "P[:, mat]"}
    found = pasted({"given": {"P": table}, "steps": steps})
    assert [numbers(found, step).tolist() for step in "abcd"] == [[[1]], [[4]], [[3, 4]], [[2], [4]]]


def test_sides_that_fit_the_other_way_round_are_joined_so():
    given_ = {"cls": [5, 6], "X": [[1, 2], [3, 4]], "b": [["1"], ["2"]]}
    found = pasted({"given": given_, "steps": {"Y": "concat([cls, X])", "Z": "vstack(X, b)"}})
    assert numbers(found, "Y").tolist() == [[5, 6], [1, 2], [3, 4]]
    assert numbers(found, "Z").tolist() == [[1, 2, 1], [3, 4, 2]]


# -- what the message says to write is a file that works ---------------------------------------------------------------

REPAIRED = {  # the written line, the text in the message, and the line with the repair
    "x: [1 0; 0 1]": ("write [[1, 0], [0, 1]]", "x: [[1, 0], [0, 1]]"),
    'x: "[1 0.5; -1 1/2]"': ("write [[1, 0.5], [-1, 1/2]]", "x: [[1, 0.5], [-1, 1/2]]"),
    "x: 1; 2": ("write [[1], [2]]", "x: [[1], [2]]"),
    "x: [50%, 1]": ("write 0.5", "x: [0.5, 1]"),
    "x: 12.5%": ("write 0.125", "x: 0.125"),
    "x: [2026-11-30, 1]": (
        "found the date 2026-11-30; for the difference, write 2026 - 11 - 30",
        "x: [2026 - 11 - 30, 1]",
    ),
    "x: 2026-1-2": ("for the difference, write 2026 - 1 - 2", "x: 2026 - 1 - 2"),
    "x: [[“1”, 0]]": ("found the text '1'; remove the quotes", "x: [[1, 0]]"),
    "x = 1/2": ("did you mean x: 1/2?", "x: 1/2"),
}


@for_each("written", REPAIRED)
def test_law_a_number_in_another_form_is_told_how_to_write_it(written):
    said, repair = REPAIRED[written]
    with pytest.raises(AttncalcError, match=re.escape(said)):
        loads(f"given: {{{written}}}\nsteps: {{y: x}}\n")
    assert loads(f"given: {{{repair}}}\nsteps: {{y: x}}\n").parts


def test_a_step_written_as_an_assignment_is_told_to_use_a_colon():
    with pytest.raises(AttncalcError, match=r"did you mean S: x @ x\.T\?"):
        loads("given: {x: [1, 2]}\nsteps: {S = x @ x.T}\n")


def test_a_lesson_at_the_top_that_needs_a_step_is_told_to_stand_under_the_steps():
    """The order of the keys in the file suggests that the step comes first."""
    given_ = {name: [[1, 0], [0, 1]] for name in "QKV"}
    step = {"B": "where(causal(2, 2), 0, -inf)"}
    with pytest.raises(AttncalcError, match=r"as a named step after B, such as result: \{attention: \{"):
        load({"given": given_, "steps": step, "attention": {"bias": "B"}})
    assert load({"given": given_, "steps": step | {"result": {"attention": {"bias": "B"}}}}).parts


def test_a_missing_input_is_told_beside_a_given_that_may_stand_for_it():
    """The targets may be words or probabilities; probabilities are used only if the file names them."""
    given_ = {"P": [[0.7, 0.3], [0.4, 0.6]], "P_true": [[0.5, 0.5], [1, 0]]}
    with pytest.raises(AttncalcError, match=r"needs targets[^$]*did you mean P_true: P_true\?"):
        load({"given": given_, "cross_entropy": {}})
    assert load({"given": given_, "cross_entropy": {"P_true": "P_true"}}).parts
