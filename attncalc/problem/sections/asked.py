"""Reads pinned steps, the steps that students must answer, the points, the rounding, accepted formulas and rubrics."""

from __future__ import annotations

from fractions import Fraction

from ... import limits
from ...arithmetic.rounding import Rounding
from ...errors import AttncalcError, Diagnostics, FormulaError, Location, did_you_mean, shorten, size
from ...formula.operations import needs, taken
from ...formula.parser import parse
from ...formula.syntax_tree import Index, Name
from ...formula.typed_formula import Node
from ...plan import Step, step_called
from ...rounding_modes import MODES
from ..formula_sizes import Known
from ..plan_builder import PartBuilder
from ..problem import METHOD, Asked, Rubric
from ..yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind, mapping_at
from .formulas import read_formula
from .givens import read_fraction, read_matrix

MOST_DIGITS = limits.DECIMALS.most
CARRIES = ("full", "printed")


def read_pins(body: Mapping, builder: PartBuilder, faults: Diagnostics) -> dict[str, tuple[Node, Location]]:
    """Return the matrices under `pin:` with their locations, by the names of the steps."""
    pins = {}
    for key, value in mapping_at(body, "pin", "from steps to matrices", faults).items():
        try:
            pins[key.text] = (read_matrix(value, builder, f"pin: {key.text}")[0], value.place)
        except AttncalcError as error:
            faults.extend(error)
    return pins


def read_asked(body: Mapping, builder: PartBuilder, sound: bool, faults: Diagnostics) -> list[Asked]:
    """Return the steps and slices under `asked:`. Without the key, return every step that is not given."""
    node = body.get("asked")
    if node is None:
        return [Asked(s.name, s.name) for s in builder.plan.steps if not s.given]
    if not isinstance(node, Sequence):
        faults.add(f"asked: expected a list of steps, found {kind(node)}", node.place)
        return []
    asked = []
    for item in node.items:
        if not isinstance(item, Scalar):
            faults.add(f'expected a step, found {kind(item)}; a slice needs quotes: "Z[0]"', item.place)
        elif sound:
            try:
                asked.append(read_asked_step(item, builder))
            except Known:
                continue
            except FormulaError as error:
                faults.add(f"asked: {error.message}", item.inside.shifted(error.at))
    return asked


def read_asked_step(item: Scalar, builder: PartBuilder) -> Asked:
    """Read a step, or a part of a step such as `Z[0]`. Raises FormulaError if no step has this name."""
    tree = parse(item.text)
    name = tree.operand if isinstance(tree, Index) else tree
    if not isinstance(name, Name):
        raise FormulaError("expected a step or a slice of a step, such as Z or Z[0]")
    step = step_called(name.name, builder.steps)
    text = item.text.replace(name.name, step, 1)
    if step not in builder.steps and builder.is_broken(step):
        raise Known
    if step not in builder.steps:
        raise FormulaError(f"no step is called {shorten(name.name)!r}{did_you_mean(name.name, list(builder.steps))}")
    if not isinstance(tree, Index):
        return Asked(text, step)
    rows, columns = taken(builder.check(Index(Name(step), tree.rows, tree.columns, tree.at)))
    if any(len(set(chosen)) < len(chosen) for chosen in (rows, columns) if chosen):
        raise FormulaError(f"{shorten(item.text)} contains a row or a column twice")
    return Asked(text, step, rows, columns)


def read_points(
    body: Mapping, builder: PartBuilder, sound: bool, faults: Diagnostics
) -> Fraction | dict[str, Fraction] | None:
    """Return the points under `points:`: one number for all steps together, or a number for each step, or None."""
    node = body.get("points")
    if node is None:
        return None
    if isinstance(node, Scalar):
        return read_point_number(node, "points", faults)
    if isinstance(node, Sequence):
        faults.add("points: expected a number, or a mapping with a number for each step, found a list", node.place)
        return None
    shared: dict[str, Fraction] = {}
    for key, value in node.items():
        name = key.text
        try:
            if sound:
                name = read_asked_step(key, builder).text
        except Known:
            pass
        except FormulaError as error:
            faults.add(f"points: {error.message}", key.inside.shifted(error.at))
        shared[name] = read_point_number(value, f"points of {key.text}", faults) or Fraction(0)
    return shared


def read_point_number(node: Yaml, what: str, faults: Diagnostics) -> Fraction | None:
    """Read a number from 0 to 1,000,000. For other values, add an error and return None."""
    return read_fraction(node, f"{what}: expected a number from 0 to 1,000,000", lambda x: 0 <= x <= 10**6, faults)


def read_rounding(body: Mapping, faults: Diagnostics) -> tuple[Rounding, str, bool]:
    """Return the rounding under `rounding:`, the kind of values that later steps use (`carry:`), and whether the key
    exists.
    """
    node = mapping_at(body, "rounding", "such as {digits: 4, mode: half_up}", faults)
    node.reject_unknown(["digits", "mode", "carry"], "rounding", faults)
    digits = 4
    if (stated := node.get("digits")) is not None:
        text = scalar_text(stated)
        if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > MOST_DIGITS:
            faults.add(f"digits: expected a whole number from 0 to {MOST_DIGITS}, found {kind(stated)}", stated.place)
        else:
            digits = int(text)
    mode = word_under(node, "mode", tuple(MODES), "half_up", faults)
    return Rounding(digits, mode), word_under(node, "carry", CARRIES, CARRIES[0], faults), "rounding" in body


def word_under(body: Mapping, key: str, words: tuple[str, ...], default: str, faults: Diagnostics) -> str:
    """Return the word under a key. If the word is not in `words`, add an error and return the default."""
    node = body.get(key)
    if node is None:
        return default
    text = scalar_text(node)
    if text not in words:
        faults.add(
            f"{key}: expected one of {', '.join(words)}, found {kind(node)}{did_you_mean(text, words)}", node.place
        )
        return default
    return text


def scalar_text(node: Yaml) -> str:
    """Return the text of a scalar; an empty string for a list or a mapping."""
    return node.text if isinstance(node, Scalar) else ""


def words_under(body: Mapping, key: str, faults: Diagnostics) -> list[str]:
    """Return the words under a key: a single word, or a list of words."""
    node = body.get(key)
    if node is None:
        return []
    if isinstance(node, Scalar):
        return [node.text]
    items = node.items if isinstance(node, Sequence) else [node]
    odd = next((x for x in items if not isinstance(x, Scalar)), None)
    if odd is not None:
        faults.add(
            f"{key}: expected a list of words, found {kind(odd)}{'' if odd is node else ' in the list'}", odd.place
        )
        return []
    return list(dict.fromkeys(x.text for x in items if isinstance(x, Scalar)))


# -- accept: and rubric: -----------------------------------------------------------------------------------------------

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
            where = "; write the formula under `accept:` of the part with the step" if isinstance(item, Mapping) else ""
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
    """Return another formula for a step. It must have the shape of the step, and use only givens and earlier steps.
    Raises AttncalcError, or Known if the error was already reported.
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
    """Return the rubric: the share for the method, the shares that remain after mistakes, and the rounding of points.
    If the rubric does not state this rounding, it is taken from `of_file`.
    """
    node = mapping_at(body, "rubric", "with the keys method: and mistakes:", faults)
    node.reject_unknown(["method", "mistakes", "round"], "a rubric", faults)
    method = node.get("method")
    pairs = list(mapping_at(node, "mistakes", "from codes of mistakes to shares", faults).items())
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
    """Return the reason why a formula cannot replace a step's formula: its shape, or a later step in it; otherwise
    "".
    """
    if node.shape != step.shape:
        return f"expected {size(step.shape)}, found {size(node.shape)}"
    names = list(builder.steps)
    later = {builder.steps[name].key: name for name in names[names.index(step.name) :]}
    used = [later[key] for key in needs([node]) if key in later]
    return (
        f"expected a formula with givens and steps before {step.name}, found the later step {used[0]}" if used else ""
    )
