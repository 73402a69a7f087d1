"""Calls of libraries as they are typed: each function, each spelling of it, and each argument that it documents."""

from __future__ import annotations

from itertools import product

GIVENS = {
    "C": [[1, 2], [3, 5]], "R": [[1, 2, 4], [3, 8, 5]], "x": [1, 2, 4], "z": [3, -1], "k": [[1], [6]], "ids": [1, 0],
}  # fmt: skip
OPERANDS = ("C", "R", "x", "C[1]", "C[:, 0]", "(C - 2)", "k")
AXES = ("", ", {a}=0", ", {a}=1", ", {a}=-1", ", {a}=-2", ", {a}=None", ", 0", ", 1", ", -1", ", None")
NUMPY_ARGUMENTS = (
    *(axis.format(a="axis") for axis in AXES), ", axis=0, keepdims=True", ", axis=1, keepdims=True", ", 1, True",
    ", axis=1, keepdims=False", ", keepdims=True", ", axis=1, dtype=float", ", 1, float", ", 1, None, None", ", dim=1",
    ", axis=True", ", axis=1, dtype=int", ", axis='all'",
)  # fmt: skip
TORCH_ARGUMENTS = (
    *(axis.format(a="dim") for axis in AXES), ", dim=0, keepdim=True", ", dim=1, keepdim=True", ", 1, True", ", 0, True",
    ", True", ", False", ", 1, False", ", dim=1, keepdim=False", ", keepdim=True",
    ", dim=1, dtype=torch.float64",
)  # fmt: skip
NUMPY_REDUCED = ("sum", "mean", "prod", "max", "min", "amax", "amin", "std", "var", "any", "all", "argmax", "argmin")
TORCH_REDUCED = (*NUMPY_REDUCED, "logsumexp", "norm")
SPREAD = (", ddof=1", ", ddof=0", ", axis=0, ddof=1", ", 0, None, None, 1", ", correction=1", ", axis=1, correction=1")
UNBIASED = (", unbiased=False", ", dim=1, unbiased=False", ", dim=1, unbiased=True", ", 0, False, True", ", correction=0",
            ", dim=0, correction=1", ", dim=1, correction=0, keepdim=True")  # fmt: skip
PAIR_ENDS = ("[0]", "[1]", ".values", ".indices", "[-1]")
# The value of a call beside others: a row and a column stretch over each other, or they do not.
AROUND = ("{}", "C - {}", "{} + z", "{} * C[:, 1]", "C[0] / {}")


def spelled(function: str, operand: str, arguments: str, modules: tuple[str, ...], method: bool = True) -> list[str]:
    """A call behind each module, and as a method."""
    calls = [f"{module}.{function}({operand}{arguments})" for module in modules]
    return calls + [f"{operand}.{function}({arguments.removeprefix(', ')})"] * method


def calls_of(
    functions: tuple[str, ...],
    arguments: tuple[str, ...],
    modules: tuple[str, ...],
    operands: tuple[str, ...] = OPERANDS,
    method: bool = True,
) -> list[str]:
    """Each function of each operand with all of these arguments."""
    made = product(functions, operands, arguments)
    return [call for parts in made for call in spelled(*parts, modules, method)]


def beside_others(calls: list[str]) -> list[str]:
    """Each call alone, and in formulas with others."""
    return [around.format(call) for call in calls for around in AROUND]


def numpy_formulas() -> list[str]:
    """What is typed from NumPy."""
    along = (*(axis.format(a="axis") for axis in AXES), ", axis=1, dtype=float")
    reduced = calls_of(NUMPY_REDUCED, NUMPY_ARGUMENTS, ("np",))
    formulas = reduced + beside_others(calls_of(("sum", "max", "argmax"), along, ("np",), ("C", "C[1]", "C[:, 0]")))
    formulas += calls_of(("std", "var"), SPREAD, ("np",))
    formulas += calls_of(("cumsum", "cumprod", "argsort"), along, ("np",))
    formulas += calls_of(("linalg.norm",), (*along, ", axis=1, keepdims=True", ", 2", ", ord=1"), ("np",), method=False)
    formulas += calls_of(("average",), (*along, ", weights=[1, 2]"), ("np",), method=False)
    formulas += calls_of(("roll",), tuple(f", 1{axis}" for axis in along), ("np",), method=False)
    formulas += calls_of(("repeat", "roll"), (", 2", ", 2, axis=0", ", 2, axis=1", ", 2, 0", ", 2, axis=None"), ("np",))
    formulas += calls_of(("round",), ("", ", 0", ", decimals=0", ", -1"), ("np",))
    formulas += calls_of(("clip",), (", 2, 3", ", a_min=2, a_max=3", ", min=2, max=3"), ("np",))
    formulas += calls_of(("tril", "triu"), ("", ", 1", ", k=-1", ", diagonal=1"), ("np",), method=False)
    formulas += calls_of(("diag", "trace", "ravel", "size"), ("", ", 1", ", 0", ", 1, 0"), ("np",))
    formulas += calls_of(("transpose",), ("", ", 1, 0"), ("np",))  # 0, 1 turns nothing in NumPy: PyTorch is meant
    formulas += calls_of(("exp", "sqrt", "square", "log1p", "sign"), ("", ", None", ", where=True", ", keepdims=True"),
                         ("np",), method=False)  # fmt: skip
    formulas += calls_of(("array", "asarray"), ("", ", dtype=float", ", float", ", dtype=int", ", ndmin=2"), ("np",),
                         method=False)  # fmt: skip
    formulas += calls_of(("astype",), (", float", ", int", ", bool", ", np.float32"), ())
    formulas += calls_of(
        ("dot", "matmul", "inner", "outer"), (", C[0]", ", C[:, 1]", ", C", ", z"), ("np",), method=False
    )
    formulas += [f"{a}{place}" for a in ("x", "C[1]", "C[:, 0]", "C.sum(axis=0)", "C.max(1)", "(2 * x)")
                 for place in ("[0]", "[-1]", "[[0, 0]]", "[::-1]", "[0:1]", "[None]")]  # fmt: skip
    # A flat list stands upright by .T here, and lies in NumPy: who writes it knows this language.
    vectors = ("C[0]", "C[:, 0]", "C.sum(axis=0)", "C.sum(axis=1)", "np.diag(C)", "z", "C[:, 0:1]", "k", "C", "C[:, 0].T",
               "np.ones(2)", "np.arange(2)", "C[0:1].ravel()", "C[[0, 1], [1, 0]]", "C @ C[:, 1]")  # fmt: skip
    formulas += [f"{a} {sign} {b}" for a, b in product(vectors, vectors) for sign in "+*/@"]
    upright = ("x.T", "z.T", "C[0].T", "C[:, 0].T", "np.transpose(z)", "C.sum(axis=0).T", "C.sum(axis=1).T", "k.T")
    formulas += [f"{a} {sign} {b}" for a, b in product(upright, ("np.exp(z)", "np.exp(C)", "C.sum(axis=1)", "np.exp(k)"))
                 for sign in "+*/@"]  # fmt: skip
    joins = ("hstack", "vstack", "column_stack", "stack", "array")
    formulas += [f"np.{join}([{a}, {b}])" for join in joins for a, b in product(vectors[:9], vectors[:9])]
    formulas += [f"np.concatenate([{a}, {b}], axis={axis})" for axis in (0, 1, -1)
                 for a, b in product(vectors[:9], vectors[:9])]  # fmt: skip
    formulas += [f"np.hstack([{a}, {b}])[-1]" for a, b in product(vectors[:4], vectors[:4])]
    formulas += [f"np.{f}({a}, {b})" for f in ("maximum", "minimum") for a, b in product(vectors, vectors)]
    formulas += [f"np.where(C > 2, {a}, {b})" for a, b in product(vectors[:7], vectors[:7])]
    formulas += [
        f"np.full({shape}, {value}) + C"
        for shape in ("2", "(2, 2)", "(1, 2)", "(2, 1)")
        for value in ("3", "0.5", "x[1]")
    ]
    return [*dict.fromkeys(formulas), "C & 1", "C | 1", "(C > 1) & (C < 4)", "C[C > 1]"]


def torch_formulas() -> list[str]:
    """What is typed from PyTorch."""
    along = (*(axis.format(a="dim") for axis in AXES), ", dim=1, dtype=torch.float64")
    reduced = calls_of(TORCH_REDUCED, TORCH_ARGUMENTS, ("torch",))
    formulas = reduced + beside_others(calls_of(("sum", "argmax"), along, ("torch",), ("C", "C[1]", "C[:, 0]")))
    pairs = calls_of(
        ("max", "min", "median", "sort", "topk", "kthvalue", "cummax", "mode"), TORCH_ARGUMENTS, ("torch",)
    )
    formulas += [call + end for call in pairs for end in PAIR_ENDS]
    formulas += [f"C - {call}[0]" for call in calls_of(("max",), TORCH_ARGUMENTS, ("torch",), ("C",))]
    formulas += calls_of(("std", "var"), UNBIASED, ("torch",))
    formulas += calls_of(TORCH_REDUCED, (", axis=1", ", axis=1, keepdims=True"), ("torch",), method=False)
    formulas += calls_of(("softmax", "log_softmax"), along, ("torch", "F", "torch.nn.functional", "torch.special"))
    formulas += calls_of(("cumsum", "cumprod", "argsort", "logsumexp"), (*along, ", descending=True"), ("torch",))
    formulas += calls_of(("relu", "gelu", "silu", "elu", "leaky_relu", "softplus", "sigmoid", "tanh"),
                         ("", ", 0.2", ", approximate='tanh'", ", approximate='none'", ", inplace=False", ", alpha=2.0",
                          ", negative_slope=0.1", ", beta=2"), ("F",), method=False)  # fmt: skip
    formulas += calls_of(("layer_norm", "rms_norm"), (", [2]", ", (2,)", ", [2], C[0], C[1]", ", [2], eps=1.0", ", [2, 2]"),
                         ("F",), ("C", "C[1]"), method=False)  # fmt: skip
    formulas += calls_of(("clamp", "clip"), (", 2, 3", ", min=2, max=3", ", min=2", ", max=3"), ("torch",))
    formulas += calls_of(("round",), ("", ", decimals=1", ", decimals=0"), ("torch",))
    formulas += calls_of(("repeat_interleave", "roll"), (", 2", ", 2, 0", ", 2, dim=1", ", 2, dims=1"), ("torch",))
    formulas += calls_of(("repeat", "tile"), (", 2", ", 2, 1", ", 1, 2"), ())
    formulas += calls_of(
        ("transpose", "permute", "flatten", "numel", "size"), ("", ", 0, 1", ", 1, 0", ", 1, 1", ", 0"), ()
    )
    formulas += calls_of(("tril", "triu", "diag", "trace", "t"), ("", ", 1", ", diagonal=1"), ("torch",))
    formulas += calls_of(("float", "int", "long", "bool", "double", "clone"), ("",), ())
    formulas += calls_of(("linalg.norm", "linalg.vector_norm"), (*along, ", 2, 1", ", ord=2"), ("torch",), method=False)
    formulas += calls_of(("div",), (", 2", ", 2, rounding_mode='floor'"), ("torch",))
    formulas += calls_of(("add", "sub"), (", 2", ", C, alpha=2"), ("torch",))
    formulas += ["torch.gather(C, 1, k - 1)", "F.embedding(torch.tensor([1, 0]), C)", "F.normalize(C)",
                 "F.normalize(C, dim=0)", "torch.max(C, C.T)", "torch.min(C, 2 * C)"]  # fmt: skip
    layers = ("Softmax(dim=0)", "Softmax(dim=1)", "Softmax(-1)", "LogSoftmax(dim=-1)", "LayerNorm(2)", "GELU()", "SiLU()",
              "LayerNorm(2, eps=1.0)", "GELU(approximate='tanh')", "LeakyReLU(0.2)", "Softplus()", "ReLU()",
              "LayerNorm(2, elementwise_affine=False)", "LeakyReLU(negative_slope=0.3)")  # fmt: skip
    return [*dict.fromkeys(formulas), *(f"nn.{layer}(C)" for layer in layers)]


def scipy_formulas() -> list[str]:
    """What is typed from SciPy."""
    along = tuple(axis.format(a="axis") for axis in AXES)
    formulas = calls_of(("softmax", "log_softmax", "logsumexp"), (*along, ", axis=1, keepdims=True"),
                        ("scipy.special",), method=False)  # fmt: skip
    formulas += calls_of(("logsumexp",), (", axis=1, b=[1, 2]", ", 0, [1, 2]"), ("scipy.special",), method=False)
    formulas += calls_of(("entropy",), (*along, ", base=2", ", base=2, axis=1", ", C", ", None, 2", ", qk=C"),
                         ("scipy.stats",), method=False)  # fmt: skip
    formulas += calls_of(("norm",), (*along, ", axis=1, keepdims=True"), ("scipy.linalg",), method=False)
    return formulas + calls_of(("expit", "erf", "log1p"), ("",), ("scipy.special",), method=False)


def jax_formulas() -> list[str]:
    """What is typed from JAX."""
    along = tuple(axis.format(a="axis") for axis in AXES)
    formulas = calls_of(("softmax", "log_softmax", "logsumexp"), (*along, ", axis=1, keepdims=True"), ("jax.nn",),
                        method=False)  # fmt: skip
    formulas += calls_of(("relu", "gelu", "silu", "swish", "elu", "leaky_relu", "softplus", "sigmoid"),
                         ("", ", 0.2", ", approximate=False", ", approximate=True", ", negative_slope=0.1"), ("jax.nn",),
                         method=False)  # fmt: skip
    formulas += calls_of(("sum", "mean", "max", "std", "argmax", "cumsum", "argsort"), NUMPY_ARGUMENTS, ("jnp",))
    return formulas


def keras_formulas() -> list[str]:
    """What is typed from Keras, whose functions are much as TensorFlow's."""
    along = tuple(axis.format(a="axis") for axis in AXES)
    formulas = calls_of(("softmax", "log_softmax", "logsumexp"), (*along, ", axis=1, keepdims=True"), ("keras.ops",),
                        method=False)  # fmt: skip
    formulas += calls_of(("relu", "gelu", "silu", "elu", "leaky_relu", "softplus", "sigmoid"),
                         ("", ", 0.3", ", approximate=False", ", negative_slope=0.1"), ("keras.ops",), method=False)  # fmt: skip
    functions = (
        "sum",
        "mean",
        "max",
        "min",
        "prod",
        "std",
        "var",
        "any",
        "all",
        "argmax",
        "argmin",
        "cumsum",
        "argsort",
    )
    formulas += calls_of(functions, (*along, ", 1, True", ", axis=1, keepdims=True"), ("keras.ops",), method=False)
    return formulas + calls_of(("normalize",), ("", ", axis=0"), ("keras.ops",), method=False)


FORMULAS = {"torch": torch_formulas, "scipy": scipy_formulas, "jax": jax_formulas, "keras": keras_formulas}
