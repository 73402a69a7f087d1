"""Reads `accept:` (other accepted formulas and mistakes) and `rubric:` (the cost of mistakes)."""

from __future__ import annotations

from fractions import Fraction

from ... import limits
from ...errors import AttncalcError, Diagnostics, FormulaError, Location, did_you_mean, shorten, size
from ...formula.operations import needs
from ...formula.typed_formula import Node
from ...plan import Step, step_called
from ..formula_sizes import Known
from ..plan_builder import PartBuilder
from ..problem import METHOD, Rubric
from ..yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind
from .formulas import read_formula
from .givens import read_fraction

Codes = dict[str, Location]
Alternatives = dict[str, list[Node]]
LARGEST_STEP = 100
ALTERNATIVE = "the code of a mistake, or a step with a different formula or value, such as {Z: A @ X}"


def read_codes(body: Mapping) -> Codes:
    """Return the codes under `accept:` with their locations. Other formulas are read by `read_alternatives`."""
    return {item.text: item.place for item in _items(body) if isinstance(item, Scalar)}


def read_alternatives(body: Mapping, builder: PartBuilder | None, faults: Diagnostics) -> Alternatives:
    """Return the other formulas and values under `accept:`, by steps. Without a `builder`, report them as errors."""
    alternatives: Alternatives = {}
    for item in _items(body):
        if isinstance(item, Scalar):
            continue
        if not isinstance(item, Mapping) or builder is None:
            where = "; write the formula under accept: of the part with the step" if isinstance(item, Mapping) else ""
            faults.add(f"accept: expected {ALTERNATIVE}, found {kind(item)}{where}", item.place)
            continue
        for key, value in item.items():
            try:
                alternatives.setdefault(step_called(key.text, builder.steps), []).append(
                    read_alternative(key, value, builder)
                )
            except Known:
                continue
            except AttncalcError as error:
                faults.extend(error)
    return alternatives


def read_alternative(key: Scalar, value: Yaml, builder: PartBuilder) -> Node:
    """Return another formula for a step, with the shape of the step, over earlier givens and steps. Raises
    AttncalcError, or Known if the error was already reported.
    """
    step = builder.steps.get(step_called(key.text, builder.steps))
    if step is None:
        if builder.is_broken(key.text):
            raise Known
        near = (
            did_you_mean(key.text, list(builder.steps)) or f"; the steps are {shorten(', '.join(builder.steps), 200)}"
        )
        raise AttncalcError(f"accept: no step is called {shorten(key.text)!r}{near}", key.place)
    try:
        node = builder.check(read_formula(value, f"accept: {key.text}", matrices=builder.supposed.module_names))
    except FormulaError as error:
        at = value.inside.shifted(error.at) if isinstance(value, Scalar) else value.place
        raise AttncalcError(f"accept: {key.text}: {error.message}", at) from None
    if fault := _unfit(node, step, builder):
        raise AttncalcError(f"accept: {key.text}: {fault}", value.place)
    return node


def read_rubric(body: Mapping, faults: Diagnostics, of_file: Rubric = Rubric()) -> Rubric:
    """Return the rubric: the share for the method, the shares that remain after mistakes, and the rounding of the
    points. If the rubric does not state the rounding, it is the rounding of `of_file`.
    """
    node = body.get("rubric")
    if node is None:
        return Rubric()
    if not isinstance(node, Mapping):
        faults.add(f"rubric: expected a mapping with the keys method: and mistakes:, found {kind(node)}", node.place)
        return Rubric()
    node.reject_unknown(["method", "mistakes", "round"], "a rubric", faults)
    method, listed = node.get("method"), node.get("mistakes")
    if listed is not None and not isinstance(listed, Mapping):
        faults.add(f"mistakes: expected a mapping from codes of mistakes to shares, found {kind(listed)}", listed.place)
    pairs = listed.pairs.values() if isinstance(listed, Mapping) else ()
    shares = {key.text: read_share(value, key.text, faults) for key, value in pairs}
    places = {key.text: key.place for key, _ in pairs}
    share = METHOD if method is None else read_share(method, "method", faults)
    step = node.get("round")
    return Rubric(share, shares, places, of_file.round_to if step is None else read_step(step, faults))


def read_share(node: Yaml, what: str, faults: Diagnostics) -> Fraction:
    """Read a share from 0 to 1, such as 1/2 or 0.75."""
    expected = f"{shorten(what)}: expected a share from 0 to 1, such as 1/2"
    share = read_fraction(node, expected, lambda x: 0 <= x <= 1, faults)
    return METHOD if share is None else share


def read_step(node: Yaml, faults: Diagnostics) -> Fraction:
    """Read the multiple to which points are rounded, such as 1/2 or 0.25."""
    expected = f"round: expected a number above 0 and up to {LARGEST_STEP}, such as 1/2"
    return read_fraction(node, expected, lambda x: 0 < x <= LARGEST_STEP, faults) or Fraction(0)


def _items(body: Mapping) -> list[Yaml]:
    node = body.get("accept")
    items: list[Yaml] = [] if node is None else node.items if isinstance(node, Sequence) else [node]
    if node is not None and len(items) > limits.ACCEPTED.most:
        raise AttncalcError(limits.ACCEPTED.exceeded(len(items)), node.place)
    return items


def _unfit(node: Node, step: Step, builder: PartBuilder) -> str:
    """Return why a formula cannot replace a step's formula: its shape, or a later step in it; otherwise ""."""
    if node.shape != step.shape:
        return f"expected {size(step.shape)}, found {size(node.shape)}"
    names = list(builder.steps)
    later = {builder.steps[name].key: name for name in names[names.index(step.name) :]}
    used = [later[key] for key in needs([node]) if key in later]
    return (
        f"expected a formula with givens and steps before {step.name}, found the later step {used[0]}" if used else ""
    )
