"""Recognises the roles of formulas by patterns. The name of a step also matches the pattern of its formula.

If an author's formula is a step of a lesson, the patterns in lesson_patterns.json recognise it (see pattern_file.py).
In these patterns, a name that ends in `_` is a variable. `adam:m_` matches a formula with the form of step `m` of the
lesson `adam`, or a given. `number_` matches a single number. A suffix after `__` only distinguishes variables. A match
is accepted if enough operations agree, and no other step explains as many operations.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import count
from typing import Any

from ...formula.parser import parse
from ...formula.syntax_tree import Index, Name, Transpose, Tree, rewrite, unparse
from ...formula.syntax_tree import names as names_in
from ...plan import Given, Plan, Step
from ..tree_rewriting import TreePath, head_operation, mirror, operands, replace_subtree
from .matcher import MAX_DEPTH, Bindings, Kinds, Matching, Names
from .rotations import as_turn

Alternative = tuple[str, str]  # a role (`S`, `A`; "" for none) and a pattern for its formulas

MOST_FORMS = 3  # the largest number of forms that are suggested for a role
_VARIABLE = re.compile(r"\b(\w+)_(?!\w)")  # finds a variable in a pattern
_ANY = ("", "any_")
_SCORES = (
    ("S_masked", "keep(unmasked_, mask_)"),
    ("S_capped", "cap_ * tanh(scores_ / cap_)"),
    ("S_scaled", "unscaled_ / divisor_"),
    ("S_scaled", "unscaled_ * number_"),
    ("S", "Q_ @ K_.T"),
    ("S", "narrow_Q_ @ K_.T"),
    ("S", "Q_ @ narrow_K_.T"),
    ("S_biased", "unbiased_ + bias_"),
)
_COMPARED = (  # formulas that are certainly scores: products of queries and keys, quotients by a root, or masked scores
    ("S_masked", "keep(unmasked_, causal(n_, m_))"),
    ("S_masked", "keep(unmasked_, given_)"),
    ("S_masked", "keep(unmasked_, given_ == 0)"),  # the form of an additive mask of 0 and −∞
    ("S_masked", "keep(compared_, mask_)"),
    ("S_capped", "cap_ * tanh(compared_ / cap_)"),
    ("S_scaled", "unscaled_ / root_"),
    ("S_scaled", "compared_ / divisor_"),
    ("S_scaled", "compared_ * number_"),
    ("S", "Q_ @ K_.T"),
    ("S_biased", "compared_ + bias_"),
)
_WEIGHTS = (
    ("A_masked", "weights_ * mask_ / row_sum(weights_ * mask_)"),
    ("A_masked", "normalize(weights_ * mask_)"),
    *(("A", f"{softmax}(scores_)") for softmax in ("softmax", "softmax_cols", "softmax_all")),
    ("A", "E_ / E_sum_"),
)
_FORWARD = (("Z", "mixed_"), ("Z", "output_"), ("Y", "second_layer_"))
_BACK = (
    ("dS", "A_ * (dA_ - row_sum(A_ * dA_))"),
    ("dS", "factor_ * A_ * (dA_ - row_sum(A_ * dA_))"),
    ("dS", "A_ * (dA_ - total(A_ * dA_))"),
    ("dS", "back_ / divisor_"),
    ("dS", "back_ * number_"),
    ("dS", "keep(back_, mask_)"),
    ("dS", "back_ * (1 - (capped_ / cap_) ** 2)"),
)
_LOGARITHM = ("log(p_)", "log2(p_)", "log10(p_)")


def _rotations(name: str) -> tuple[Alternative, ...]:
    """Return the forms of a kind that is rotated by positions."""
    forms = (f"turn({name}_, cosines_, sines_)", f"turn({name}_, c_, s_)", f"rope({name}_)")
    return tuple(("X_rot", form) for form in forms)


def _parts(kind: str) -> tuple[Alternative, ...]:
    """Return the forms of a kind that is a part of a table, transposed or concatenated."""
    return ("", f"part({kind}_)"), ("", f"{kind}_.T"), ("", f"hstack({kind}_)"), ("", f"vstack({kind}_)")


def _projections(role: str, tokens: str, kind: str = "") -> tuple[Alternative, ...]:
    """Return the forms of queries, keys or values: products of tokens and weights, their rotations, and blocks."""
    product = f"{tokens}_ @ W_{role}_"
    return (role, f"{product} + b_{role}_"), (role, product), *_rotations(kind or role), ("", f"part({kind or role}_)")


KINDS: dict[str, tuple[Alternative, ...]] = {
    # -- attention -----------------------------------------------------------------------------------------------------
    "mixed": (("Z", "H_ @ W_O_ + b_O_"), ("Z", "H_ @ W_O_")),
    "H": (("H", "hstack(output_)"),),
    "output": (("Z", "weights_ @ V_"),),
    "weights": _WEIGHTS,
    "sure_weights": (("A", "softmax(compared_)"),),
    "E": (("E", "exp(scores_)"), ("E", "base_ ** scores_")),
    "E_sum": (("E_sum", "row_sum(E_)"), ("E_sum", "col_sum(E_)"), ("E_sum", "total(E_)")),
    "scores": (*_SCORES, _ANY),
    "unmasked": (*_SCORES, _ANY),
    "unscaled": (*_SCORES, _ANY),
    "unbiased": (*_SCORES, _ANY),
    "compared": _COMPARED,
    "narrow_Q": (("S_scaled", "Q_ / divisor_"),),
    "narrow_K": (("S_scaled", "K_ / divisor_"),),
    "Q": (*_projections("Q", "X"), _ANY),
    "K": (*_projections("K", "memory"), ("joined", "vstack(kept_, new_K_)"), _ANY),
    "V": (*_projections("V", "source"), ("joined", "vstack(kept_, new_V_)"), _ANY),
    "new_K": (*_projections("K", "memory", "new_K"), _ANY),  # of a new token, for the cache
    "new_V": (*_projections("V", "source", "new_V"), _ANY),
    **dict.fromkeys(("X", "memory", "source"), (("X_pe", "X_plain_ + positions_"), _ANY)),
    # -- positions -----------------------------------------------------------------------------------------------------
    "encoded": (("X_pe", "X_plain_ + table_"),),
    "table": (("PE", "sinusoidal(n_, d_)"),),
    "positions": (("PE", "sinusoidal(n_, d_)"), ("PE", "given_")),
    "X_plain": (("scaled", "plain_ * number_"), _ANY),
    "rotated": _rotations("plain"),
    "cosines": (("cos", "cos(angles_)"), *_parts("cosines")),
    "sines": (("sin", "sin(angles_)"), *_parts("sines")),
    "angles": (("angles", "p_ / q_"), ("angles", "p_ * q_"), ("angles", "-p_ / q_"), _ANY),
    # -- normalisation and residuals -----------------------------------------------------------------------------------
    "stretched": (("Y", "normed_ * gamma_ + beta_"), ("Y", "normed_ * gamma_"), ("Y", "normed_ + beta_")),
    "normed": (
        ("normed", "centred_ / deviation_"), ("normed", "centred_ * (1 / deviation_)"),
        ("normed", "sum_ / root_mean_square_"), ("normed", "sum_ * (1 / root_mean_square_)"),
    ),
    "centred": (("centred", "sum_ - mean_"),),
    "mean": (("mean", "row_mean(sum_)"), ("mean", "row_sum(sum_) / width_")),
    "deviation": (
        ("deviation", "sqrt(var_ + eps_)"), ("deviation", "sqrt(var_) + eps_"), ("deviation", "sqrt(var_)"),
        ("deviation", "row_std(sum_) + eps_"), ("deviation", "row_std(sum_)"),
    ),
    "var": (
        ("var", "row_var(sum_)"), ("var", "row_mean(centred_ ** 2)"), ("var", "row_sum(centred_ ** 2) / width_"),
        ("var", "row_mean(centred_ * centred_)"), ("var", "row_sum(centred_ * centred_) / width_"),
        ("var", "row_mean(sum_ ** 2) - mean_ ** 2"),
    ),
    "root_mean_square": (("deviation", "sqrt(mean_square_ + eps_)"), ("deviation", "sqrt(mean_square_)")),
    "mean_square": (("mean_square", "row_mean(sum_ ** 2)"), ("mean_square", "row_sum(sum_ ** 2) / width_"),
        ("mean_square", "row_mean(sum_ * sum_)"), ("mean_square", "row_sum(sum_ * sum_) / width_")),
    "sum": (("sum", "residual_ + sublayer_"), _ANY),
    "residual_sum": (("sum", "residual_ + forward_"),),
    "forward": _FORWARD,
    # -- feed-forward --------------------------------------------------------------------------------------------------
    "second_layer": (("Y", "active_ @ W_2_ + b_2_"), ("Y", "active_ @ W_2_")),
    "active": (
        *(("active", f"{word}(hidden_)") for word in ("relu", "gelu", "silu", "tanh", "sigmoid")),
        *(("active", f"{word}(gate_) * hidden_") for word in ("silu", "gelu", "sigmoid", "relu", "tanh")),
    ),
    "hidden": (("hidden", "X_ @ W_1_ + b_1_"), ("hidden", "X_ @ W_1_"), _ANY),
    "gate": (("gate", "X_ @ W_gate_ + b_gate_"), ("gate", "X_ @ W_gate_"), _ANY),
    # -- words and losses ----------------------------------------------------------------------------------------------
    "P": (("P", "softmax(logits_)"), ("P", "softmax_cols(logits_)")),
    "logits": (
        ("logits_kept", "keep(logits_, m_)"), ("logits_scaled", "logits_ / divisor_"),
        ("logits", "last_ @ W_out_ + b_out_"), ("logits", "last_ @ W_out_"), _ANY,
    ),
    "P_kept": (("P_kept", "chosen_ / row_sum(chosen_)"),),
    "chosen": (("", "P_ * nucleus_"),),
    "perplexity": (("perplexity", "exp(loss_)"), ("perplexity", "base_ ** loss_")),
    "loss": (
        ("loss", "total(losses_) / count_"), ("loss", "mean(losses_)"), ("loss", "col_mean(losses_)"),
        ("loss", "row_mean(losses_)"), ("loss", "cross_entropy(p_, i_)"),
        ("loss", "total(losses_)"), ("loss", "-mean(logarithm_)"), ("loss", "-total(logarithm_) / count_"),
    ),
    "losses": (
        ("losses", "-logarithm_"), ("losses", "-logarithm_ / number_"),
        ("losses", "-row_sum(truth_ * hidden_logarithm_)"),
        ("losses", "-row_sum(truth_ * hidden_logarithm_) / number_"),
        ("losses", "-(truth_ * logarithm_)"), ("losses", "-total(truth_ * logarithm_)"),
    ),
    "logarithm": tuple(("", log) for log in _LOGARITHM),
    "hidden_logarithm": (*(("", log) for log in _LOGARITHM), ("", "keep(logarithm_, m_)")),
    # -- the learning rate ---------------------------------------------------------------------------------------------
    "lr": (("lr", "factor_ * d_model_ ** (-1/2) * smaller_"), ("lr", "d_model_ ** (-1/2) * smaller_")),
    "smaller": (("smaller", "minimum(decay_, rise_)"),),
    "decay": (("decay", "step_ ** (-1/2)"),),
    "rise": (("rise", "step_ * warmup_ ** (-3/2)"),),
    # -- gradients -----------------------------------------------------------------------------------------------------
    "back": _BACK,
    "A": (*_WEIGHTS, _ANY),
    "dA": (("dA", "dZ_ @ V_.T"), ("dA", "mask_ * (dA_masked_ - row_sum(weights_ * dA_masked_)) / below_"), _ANY),
    "dA_masked": (("dA_masked", "dZ_ @ V_.T"), _ANY),
    "dZ": (("dZ", "part(dH_)"), ("dH", "dY_ @ W_O_.T"), _ANY),
    "dH": (("dH", "dZ_ @ W_O_.T"), _ANY),
    "dQ": (("dQ", "back_ @ K_"),),
    "dK": (("dK", "back_.T @ Q_"), ("dK", "dK_ + dK_2_")),
    "dK_2": (("dK", "back_.T @ Q_"),),
    "dV": (("dV", "weights_.T @ dZ_"), ("dV", "dV_ + dV_2_")),
    "dV_2": (("dV", "weights_.T @ dZ_"),),
    "dlogits": (("dlogits", "(P_ - truth_) / count_"), ("dlogits", "P_ - truth_"),
        ("dlogits", "(P_ * truth_ - right_) / count_")),
    "dnorm": (
        ("dX", "(dcentred_ - normed_ * row_sum(dnormed_ * normed_) / width_) / deviation_"),
        ("dX", "dcentred_ / deviation_ - g_ / r_"),
    ),
    "dcentred": (("dcentred", "dnormed_ - row_mean(dnormed_)"),),
    "dnormed": (("dnormed", "dY_ * gamma_"), _ANY),
    "dgamma": (("dgamma", "col_sum(dY_ * normed_)"),),
    "dhidden": (("dhidden", "keep(dactive_, relu(hidden_))"), ("dhidden", "dactive_ * slope_")),
    "slope": (("", "1 - active_ ** 2"), ("", "active_ * (1 - active_)")),
    "dactive": (("dactive", "dY_ @ W_2_.T"), _ANY),
    "ways": (("", "ways_ + way_"), ("", "g_ @ w_.T")),
    "way": (("", "g_ @ w_.T"),),
    "dX": (("dX", "ways_ + way_"), ("dX", "dhidden_ @ W_1_.T"), ("dX", "dlogits_ @ W_out_.T")),
    "J": (("J", "identity(n_) * p_ - p_.T @ p_"),),
    "dW": (("dW", "x_.T @ g_"),),
    "db": (("db", "col_sum(g_)"),),
    # -- cheaper attention and counts ----------------------------------------------------------------------------------
    "linear": (("linear", "weighted_ / mass_"),),
    "weighted": (("", "phi_Q_ @ state_"),),
    "mass": (("", "phi_Q_ @ col_sum(phi_K_).T"),),
    "state": (("", "phi_K_.T @ V_"),),
    "phi_Q": (("phi", "elu(Q_) + 1"), ("phi", "relu(Q_)"), ("phi", "exp(Q_)"), _ANY),
    "phi_K": (("phi", "elu(K_) + 1"), ("phi", "relu(K_)"), ("phi", "exp(K_)"), _ANY),
    "pair_products": (("pair_products", "pairs_ * (cols(l_) + cols(r_))"),),
    "saved": (("saved", "1 - part_ / pair_products_"),),
    "unit": (("GB", "bytes_ / 10 ** 9"), ("GiB", "bytes_ / 2 ** 30")),
    # -- other formulas ------------------------------------------------------------------------------------------------
    "score": (("S", "Q_ @ K_.T"),),
    "scaled_score": (("S_scaled", "unscaled_ / root_"),),
    "masked_score": (("S_masked", "keep(unmasked_, mask_)"),),
    "scaled": (("scaled", "plain_ * root_"),),
    "projection": (("projection", "x_ @ given_ + b_any_"), ("projection", "x_ @ given_")),
}  # fmt: skip

# Recognition starts with these kinds. Larger formulas come first, and formulas inside a match are not tried again.
BEGINNINGS = (
    "J", "dnorm", "dgamma", "linear", "mixed", "H", "output", "dQ", "dK", "dV", "back", "sure_weights", "perplexity",
    "loss", "losses", "dlogits", "P_kept", "P", "stretched", "normed", "dX", "second_layer", "dhidden", "active",
    "residual_sum", "encoded", "table", "rotated", "lr", "smaller", "var", "dW", "db", "score", "scaled_score",
    "masked_score", "scaled", "saved", "pair_products", "unit", "projection",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RoleMatch:
    """A formula with its role. `names` are the bindings that related formulas share. `codes` contains the possible
    mistakes; if it is empty, all mistakes of the role are possible.
    """

    role: str
    spot: TreePath
    names: Bindings = field(default_factory=dict, compare=False)
    codes: frozenset[str] = frozenset()


class Recogniser(Matching):
    """Recognises the roles in one plan."""

    def __init__(self, plan: Plan, columns: bool, with_lesson_patterns: bool = True):
        super().__init__(plan, _kinds(columns))
        self.columns = columns
        self.parts: dict[str, list[RoleMatch]] = {step.key: [] for step in plan.steps()}
        self.sites: dict[str, Any] = {}  # the analyses of steps, by key
        self.claimed_keys: set[tuple[str, tuple[int, ...]]] = set()
        self.names.rotations = self.rotations()
        self.cache.clear()
        self.parsed_before.clear()
        spots = self.spots()
        for kind in BEGINNINGS:
            for spot in (spot for head in self.kinds[kind] for spot in spots.get(head, ())):
                if spot.key not in self.claimed_keys and self.is_match(kind, spot):
                    self.record(kind, spot, {})
        if with_lesson_patterns and any(not (step.lesson or step.given) for step in plan.steps()):
            for reading in LessonPatterns(plan, self.names).largest_matches(spots):
                self.add(reading, {})

    def rotations(self) -> dict[tuple[str, Tree], Tree]:
        """Return the author's formulas in which turn(X, C, S) replaces rotations that are written with products."""
        rotations: dict[tuple[str, Tree], Tree] = {}
        for step in self.plan.steps():
            stack = [] if step.lesson or step.given else [TreePath(step, (), self.names.tree(step))]
            while stack:
                spot = stack.pop()
                if (turn := as_turn(self, spot)) is None:
                    stack += spot.children()
                    continue
                tree = rotations.get((step.key, step.tree), self.names.tree(step))
                rotations[step.key, step.tree] = replace_subtree(tree, spot.path, turn)
        return rotations

    @cached_property
    def lines(self) -> dict[str | None, dict[Tree, list[tuple[str, Step]]]]:
        """The (name, step) pairs of the steps with a formula, by part and formula. A step of another part is included
        only if the names in its formula have the same meaning in both parts.
        """
        scopes = self.names.scopes
        steps_by_formula: dict[str | None, dict[Tree, list[tuple[str, Step]]]] = {part: {} for part in scopes}
        for part, scope in scopes.items():
            for name, entry in scope.items():
                if not isinstance(entry, Step) or isinstance(entry.tree, Name):
                    continue
                if all(scope.get(used) is scopes[entry.part].get(used) for used in names_in(entry.tree)):
                    steps_by_formula[part].setdefault(entry.tree, []).append((name, entry))
        return steps_by_formula

    @cached_property
    def families(self) -> dict[tuple[str | None, str], list[Step]]:
        """The steps of lessons, by part and prefix: `attention.` for `attention.A_1`."""
        families: dict[tuple[str | None, str], list[Step]] = {}
        for step in self.plan.steps():
            if step.lesson:
                prefix = step.name.rpartition(".")[0]
                families.setdefault((step.part, prefix and prefix + "."), []).append(step)
        return families

    def has_form(self, role: str, step: Step) -> bool:
        """Return whether the formula of a step has a form of a role, even if other steps give it another role."""
        spot = TreePath(step, (), self.names.tree(step))
        kinds = (kind for kind, rows in KINDS.items() if any(form_role == role for form_role, _ in rows))
        matches = (self.parse_as(kind, spot) for kind in kinds)
        return any(match is not None and match[0] == role for match in matches)

    def spots(self) -> dict[str, list[TreePath]]:
        """Return all paths by outermost operation. Later steps and larger formulas come first."""
        spots_by_operation: dict[str, list[TreePath]] = {}
        for step in reversed(list(self.plan.steps())):
            stack = [TreePath(step, (), self.names.tree(step))]
            while stack:
                spot = stack.pop(0)
                spots_by_operation.setdefault(head_operation(spot.tree), []).append(spot)
                stack += spot.children()
        spots_by_operation.pop("", None)
        return spots_by_operation

    def is_match(self, kind: str, spot: TreePath) -> bool:
        """Return whether the formula has a kind. An operand of a projection must not have another role."""
        parse_result = self.parse_as(kind, spot)
        if parse_result is None or kind != "projection":
            return parse_result is not None
        _, root, holes = parse_result
        child_keys = {child.key: self.dereference(child).key for child in root.children()}
        return not any(
            target_key in self.claimed_keys
            for key, target_key in child_keys.items()
            if key not in {hole.key for hole in holes.values()}
        )

    def match_variable(self, pattern: str, spot: TreePath, bindings: Bindings) -> Iterator[Bindings]:
        """Yield the bindings with a variable bound to a path, if this is allowed. Variables such as `b_Q_` need a
        bias.
        """
        if not (pattern.startswith("b_") and len(pattern) > 2) or self.is_bias(spot, bindings):
            yield from super().match_variable(pattern, spot, bindings)

    def is_bias(self, spot: TreePath, bindings: Bindings) -> bool:
        """Return whether a term of a sum is a bias, which is a given with a single row or column.

        In a residual sum x + f(x) of a single token, x is not a bias, because f(x) depends on x.
        """
        if not (self.may_bind("given", spot) and self.is_line(spot)):
            return False
        others = (other for name, other in bindings.items() if name.endswith("_") and self.is_line(other))
        used = {key for other in others for above in self.keys_in(other) for key in self.plan.ancestors(above)}
        return not self.keys_in(spot) & used

    def is_line(self, spot: TreePath) -> bool:
        """Return whether a formula has a single row or a single column."""
        node = self.checked_node(spot.tree, spot.step.part)
        return node is not None and 1 in node.shape

    def keys_in(self, spot: TreePath) -> set[str]:
        """Return the keys of the givens and steps in a formula."""
        entries = (self.names.find(spot.step.part, name) for name in names_in(spot.tree))
        return {entry.key for entry in entries if entry is not None}

    def record(self, kind: str, spot: TreePath, names: Bindings, depth: int = 0) -> None:
        """Record the roles of a formula and of its parts. All of them share `names`."""
        parse_result = self.parse_as(kind, spot)
        if parse_result is None or depth > MAX_DEPTH:
            return
        role, root, holes = parse_result
        if holes:
            self.claim(root, {hole.key for hole in holes.values()})
        if role:
            names.setdefault(role, spot)
            parts = self.parts[root.step.key]
            if not any(p.role == role and p.spot.path == root.path for p in parts):
                parts.append(RoleMatch(role, root, names))
        for name, hole in holes.items():
            names.setdefault(name.rstrip("_"), hole)
        for name, hole in holes.items():
            inner = name.partition("#")[0].rstrip("_")
            if inner in self.kinds:
                self.record(inner, hole, {} if role == "H" else names, depth + 1)

    def add(self, reading: LessonMatch, around: Bindings) -> None:
        """Add the roles of a lesson's formulas to an author's formula, for mistakes that the patterns of KINDS do not
        find.
        """
        names, parts = around | reading.names, self.parts[reading.spot.step.key]
        same_roles = [part for part in parts if part.role == reading.step and part.spot.path == reading.spot.path]
        if reading.codes and not reading.spot.step.lesson and all(part.codes != reading.codes for part in same_roles):
            known_names = same_roles[0].names if same_roles else {}
            parts.append(RoleMatch(reading.step, reading.spot, known_names | names, reading.codes))
        for inner in reading.inner:
            self.add(inner, names)

    def claim(self, spot: TreePath, holes: set[tuple[str, tuple[int, ...]]]) -> None:
        """Mark the operations of a match, without its bindings, so that recognition does not start at them."""
        self.claimed_keys.add(spot.key)
        for inner in spot.children():
            if inner.key not in holes:
                self.claim(inner, holes)


@lru_cache(maxsize=16)
def recogniser_of(plan: Plan, columns: bool) -> Recogniser:
    """Return the recogniser of a plan from a cache. `columns` is True if tokens are columns."""
    return Recogniser(plan, columns)


@lru_cache(maxsize=256)
def forms_of(role: str, columns: bool) -> tuple[str, ...]:
    """Return the shortest forms of a role's formulas: `Q @ K.T` for S. Of forms that differ only in names, return the
    first. Forms with `compared_` are omitted, because `scores_` has the same forms.
    """
    forms: dict[str, None] = {}
    for by_head in _kinds(columns).values():
        patterns = dict.fromkeys(tree for rows in by_head.values() for found_role, tree in rows if found_role == role)
        texts = [unparse(tree) for tree in patterns if not isinstance(tree, Name) and "compared_" not in names_in(tree)]
        forms |= dict.fromkeys(
            {_VARIABLE.sub("_", text): _VARIABLE.sub(r"\1", text) for text in reversed(texts)}.values()
        )
    return tuple(sorted(forms, key=len)[:MOST_FORMS])


@lru_cache(maxsize=2)
def _kinds(columns: bool) -> Kinds:
    """Return the patterns of each kind, by outermost operation. The key "" has the patterns that may match any
    operation.
    """
    patterns_by_kind: Kinds = {}
    for kind, rows in KINDS.items():
        patterns = [(role, mirror(parse(text)) if columns else parse(text)) for role, text in rows]
        # the order is fixed, so that results are reproducible
        heads = [*dict.fromkeys(head_operation(pattern) for _, pattern in patterns), ""]
        patterns_by_kind[kind] = {
            head: [(role, pattern) for role, pattern in patterns if head_operation(pattern) in (head, "")]
            for head in heads
        }
    return patterns_by_kind


# -- steps of lessons in an author's formulas --------------------------------------------------------------------------

MIN_OPERATIONS = 4  # at least so many operations must agree; otherwise any sum of two matrices would be a residual sum
_HELPER_KINDS = ("each_", "chain_")  # the names of kinds that are not steps begin with these


@dataclass(slots=True)
class LessonMatch:
    """The match of an author's formula with a step of a lesson: the operations that agree, bindings, and inner
    matches.
    """

    step: str
    codes: frozenset[str]  # the mistakes that are possible in this step
    spot: TreePath
    size: int
    given_count: int  # the number of steps of the lesson that are givens in the problem
    names: Bindings
    inner: list[LessonMatch] = field(default_factory=list)

    def rank(self) -> tuple[int, int]:
        """Return a sort key. Matches with more operations come first, then matches with fewer givens instead of
        steps.
        """
        return -self.size, self.given_count

    def keys(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the keys of this formula and of the inner matches."""
        yield self.spot.key
        for inner_match in self.inner:
            yield from inner_match.keys()


class LessonPatterns(Matching):
    """Matches the patterns of lessons with the formulas of one plan."""

    def __init__(self, plan: Plan, names: Names):
        super().__init__(plan, _KINDS, names)
        self.readings: dict[tuple[str, str, tuple[int, ...]], LessonMatch | None] = {}

    def largest_matches(self, spots: dict[str, list[TreePath]]) -> Iterator[LessonMatch]:
        """Yield the largest match of each of the author's formulas, if there is one."""
        claimed_keys: set[tuple[str, tuple[int, ...]]] = set()
        author_spots = (spot for group in spots.values() for spot in group if not (spot.step.lesson or spot.step.given))
        # Larger formulas first
        for spot in sorted(author_spots, key=lambda spot: (-self.plan.order[spot.step.key], len(spot.path))):
            if spot.key not in claimed_keys and (best := self.best(spot)) is not None:
                claimed_keys.update(best.keys())
                yield best

    def best(self, spot: TreePath) -> LessonMatch | None:
        """Return the match that explains most operations of a formula. Return None if there is none, or if matches with
        two different steps have the same rank.
        """
        lesson_matches = [self.read(kind, spot) for kind in _table()["beginnings"].get(head_operation(spot.tree), ())]
        large = (match for match in lesson_matches if match is not None and match.size >= MIN_OPERATIONS)
        ranked = sorted(large, key=LessonMatch.rank)
        if not ranked or any(match.rank() == ranked[0].rank() and match.step != ranked[0].step for match in ranked):
            return None
        return ranked[0]

    def may_bind(self, name: str, spot: TreePath) -> bool:
        """Return whether a variable can be bound to a path. The variable of a step needs a formula with its form, or a
        given.
        """
        kind = name.partition("__")[0]
        if kind not in self.kinds:
            return super().may_bind(kind, spot)
        return self.is_given(spot) or self.parse_as(kind, spot) is not None

    def is_given(self, spot: TreePath) -> bool:
        """Return whether the formula is a given, or a block of a given."""
        tree = self.dereference(spot).tree
        while isinstance(tree, Index | Transpose):
            tree = tree.operand
        return isinstance(tree, Name) and isinstance(self.names.find(spot.step.part, tree.name), Given)

    def read(self, kind: str, spot: TreePath, depth: int = 0) -> LessonMatch | None:
        """Return the match of a formula with a step of a lesson, with its inner matches; None if there is no match."""
        key = (kind, *spot.key)
        if key not in self.readings:
            self.readings[key] = None
            parse_result = self.parse_as(kind, spot) if depth <= MAX_DEPTH else None
            self.readings[key] = parse_result and self.build_match(kind, *parse_result, depth)
        return self.readings[key]

    def build_match(self, kind: str, role: str, root: TreePath, holes: Bindings, depth: int) -> LessonMatch | None:
        """Return the match of a parsed formula. Return None if a name of the lesson would mean two different
        matrices.
        """
        size = self.operations(root, {hole.key for hole in holes.values()})
        codes = _table()["mistakes"][kind.partition(":")[0]].get(role, ())
        match = LessonMatch(role, frozenset(codes), root, size, 0, {})
        if not role.startswith(_HELPER_KINDS):
            match.names[role] = root
        around: Bindings = {}
        for name, hole in holes.items():
            inner = name.partition("#")[0].rstrip("_").partition("__")[0]
            if inner != "number":
                match.names.setdefault(inner.rpartition(":")[2], hole)
            if inner in self.kinds:
                inner_match = self.read(inner, hole, depth + 1)
                if inner_match is None:
                    match.given_count += 1
                    continue
                match.inner.append(inner_match)
                match.size += inner_match.size
                match.given_count += inner_match.given_count
                around = inner_match.names | around
            elif "__" not in name and not self.agrees(inner, hole, around):
                return None
            else:
                around.setdefault(inner, hole)
        for name, spot in around.items():
            if name not in match.names:
                match.names[name] = spot
        return match

    def agrees(self, name: str, hole: TreePath, around: Bindings) -> bool:
        """Return whether a name of the lesson has the same formula as in the other matches."""
        return name not in around or self.is_same_formula(around[name], hole)


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    """Return lesson_patterns.json: patterns by lesson and step, their mistakes, and steps by outermost operation."""
    with open(os.path.join(os.path.dirname(__file__), "lesson_patterns.json"), encoding="utf-8") as file:
        table: dict[str, Any] = json.load(file)
    return table


class _Kinds(dict[str, dict[str, list[tuple[str, Tree]]]]):
    """The patterns of each step of a lesson, by outermost operation, largest first. They are parsed on first use."""

    def __contains__(self, kind: object) -> bool:
        lesson, separator, base = str(kind).partition(":")
        return bool(separator) and base in _table()["shapes"].get(lesson, ())

    def __missing__(self, kind: str) -> dict[str, list[tuple[str, Tree]]]:
        lesson, _, base = kind.partition(":")
        steps = _table()["shapes"][lesson]
        trees = sorted((_pattern(lesson, parse(text), steps) for text in steps[base]), key=_size, reverse=True)
        heads = [*dict.fromkeys(map(head_operation, trees)), ""]
        self[kind] = {head: [(base, tree) for tree in trees if head_operation(tree) in (head, "")] for head in heads}
        return self[kind]


_KINDS = _Kinds()


def _pattern(lesson: str, tree: Tree, steps: dict[str, list[str]]) -> Tree:
    """Return a pattern whose variables contain the name of the lesson. Each number and each repeated part gets its
    variable.
    """
    numbers = count(1)

    def change(node: Tree) -> Tree | None:
        if not isinstance(node, Name):
            return None
        if node.name == "number_":
            return Name(f"number__{next(numbers)}_")
        name, separator, rest = node.name.partition("__of__")
        if separator:
            return Name(f"{name}:{rest}")
        base = node.name.rstrip("_").partition("__")[0]
        if base.startswith(_HELPER_KINDS) and base in steps:
            return Name(f"{lesson}:{base}__{next(numbers)}_")
        return Name(f"{lesson}:{node.name}") if base in steps else node

    return rewrite(tree, change)


def _size(tree: Tree) -> int:
    return bool(head_operation(tree)) + sum(map(_size, operands(tree)))
