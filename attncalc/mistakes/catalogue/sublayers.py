"""Mistakes in residual connections, the feed-forward layer, and the order of sublayers and norms."""

from collections.abc import Iterator

from ...formula.parser import parse
from ...formula.syntax_tree import Binary, Call, Name, Number, Tree, substitute
from ...plan import Step
from ..mistake import MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis
from ..tree_rewriting import Substitution

_ONE_ROW = "(x_ - row_mean(x_)) / sqrt(row_var(x_) + eps_)"
_ONE_COLUMN = "(x_ - col_mean(x_)) / sqrt(col_var(x_) + eps_)"


def _norm_of(site: StepAnalysis, step: Step) -> Substitution:
    """Return the formulas in an add-and-norm step, by name; an empty mapping for other steps."""
    part = next((p for p in site.of_step(step).parts if p.role in ("Y", "normed") and not p.spot.path), None)
    trees = site.trees(part.names) if part is not None else {}
    return trees if {"sum", "deviation"} <= trees.keys() else {}


def _normed(site: StepAnalysis, x: Tree, deviation: Tree) -> Tree:
    """Return LayerNorm of a formula. Its ε is the ε in the formula `deviation`."""
    inside = deviation.arguments[0] if isinstance(deviation, Call) and deviation.arguments else None
    eps = inside.right if isinstance(inside, Binary) and inside.operator == "+" else Number("0")
    return substitute(parse(_ONE_COLUMN if site.columns else _ONE_ROW), {"x_": x, "eps_": eps})


def _step(site: StepAnalysis, tree: Tree) -> Step | None:
    entry = site.names.get(tree.name) if isinstance(tree, Name) else None
    return entry if isinstance(entry, Step) and site.is_before(entry) else None


def _product(site: StepAnalysis, part: RoleMatch) -> tuple[Binary, Tree] | None:
    """Return the product of tokens and weights in a projection, and the tokens; None for other formulas."""
    tree = part.spot.tree
    while isinstance(tree, Binary) and tree.operator == "+":
        tree = tree.left
    if not isinstance(tree, Binary) or tree.operator != "@":
        return None
    return tree, tree.right if site.columns else tree.left


def _replace_tokens(part: RoleMatch, tokens: Tree, new: Tree) -> Tree:
    return substitute(part.spot.tree, {tokens.name: new}) if isinstance(tokens, Name) else part.spot.tree


def _before_norm(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield projections of the input of the norm instead of the output of the norm."""
    product = _product(site, part)
    if product is None or (step := _step(site, product[1])) is None:
        return
    around = _norm_of(site, step)
    yield from (_replace_tokens(part, product[1], around[name]) for name in ("sum", "sublayer") if name in around)


def _normed_first(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield a projection of normalised tokens, if the problem normalises after the sublayer."""
    product = _product(site, part)
    if (
        product is None
        or not isinstance(product[1], Name)
        or (token_step := _step(site, product[1])) is not None
        and _norm_of(site, token_step)
    ):
        return
    for step in site.plan.steps():
        if step.part == site.step.part and site.plan.order[step.key] > site.plan.order[site.step.key]:
            around = _norm_of(site, step)
            if around.get("residual") == product[1]:
                yield _replace_tokens(part, product[1], _normed(site, product[1], around["deviation"]))
                return


def _from_normed(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield a residual sum with the normalised input of the sublayer instead of the input of the norm."""
    tree = part.spot.tree
    if not isinstance(tree, Binary) or tree.operator != "+":
        return
    for entry in site.plan.steps():
        if (
            entry.part == site.step.part
            and site.is_before(entry)
            and (isinstance(entry.tree, Name) or _is_stretched(site, entry))
        ):
            norm = _norm_of(site, entry)
            if norm and norm["sum"] == tree.left:
                yield Binary("+", Name(entry.name), tree.right)
            elif norm and norm["sum"] == tree.right:
                yield Binary("+", tree.left, Name(entry.name))


def _is_stretched(site: StepAnalysis, step: Step) -> bool:
    """Return whether a step is the output of a norm with γ."""
    return any(part.role == "Y" and not part.spot.path for part in site.recogniser.parts[step.key])


def _sublayer_alone(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield x + LN(f(x)) for LN(x + f(x))."""
    around = site.trees(part.names)
    if {"residual", "sublayer", "deviation"} <= around.keys():
        yield Binary("+", around["residual"], _normed(site, around["sublayer"], around["deviation"]))


MISTAKES = (
    Mistake(
        "residual-missing", "block", ("sum",),
        "It looks as if you left out one of the two terms of the residual sum.",
        "The residual connection adds the sublayer's input to its output: x + f(x).",
        (("x_ + f_", "f_"), ("x_ + f_", "x_")), MEDIUM,
    ),
    Mistake(
        "residual-subtracted", "block", ("sum",),
        "It looks as if you subtracted one of the two terms of the residual sum.",
        "The residual connection adds the sublayer's input to its output: x + f(x).",
        (("x_ + f_", "x_ - f_"), ("x_ + f_", "f_ - x_")),
    ),
    Mistake(
        "relu-forgotten", "feed-forward", ("active",),
        "It looks as if you left out the activation function.",
        "Apply the activation function between the two layers; ReLU, for example, turns every negative number into 0.",
        (("relu(h_)", "h_"), ("gelu(h_)", "h_"), ("silu(h_)", "h_")), MEDIUM,
        "the activation function is ReLU and no entry is negative",
    ),
    Mistake(
        "relu-as-absolute-value", "feed-forward", ("active",),
        "It looks as if you dropped the minus signs instead of setting negative numbers to 0.",
        "ReLU turns negative numbers into 0, not into positive ones.",
        (("relu(h_)", "abs(h_)"),), same="no entry is negative",
    ),
    Mistake(
        "relu-of-negatives", "feed-forward", ("active",),
        "It looks as if you kept the negative numbers and set the positive ones to 0.",
        "ReLU turns negative numbers into 0 and does not change the others: max(0, x).",
        (("relu(h_)", "minimum(h_, 0)"),), same="every entry is 0",
    ),
    Mistake(
        "leaky-relu-for-relu", "feed-forward", ("active",),
        "It looks as if you multiplied the negative numbers by a small factor, as leaky ReLU does.",
        "ReLU turns every negative number into 0.",
        tuple(("relu(h_)", f"maximum(h_, {slope} * h_)") for slope in ("0.01", "0.1", "0.2")),
        same="no entry is negative",
    ),
    Mistake(
        "step-for-relu", "feed-forward", ("active",),
        "It looks as if you wrote 1 for each positive number, which is the derivative of ReLU.",
        "ReLU turns negative numbers into 0 and does not change the others.",
        (("relu(h_)", "where(h_ > 0, 1, 0)"),),
    ),
    Mistake(
        "sigmoid-for-relu", "feed-forward", ("active",),
        "It looks as if you used a sigmoid (or tanh) as the activation function.",
        "ReLU turns negative numbers into 0 and does not change the others.",
        (("relu(h_)", "sigmoid(h_)"), ("relu(h_)", "tanh(h_)")),
    ),
    Mistake(
        "relu-for-gelu", "feed-forward", ("active",),
        "It looks as if you used ReLU instead of the smooth activation function.",
        "This layer has a smooth activation function; use the formula that the problem gives.",
        (("gelu(h_)", "relu(h_)"), ("silu(h_)", "relu(h_)")),
    ),
    Mistake(
        "gelu-other-form", "feed-forward", ("active",),
        "It looks as if you used a different form of GELU.",
        "Use the form that the problem gives: with erf, with tanh, or x·σ(1.702 x).",
        (("gelu(h_)", 'gelu(h_, form="tanh")'), ("gelu(h_)", 'gelu(h_, form="sigmoid")'),
         ("gelu(h_)", 'gelu(h_, form="erf")')),
    ),
    Mistake(
        "relu-after-second-layer", "feed-forward", ("Y",),
        "It looks as if you applied the activation function after the second layer too.",
        "The activation function comes between the two layers; do not apply it to the result of the second layer.",
        (("active @ w_ + b_", "relu(active @ w_ + b_)"), ("active @ w_", "relu(active @ w_)")), MEDIUM,
    ),
    Mistake(
        "hidden-without-activation", "feed-forward", ("Y",),
        "It looks as if you skipped the activation function: you gave the second layer the unchanged hidden values.",
        "The input of the second layer is the result of the activation function.",
        (("active @ w_", "hidden @ w_"),),
    ),
    Mistake(
        "input-before-norm", "block", ("Q", "K", "V", "hidden"),
        "It looks as if you used the values before the norm (Add & Norm).",
        "The input of this sublayer is the output of the norm before it.",
        (), MEDIUM, build=_before_norm,
    ),
    Mistake(
        "norm-before-sublayer", "block", ("Q", "K", "V", "hidden"),
        "It looks as if you normalised the input before the sublayer.",
        "In this layer the norm comes after the sublayer and its residual: LayerNorm(x + f(x)).",
        (), MEDIUM, build=_normed_first,
    ),
    Mistake(
        "residual-from-normed-input", "block", ("sum",),
        "It looks as if you added the normalised input of the sublayer.",
        "The residual connection adds the input of the norm: x + f(LayerNorm(x)).",
        (), MEDIUM, build=_from_normed,
    ),
    Mistake(
        "norm-of-sublayer-alone", "block", ("normed",),
        "It looks as if you normalised only the sublayer's output and then added the residual: x + LayerNorm(f(x)).",
        "Add first, then normalise: LayerNorm(x + f(x)).",
        (), MEDIUM, build=_sublayer_alone,
    ),
)  # fmt: skip
