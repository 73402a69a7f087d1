"""Layers with a state of fixed size, in recurrent and in parallel form: RetNet, DeltaNet and Mamba."""

from __future__ import annotations

from ..errors import FormulaError, size
from .lesson import CHECKED, FEATURES, NUMBER, Input, Lesson, Option, Recipe, Setting

MOST_TOKENS = 32
_QKV = (Input("Q", "the queries, one per row"), Input("K", "the keys"), Input("V", "the values"))
_FORM = Option("form", "word", "both", "token by token (recurrent), all at once (parallel), or both and their "
               "difference, which is 0",
               ("both", "recurrent", "parallel"))  # fmt: skip
_STEPS = {
    "Z": "the output, computed token by token",
    "Z_parallel": "the output, computed for all tokens at once",
    "difference": "the difference of the two results: 0 everywhere",
}


def _tokens(s: Setting, *names: str) -> int:
    """Return the number of tokens (rows). Raises FormulaError if the inputs have different numbers of rows, or too
    many.
    """
    s.refuse_columns("one vector per row")
    count = s.shape(names[0])[0]
    for name in names[1:]:
        if s.shape(name)[0] != count:
            message = f"{name} must have as many rows as {names[0]}, {count}; found {s.shape(name)[0]}"
            raise FormulaError(message, about=name)
    if count > MOST_TOKENS:
        raise FormulaError(f"{s.lesson.name} takes at most {MOST_TOKENS} tokens; found {count}", about=names[0])
    return count


def _row(name: str, t: int, count: int) -> str:
    return name if count == 1 else f"{name}[{t - 1}]"


def _stacked(count: int, name: str = "Z") -> str:
    return f"vstack({', '.join(f'{name}_{t}' for t in range(1, count + 1))})"


def _both(s: Setting, recurrent: list[Recipe], parallel: list[Recipe]) -> list[Recipe]:
    """Return the steps of the requested forms: recurrent, parallel or both. For both, add their difference."""
    word = s.say_word("form")
    compared: list[Recipe] = [("difference", "Z - Z_parallel")] if word == "both" else []
    return [*(recurrent if word != "parallel" else []), *(parallel if word != "recurrent" else []), *compared]


# -- RetNet ------------------------------------------------------------------------------------------------------------


def _retention(s: Setting) -> list[Recipe]:
    n = _tokens(s, "Q", "K", "V")
    recurrent: list[Recipe] = []
    for t in range(1, n + 1):
        new = f"{_row('K', t, n)}.T @ {_row('V', t, n)}"
        recurrent.append((f"state_{t}", f"gamma * state_{t - 1} + {new}" if t > 1 else new))
        recurrent.append((f"Z_{t}", f"{_row('Q', t, n)} @ state_{t}"))
    recurrent.append(("Z", _stacked(n)))
    parallel: list[Recipe] = [
        ("decay", f"keep(gamma ** (arange(0, {n}).T - arange(0, {n})), causal({n}, {n}), fill=0)"),
        ("S", "Q @ K.T"),
        ("S_decayed", "S * decay"),
        ("Z_parallel", "S_decayed @ V"),
    ]
    return _both(s, recurrent, parallel)


RETENTION = Lesson(
    "retention",
    "Retention (RetNet): a state that is multiplied by γ for every token; or, for all tokens at once, a matrix of "
    "powers of γ instead of the softmax.",
    (*_QKV, Input("gamma", "the fraction of the state that is left after each token", demand="positive", shape=NUMBER)),
    (_FORM,),
    {
        "state_1": "the earlier state times gamma, plus the outer product of this token's key and value",
        "Z_1": "what this token reads from the state",
        "decay": "gamma to the power of the distance in positions; 0 for later tokens",
        "S": "the scores of all pairs",
        "S_decayed": "the scores times the decay",
    }
    | _STEPS,
    _retention,
    source="Sun et al. 2023 (RetNet), without xPos, group norm or gate.",
)


# -- DeltaNet ----------------------------------------------------------------------------------------------------------


def _delta(s: Setting) -> list[Recipe]:
    n = _tokens(s, "Q", "K", "V")
    if max(s.shape("beta")) != n or min(s.shape("beta")) != 1:
        raise FormulaError(f"delta_rule takes one beta for each of {n} tokens, as a row or a column", about="beta")
    is_column = s.shape("beta")[1] == 1
    column = "beta" if is_column else "beta.T"
    recurrent: list[Recipe] = []
    for t in range(1, n + 1):
        k = _row("K", t, n)
        v = _row("V", t, n)
        beta = "beta" if n == 1 else f"beta[{t - 1}, 0]" if is_column else f"beta[0, {t - 1}]"
        if t > 1:
            recurrent += [
                (f"old_{t}", f"{k} @ state_{t - 1}"),
                (f"state_{t}", f"state_{t - 1} + {beta} * ({k}.T @ ({v} - old_{t}))"),
            ]
        else:
            recurrent.append(("state_1", f"{beta} * ({k}.T @ {v})"))
        recurrent.append((f"Z_{t}", f"{_row('Q', t, n)} @ state_{t}"))
    recurrent.append(("Z", _stacked(n)))
    powers = "".join((" - " if p % 2 else " + ") + " @ ".join("N" for _ in range(p)) for p in range(1, n))
    parallel: list[Recipe] = [
        ("N", f"keep({column} * (K @ K.T), causal_strict({n}, {n}), fill=0)"),
        ("T_inverse", f"identity({n}){powers}"),
        ("U", f"T_inverse @ ({column} * V)"),
        ("S_masked", f"keep(Q @ K.T, causal({n}, {n}), fill=0)"),
        ("Z_parallel", "S_masked @ U"),
    ]
    return _both(s, recurrent, parallel)


DELTA_RULE = Lesson(
    "delta_rule",
    "The delta rule (DeltaNet): each token with a key of length 1 replaces a fraction β of the value that its key "
    "reads; or all at "
    "once by (I + N)⁻¹.",
    (
        *_QKV,
        Input(
            "beta",
            "the fraction of the old value that each token replaces (if its key has length 1)",
            demand="probabilities",
        ),
    ),
    (_FORM,),
    {
        "old_1": "what this token's key reads from the state so far",
        "state_1": "the earlier state, plus β times the outer product of the key and the difference between new and "
        "old value",
        "Z_1": "what this token reads from the state",
        "N": "how much each key overlaps with the earlier ones, times its beta",
        "T_inverse": "the inverse of I + N: a finite sum of powers of N",
        "U": "the value that each token adds to the state under its key",
        "S_masked": "the scores; 0 for later tokens",
    }
    | _STEPS,
    _delta,
    source="Schlag et al. 2021; Yang et al. 2024. The programs of Yang et al. also divide the queries by the square "
    "root of their dimension; for the same result, divide the queries before you give them to attncalc.",
)


# -- Mamba -------------------------------------------------------------------------------------------------------------


def _mamba(s: Setting) -> list[Recipe]:
    n = _tokens(s, "X")
    steps = [(name, f"X @ W_{name}") for name in "BC" if not s.has(name)]
    if not s.has("delta"):
        steps.append(("delta", "softplus(X @ W_delta" + (" + b_delta)" if s.has("b_delta") else ")")))
    written = "B" if s.has("B") else "W_B"
    demanded = s.shape("X")[1], s.shape(written)[1]
    if s.has("A") and s.shape("A") != demanded:
        message = f"A: expected {size(demanded)} (features × states), found {size(s.shape('A'))}"
        raise FormulaError(f"{message}; {written} has {demanded[1]} columns", about="A")
    is_zoh = s.word("discretization") == "zoh"
    s.say_word("discretization")
    if not is_zoh:
        steps.append(("input", "delta * X"))
    skip_term = " + D * X" if s.has("D") else ""
    return [*steps, *_both(s, _scan(n, skip_term, is_zoh), _unrolled(s, n, skip_term, is_zoh))]


def _scan(n: int, skip_term: str, is_zoh: bool) -> list[Recipe]:
    """Return the steps of the recurrence h_t = exp(Δ_t A) · h_(t−1) + (Δ_t x_t)ᵀ B_t, y_t = h_t C_t. With a zero-order
    hold, (exp(Δ_t A) − 1)/A replaces Δ_t.
    """
    steps: list[Recipe] = []
    for t in range(1, n + 1):
        new = f"{_row('X' if is_zoh else 'input', t, n)}.T @ {_row('B', t, n)}"
        if t > 1 or is_zoh:
            steps.append((f"decay_{t}", f"exp({_row('delta', t, n)}.T * A)"))
        if is_zoh:
            steps.append((f"gain_{t}", f"(decay_{t} - 1) / A"))
            new = f"gain_{t} * ({new})"
        steps.append((f"state_{t}", f"decay_{t} * state_{t - 1} + {new}" if t > 1 else new))
        steps.append((f"Z_{t}", f"(state_{t} @ {_row('C', t, n)}.T).T"))
    return [*steps, ("Z", _stacked(n) + skip_term)]


def _unrolled(s: Setting, n: int, skip_term: str, is_zoh: bool) -> list[Recipe]:
    """Return the steps of the parallel form, which has a matrix over all pairs of tokens for each feature."""
    features, width = s.shape("A")
    steps: list[Recipe] = [("time", f"causal({n}, {n}) @ delta")]
    for d in range(1, features + 1):
        time = "time" if features == 1 else f"time[:, {d - 1}]"
        parts = []
        for k in range(1, width + 1):
            a = _entry("A", d, k, features, width)
            gain = f"(exp({a} * {_column('delta', d, features)}.T) - 1) / {a} * " if is_zoh else ""
            pairs = f"({_column('C', k, width)} @ {_column('B', k, width)}.T)"
            parts.append(f"{gain}exp({a} * ({time} - {time}.T)) * {pairs}")
        steps.append((f"M_{d}", f"keep({' + '.join(parts)}, causal({n}, {n}), fill=0)"))
    columns = [f"M_{d} @ {_column('X' if is_zoh else 'input', d, features)}" for d in range(1, features + 1)]
    return [*steps, ("Z_parallel", (f"hstack({', '.join(columns)})" if features > 1 else columns[0]) + skip_term)]


def _entry(name: str, i: int, j: int, rows: int, columns: int) -> str:
    return name if rows == columns == 1 else f"{name}[{i - 1}, {j - 1}]"


def _column(name: str, k: int, count: int) -> str:
    return name if count == 1 else f"{name}[:, {k - 1}]"


SELECTIVE_STATE_SPACE = Lesson(
    "selective_state_space",
    "The selective state space model of Mamba: h = exp(Δ A) h + Δ B x and y = C h, token by token; or all at once "
    "as a matrix over pairs.",
    (
        Input("X", "the tokens, one per row"),
        Input("A", "how fast the states of each feature decay: a features × states matrix of negative numbers",
            shape=CHECKED),
        Input("B", "how strongly each token writes into each state, one row per token; X W_B if it is not "
        "given", optional=True),
        Input("C", "how strongly each token reads each state, one row per token; X W_C if it is not "
        "given", optional=True),
        Input(
            "delta",
            "the step sizes, one per token and feature; softplus(X W_delta + b_delta) if they are not given",
            optional=True,
        ),
        Input("W_B", "the weights of B", optional=True),
        Input("W_C", "the weights of C", optional=True),
        Input("W_delta", "the weights of the step sizes", optional=True),
        Input("b_delta", "the bias of the step sizes", optional=True, shape=FEATURES),
        Input("D", "the factors D: each feature times its factor is added directly to the "
        "output", optional=True, shape=FEATURES),
    ),
    (
        _FORM,
        Option("discretization", "word", "euler", "the factor of the input: Δ B (euler, as in Mamba's program), "
               "or (exp(Δ A) − 1)/A · B (zoh, the zero-order hold of its paper); the state decays by "
               "exp(Δ A) in both", ("euler", "zoh")),
    ),
    {
        "B": "how strongly each token writes into each state",
        "C": "how strongly each token reads each state",
        "delta": "the step sizes",
        "input": "the tokens times their step sizes",
        "decay_1": "the fraction of each state that is left",
        "gain_1": "the factor of each input to a state, if the input is held constant during the step",
        "state_1": "the states after this token: one row per feature",
        "Z_1": "what this token reads from the states",
        "time": "the running sums of the step sizes",
        "M_1": "the contribution of every earlier token to this feature of each token",
    }
    | _STEPS,
    _mamba,
    zero=dict.fromkeys(("gain", "M"), "A is 0 there, which gives 0/0; `discretization: euler` uses the limit Δ"),
    source="Gu and Dao 2023 (Mamba): equation 4 is the zero-order hold (zoh); the published program, and MambaMixer of "
    "Transformers, take Δ B for the input (euler).",
)  # fmt: skip
