"""Calls of libraries mean what the library makes of them, and an option that nobody knows is refused."""

from __future__ import annotations

import numpy as np
import pytest

from attncalc import AttncalcError, load, solve
from tests.support.sweeps import for_each

X, Q, K = np.array([[1.0, -2.0], [3.0, 5.0]]), np.array([[1.0, 2], [3, 5]]), np.array([[2.0, 1], [0, 3]])
GIVEN = {"X": [[1, -2], [3, 5]], "Q": [[1, 2], [3, 5]], "K": [[2, 1], [0, 3]]}
TANH = X / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3)))
MEANT = {
    "np.inner(Q, K)": np.inner(Q, K),
    "torch.inner(Q, K)": np.inner(Q, K),
    "X.std(-1, keepdim=True)": X.std(-1, ddof=1, keepdims=True),
    "X.var(dim=1, keepdim=True)": X.var(1, ddof=1, keepdims=True),
    "std(X, dim=-1)": X.std(-1, ddof=1, keepdims=True),
    "X.var(dim=1, unbiased=False)": X.var(1, keepdims=True),
    "X.var(axis=1, keepdims=True)": X.var(1, keepdims=True),
    "torch.masked_fill(X, X > 0, 0)": np.where(X > 0, 0, X),
    "X.masked_fill(X == 1, 7)": np.where(X == 1, 7, X),
    "scipy.special.softmax(X)": np.exp(X) / np.exp(X).sum(),
    "scipy.special.softmax(X, axis=1)": np.exp(X) / np.exp(X).sum(1, keepdims=True),
    "jax.nn.gelu(X)": TANH,
    "tf.nn.leaky_relu(X)": np.where(X > 0, X, 0.2 * X),
}


@for_each("formula", MEANT)
def test_a_call_has_the_default_of_its_library(formula):
    found = solve(load({"given": GIVEN, "steps": {"A": formula}}))["A"].decimals(12)
    assert np.allclose(np.array(found, float), MEANT[formula], atol=1e-10)


REFUSED = ["X.reshape(-1, order='F')", "X.flatten(order='F')", "np.ravel(X, order='F')", "tril(ones(2))", "[X | Q]",
           "50% X"]  # fmt: skip
CALLS = ["np.inner(Q, K", "X.sum(axis=1", "np.argmax(X, axis=1", "X.reshape(1, -1", "np.transpose(X", "np.exp(X",
         "np.matmul(Q, K", "np.linalg.matrix_power(X, 2", "np.array(X", "np.cumsum(X, axis=0", "np.clip(X, 0, 1",
         "np.tile(X, 2", "np.concatenate((X, Q), axis=0", "np.sum([X, Q], axis=0", "masked_fill(X, X > 0, 0",
         "np.einsum('ij->ji', X", "np.size(X", "torch.softmax(X, dim=-1", "log_softmax(X, dim=-1"]  # fmt: skip


@for_each("formula", [*REFUSED, *(f"{call}, where=0)" for call in CALLS)])
def test_what_has_another_meaning_elsewhere_is_refused(formula):
    with pytest.raises(AttncalcError):
        load({"given": GIVEN, "steps": {"A": formula}})
