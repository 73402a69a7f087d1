"""Mistakes in relative positions, latent vectors and layers with a state."""

from collections.abc import Iterator

from ...formula.syntax_tree import Binary, Name, Tree
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis
from ..tree_rewriting import TreePath


def _one_way_back(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield each of the two gradients whose sum is the gradient of a sublayer's input: through the residual, and
    through the sublayer.
    """
    tree = part.spot.tree
    if (
        isinstance(tree, Binary)
        and tree.operator == "+"
        and all(_is_gradient(site, operand) for operand in part.spot.children())
    ):
        yield from (tree.left, tree.right)


def _is_gradient(site: StepAnalysis, spot: TreePath) -> bool:
    """Return whether a name means the gradient with respect to the input of a sublayer or norm."""
    target = site.recogniser.dereference(spot)
    return isinstance(spot.tree, Name) and any(
        candidate.role == "dX" and candidate.spot.path == target.path
        for candidate in site.recogniser.parts[target.step.key]
    )


MISTAKES = (
    Mistake(
        "state-not-faded", "state", ("state", "projection"),
        "It looks as if you added to the state without the decay.",
        "Multiply the old state by γ first, then add the token's contribution.",
        (("gamma * a_ + b_", "a_ + b_"),), HIGH,
    ),
    Mistake(
        "state-space-not-faded", "state", ("state", "Q"),
        "It looks as if you added to the state without the decay.",
        "Multiply the state by exp(Δ · A) first, then add the token's contribution.",
        (("decay * s_ + b_", "s_ + b_"),), HIGH,
    ),
    Mistake(
        "fading-forgotten", "state", ("S_decayed",),
        "It looks as if you left out the powers of γ.",
        "Multiply each score by γ to the power of the distance.",
        (("S * decay", "S"),), MEDIUM,
    ),
    Mistake(
        "value-added-not-replaced", "state", ("state",),
        "It looks as if you added the new value to the old value.",
        "The delta rule adds the difference between the new value and the value stored under the key.",
        (("a_ + b_ * (k_ @ (v_ - o_))", "a_ + b_ * (k_ @ v_)"),), HIGH, "nothing was stored under the key before",
    ),
    Mistake(
        "beta-of-the-delta-rule-forgotten", "state", ("state",),
        "It looks as if you left out β.",
        "Only the fraction β of the difference is written into the state.",
        (("a_ + b_ * (k_ @ (v_ - o_))", "a_ + k_ @ (v_ - o_)"),), MEDIUM, "β is 1",
    ),
    Mistake(
        "decay-without-step", "state", ("decay",),
        "It looks as if you left out the step size in the exponent.",
        "The state decays by the factor exp(Δ · A).",
        (("exp(d_ * A)", "exp(A)"),), MEDIUM, "the step size is 1",
    ),
    Mistake(
        "input-without-step", "state", ("input",),
        "It looks as if you did not multiply the token by its step size.",
        "Multiply the token by its step size Δ.",
        (("delta * X", "X"),), MEDIUM, "the step sizes are 1",
    ),
    # -- relative positions
    Mistake(
        "distance-the-other-way", "relative positions", ("distance",),
        "It looks as if you subtracted the position of the key from that of the query.",
        "The offset is the position of the key minus the position of the query.",
        (("a_ - b_", "b_ - a_"),), HIGH, "there is one token",
    ),
    Mistake(
        "distances-forgotten", "relative positions", ("S", "Z", "S_biased"),
        "It looks as if you left out the term for the offsets.",
        "Add the term for the offsets to the term for the tokens.",
        (("S_words + S_places", "S_words"), ("Z_words + Z_places", "Z_words")), HIGH,
    ),
    Mistake(
        "factor-multiplied", "relative positions", ("speeds_scaled",),
        "It looks as if you multiplied the frequencies by the factor.",
        "A longer text needs lower frequencies: divide them by the factor.",
        (("speeds / f_", "speeds * f_"),), MEDIUM,
    ),
    Mistake(
        "ramp-turned-round", "relative positions", ("speeds_scaled",),
        "It looks as if you swapped low and high frequencies.",
        "Low frequencies are divided by the factor, and high frequencies stay unchanged.",
        (("(1 - r_) * a_ / f_ + r_ * a_", "r_ * a_ / f_ + (1 - r_) * a_"),), MEDIUM,
    ),
    Mistake(
        "base-times-factor", "relative positions", ("base_scaled",),
        "It looks as if you multiplied the base by the factor itself.",
        "Multiply the base by the factor to the power d/(d − 2).",
        (("b_ * f_ ** p_", "b_ * f_"),), MEDIUM,
    ),
    # -- latent vectors
    Mistake(
        "scale-without-turned-part", "latent vectors", ("S_scaled",),
        "It looks as if you left out the dimension of the rotated part in the scale.",
        "Queries and keys also have a rotated part: divide by the square root of the sum of both dimensions.",
        (("s_ / sqrt(cols(a_) + cols(b_))", "s_ / sqrt(cols(a_))"),), MEDIUM,
    ),
    # -- gradients of norms and layers
    Mistake(
        "part-along-the-token-kept", "gradient", ("dX", "normed"),
        "It looks as if you did not subtract the part along the normalised token.",
        "If ε is 0, multiplying the token by 2 does not change the output. So subtract the part along the normalised "
        "token.",
        (("(d_ - n_ * along) / r_", "d_ / r_"),), HIGH,
    ),
    Mistake(
        "residual-path-forgotten", "gradient", ("dX", "dresidual1", "projection"),
        "It looks as if you left out one of the two paths.",
        "The gradient goes through the sublayer and through the residual path: add the gradients of both paths.",
        (), HIGH, build=_one_way_back,
    ),
)  # fmt: skip
