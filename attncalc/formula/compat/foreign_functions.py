"""Library functions that the formula language does not have: their names, and formulas for some of them.

`near_function` suggests no similar name for these functions, because such a name has another meaning.
"""

from __future__ import annotations

import builtins
from functools import lru_cache
from importlib import resources

from ...errors import did_you_mean
from ..functions import functions
from .library_calls import ALIASES, RULES

SHORTEST_RESPELLED = 3  # characters of a name; no suggestion for shorter names
# Formulas that replace calls with the arguments A and B.
MEANINGS = {
    "absolute": "abs(A)", "expit": "sigmoid(A)", "exp2": "2 ** A", "pow2": "2 ** A", "exp10": "10 ** A",
    "tan": "sin(A) / cos(A)", "cot": "cos(A) / sin(A)", "sec": "1 / cos(A)", "csc": "1 / sin(A)",
    "sinh": "(exp(A) - exp(-A)) / 2", "cosh": "(exp(A) + exp(-A)) / 2", "deg2rad": "A * pi / 180",
    "radians": "A * pi / 180", "rad2deg": "A * 180 / pi", "degrees": "A * 180 / pi", "hypot": "sqrt(A ** 2 + B ** 2)",
    "logit": "log(A / (1 - A))", "logaddexp": "log(exp(A) + exp(B))", "log_expit": "log(sigmoid(A))",
    "logsigmoid": "log(sigmoid(A))", "log_sigmoid": "log(sigmoid(A))", "relu6": "clip(A, low=0, high=6)",
    "hardtanh": "clip(A, low=-1, high=1)", "hardsigmoid": "clip(A + 3, low=0, high=6) / 6",
    "hardswish": "A * clip(A + 3, low=0, high=6) / 6", "softsign": "A / (1 + abs(A))", "tanhshrink": "A - tanh(A)",
    "mish": "A * tanh(softplus(A))", "softmin": "softmax(-A)", "sgn": "sign(A)", "trunc": "sign(A) * floor(abs(A))",
    "fix": "sign(A) * floor(abs(A))", "rint": 'round(A, 0, mode="half_even")', "entr": "-xlogy(A, A)",
    "mse_loss": "mean((A - B) ** 2)", "l1_loss": "mean(abs(A - B))", "squared_difference": "(A - B) ** 2",
    "fliplr": "A[:, ::-1]", "flipud": "A[::-1]", "ptp": "max(A) - min(A)", "count_nonzero": "sum(A != 0)",
    "diagonal": "diag(A)", "matrix_transpose": "A.T", "mtimes": "A @ B", "rdivide": "A / B", "mldivide": "solve(A, B)",
    "fmax": "maximum(A, B)", "fmin": "minimum(A, B)", "float_power": "A ** B", "vdot": "sum(A * B)",
    "heaviside": "(A > 0) + B * (A == 0)", "logical_and": "(A != 0) * (B != 0)",
    "logical_or": "maximum(A != 0, B != 0)", "logical_xor": "(A != 0) != (B != 0)",
}  # fmt: skip


@lru_cache(maxsize=1)
def foreign_functions() -> frozenset[str]:
    """Return the names of functions that libraries have and the language does not."""
    lines = resources.files(__package__).joinpath("foreign_functions.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(MEANINGS) | frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def near_function(name: str) -> str:
    """Return a suggestion such as `; did you mean softmax?` for a misspelt function. Return an empty string for short
    names and for names of library functions.
    """
    if len(name) < SHORTEST_RESPELLED or name in foreign_functions() or name in RULES or hasattr(builtins, name):
        return ""
    return did_you_mean(name, [*functions(), *ALIASES])
