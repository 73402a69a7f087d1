"""Writes library_calls.json: calls of PyTorch, SciPy, JAX and Keras as they are typed, and what they come to.

attncalc needs none of these; run this in an environment of its own:

    pip install torch==2.13.0 scipy==1.17.1 keras==3.15.1 jax
    KERAS_BACKEND=torch python -m tests.oracles.make_library_calls

What a library refuses has no value and stands not there. A value has the shape that the library has.
"""

import json
import warnings
from pathlib import Path

import jax
import keras
import numpy as np
import scipy
import scipy.linalg
import scipy.special
import scipy.stats
import torch

from tests.support.library_calls import FORMULAS, GIVENS

jax.config.update("jax_enable_x64", True)
torch.set_default_dtype(torch.float64)
keras.backend.set_floatx("float64")
warnings.simplefilter("ignore")


def tensor(value):
    return torch.tensor(value, dtype=torch.float64)


NAMES = {
    "torch": ({"torch": torch, "F": torch.nn.functional, "nn": torch.nn}, tensor),
    "scipy": ({"scipy": scipy}, lambda value: np.array(value, float)),
    "jax": ({"jax": jax, "jnp": jax.numpy}, lambda value: jax.numpy.array(value, float)),
    "keras": ({"keras": keras}, tensor),
}


def value_of(formula, library):
    """The numbers of a formula with the library's own shape; None where it is refused."""
    names, array = NAMES[library]
    try:
        value = eval(formula, names | {name: array(given) for name, given in GIVENS.items()})
        if isinstance(value, tuple | list) or not hasattr(value, "shape") and not isinstance(value, int | float):
            return None
        numbers = np.asarray(value, float)
    except Exception:  # whatever a library raises
        return None
    if numbers.ndim > 2 or not np.isfinite(numbers).all():
        return None
    short = [float(f"{number:.12g}") for number in numbers.ravel()]
    return np.reshape(short, numbers.shape).tolist()


def main():
    modules = (torch, scipy, jax, keras)
    calls = {}
    for library, formulas in FORMULAS.items():
        values = {formula: value_of(formula, library) for formula in formulas()}
        calls[library] = {formula: value for formula, value in values.items() if value is not None}
    lines = ['{"versions": ' + json.dumps({module.__name__: module.__version__ for module in modules})]
    for library, values in calls.items():
        inside = ",\n".join(f"{json.dumps(formula)}: {json.dumps(value)}" for formula, value in values.items())
        lines.append(f'"{library}": {{\n{inside}\n}}')
    path = Path(__file__).with_name("library_calls.json")
    path.write_text(",\n".join(lines) + "}\n", encoding="utf-8")
    print({library: len(values) for library, values in calls.items()}, path.stat().st_size)


if __name__ == "__main__":
    main()
