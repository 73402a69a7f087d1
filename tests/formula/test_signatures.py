"""The tables of signatures: no argument of a library's function is ignored, and no name means something else."""

from __future__ import annotations

import pytest

from attncalc import AttncalcError, load
from attncalc.errors import FormulaError
from attncalc.formula.compat.signatures import TABLES, Row, table
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import unparse
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

GIVEN = {"X": [[1, 2], [3, 4]], "C": [[1, 2], [3, 5]], "x": [1, 2, 4], "z": [3, -1], "ids": [1, 0]}
BEFORE = {"NumPy": "np", "PyTorch": "torch", "JAX": "jax.nn", "Keras": "keras.ops", "TensorFlow": "tf",
          "SciPy": "scipy.special", "math": "math"}  # fmt: skip
ROWS = [(library, name, row) for library in TABLES for name, rows in table(library).items() for row in rows]


def call(library: str, name: str, row: Row, extra: str = "") -> str:
    needed = ["[2]" if p.name == "normalized_shape" else p.name[-1] if p.name[:3] == "dim" and p.name[-1] in "01" else "0" if p.name in ("dim", "axis") else "X"
              for p in row.parameters if p.needed]  # fmt: skip
    return f"{BEFORE[library]}.{name.removeprefix('layer.')}({', '.join(needed)}{extra})"


@for_each("library", TABLES)
def test_an_option_without_a_row_is_refused(library):
    for _, name, row in (one for one in ROWS if one[0] == library):
        with pytest.raises(FormulaError):
            parse(call(library, name, row, ", colour=1"))


@for_each("library", TABLES)
def test_an_option_that_is_not_known_here_is_refused_with_every_other_value(library):
    for _, name, row in (one for one in ROWS if one[0] == library):
        for p in row.parameters:
            if p.inert and p.inert != ("*",):
                with pytest.raises(FormulaError):
                    parse(call(library, name, row, f", {p.name}=7"))


@for_each("library", TABLES)
def test_a_row_names_a_function_of_ours(library):
    for _, name, row in (one for one in ROWS if one[0] == library):
        try:
            load({"given": GIVEN, "steps": {"A": call(library, name, row)}})
        except AttncalcError as error:
            assert "there is no function" not in str(error), (library, name)


READ = {
    "torch.max(X, dim=1)[0]": "row_max(X)",
    "X.max(dim=1)[1]": "argmax_rows(X)",
    "X - X.max(dim=1, keepdim=True)[0]": "X - row_max(X)",
    "X.min(0, True)[0]": "col_min(X)",
    "X.max(dim=0).indices": "argmax_rows(X.T).T",
    "torch.min(X, dim=-1).values": "row_min(X)",
    "X.cumsum(axis=None)": "cumsum(X)",
    "np.argmax(x, axis=None)": "argmax(x)",
    "tf.gather(X, ids)": "lookup(X, ids)",
    "F.embedding(ids, X)": "lookup(X, ids)",
    "jax.nn.logsumexp(X)": 'logsumexp(X, axis="all")',
    "scipy.stats.entropy(X)": 'entropy(normalize(X, axis="columns"), axis="columns")',
    "torch.std(X, True)": "std(X, ddof=1)",
    "torch.std(X, 1, False)": "row_std(X, ddof=0)",
    "torch.var(X, dim=0, correction=0)": "col_var(X, ddof=0)",
    "np.sum(X, axis=1, keepdims=False)": "row_sum(X)",
    "tf.argmax(X)": "argmax_rows(X.T).T",
    "tf.reduce_mean(X, axis=1)": "row_mean(X)",
    "(X > 2).astype(int)": "X > 2",
    "X.astype(np.int64)": "sign(X) * floor(abs(X))",
    "X.argmax(1).long()": "argmax_rows(X)",
    "X.transpose(0, 1)": "X.T",
    "torch.transpose(X, 1, 1)": "X",
    "keras.ops.gelu(X)": 'gelu(X, form="tanh")',
    "keras.activations.gelu(X)": "gelu(X)",
    "tf.keras.activations.gelu(X)": "gelu(X)",
    "keras.activations.gelu(X, approximate=True)": 'gelu(X, form="tanh")',
}


@for_each(("typed", "ours"), READ.items())
def test_a_call_is_read_by_its_signature(typed, ours):
    assert parse(typed) == parse(ours)


@for_each(("formula", "proposal"), [
    ("X & 1", "X % 2"), ("np.sum(X, dim=1)", "axis"),
    ("exp(X, keepdims=True)", None), ("X.detach(1)", None), ("np.mean(X, where=C)", None), ("np.std(X, axis=True)", None),
    ("tf.linalg.normalize(X)", None), ("tf.math.top_k(X, 1)", None), ("torch.gather(X, 1, ids)", None),
    ("np.array(X / 2, dtype=int)", None), ("np.softmax(X)", "softmax(X)"), ("X.max(dim=1)[2]", None),
    ("tf.matmul(X, X, transpose_b=True)", None), ("np.argmax(X)", None), ("np.keep(X, X)", "keep(X, X)"),
])  # fmt: skip
def test_what_a_library_means_otherwise_is_refused(formula, proposal):
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVEN, "steps": {"A": formula}})
    assert proposal is None or proposals(str(error.value)) == [proposal]


def test_a_formula_in_words_of_ours_is_read_the_same_again():
    for typed in READ:
        assert parse(unparse(parse(typed))) == parse(typed)
