"""A solution as a certificate: givens, formulas, printed decimals and enclosures, for `verify.py` to prove again."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from ..arithmetic.matrices import Entry, is_infinite
from ..errors import AttncalcError, Fault
from ..formula.node import Node
from ..formula.tree import unparse
from ..plan import Given, Step
from ..solution import Solution, StepResult
from .json import compact

FORMAT = "attncalc 1"
FIGURES = 25  # significant figures of an enclosure's ends, beside those that its decimals need
NARROW = 12  # an enclosure is narrower than 10^−(digits + this)
LONGEST_FRACTION = 400  # digits of a fraction that is written as such; longer ones are enclosed
MOST_PLACES = 66_000  # binary places; an end nearer to 0 is moved to the smallest number that has them


def write(solution: Solution) -> str:
    plan = solution.problem.plan
    data: dict[str, Any] = {
        "certificate": FORMAT,
        "title": solution.problem.title,
        "carried": solution.paper,
        "givens": {given.name: _given(given) for given in plan.givens},
        "parts": [
            {
                "name": part.name,
                "rounding": {"digits": shown.digits, "mode": shown.mode},
                "givens": {given.name: _given(given) for given in part.part.plan.givens},
                "steps": [_step(result) for result in part.steps],
            }
            for part in solution.parts
            for shown in (part.steps[0].shown,)
        ],
    }
    data["checksum"] = checksum(data)
    return compact(data)


def checksum(data: dict[str, Any]) -> str:
    """Of all but the checksum itself, as JSON with sorted keys, without spaces, in ASCII."""
    return "sha256:" + hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _given(given: Given) -> dict[str, Any]:
    return {"values": stated(given.node)} | _labels(given)


def _labels(entry: Given | Step) -> dict[str, Any]:
    labels = {"rows": entry.rows, "columns": entry.columns}
    return {which: list(texts) for which, texts in labels.items() if texts}


def stated(node: Node) -> Any:
    """What stands in the file: the entries one by one, or the formula of a whole matrix."""
    if node.operation == "literal":
        return [[_text(x) for x in row] for row in node.params[0]]
    if node.operation == "matrix":
        texts = [_single(x) for x in node.args]
        return [texts[k : k + node.shape[1]] for k in range(0, len(texts), node.shape[1])]
    return _single(node)


def _single(node: Node) -> str:
    if node.operation == "literal":
        return _text(node.params[0][0][0])
    return unparse(node.tree) if node.tree else node.name


def _text(x: Fraction | float) -> str:
    """An exact number: as a decimal where that is short, else as a fraction."""
    if isinstance(x, float):
        return "inf" if x > 0 else "-inf"
    places = next((k for k in range(13) if (x * 10**k).denominator == 1), None)
    return str(x) if not places else _decimal(int(x * 10**places), places)


def _decimal(n: int, places: int) -> str:
    digits = str(abs(n)).rjust(places + 1, "0")
    return f"{'-' * (n < 0)}{digits[:-places]}.{digits[-places:]}"


def _step(result: StepResult) -> dict[str, Any]:
    step = result.step
    data: dict[str, Any] = {"name": step.name, "formula": step.formula}
    if step.given:
        data["pinned"] = stated(step.node)
    printed = result.printed()
    return data | _labels(step) | {"printed": printed.texts, "enclosures": _enclosures(result)}


def _enclosures(result: StepResult) -> list[list[Any]]:
    """Each entry as an exact fraction, or as two ends between which it lies."""
    bits = int(3.33 * (result.shown.digits + FIGURES)) + 32
    rows = result.values.rows(result.step, bits)
    found: list[list[Any]] = [[None] * result.shape[1] for _ in rows]
    while True:
        for i, row in enumerate(rows):
            for j, x in enumerate(row):
                found[i][j] = found[i][j] or _enclosure(x, result.shown.digits)
        if all(all(row) for row in found):
            return found
        if 2 * bits > result.values.most_bits:
            raise AttncalcError(Fault(f"{result.name}: no certificate; its entries are out of reach", result.step.place))
        bits *= 2
        rows = result.values.rows(result.step, bits)


def _enclosure(x: Entry, digits: int) -> Any:
    """None where the ball is too wide."""
    if is_infinite(x):
        return "inf" if x > 0 else "-inf"
    if isinstance(x, fmpq):
        q = Fraction(int(x.numerator), int(x.denominator))
        if max(q.numerator.bit_length(), q.denominator.bit_length()) < 3.3 * LONGEST_FRACTION:
            return str(q)
        ball = arb(x)
    else:
        ball = x
    lower, upper = _ends(ball)
    figures = digits + FIGURES
    if upper - lower > Fraction(1, 10 ** (digits + NARROW)):
        return None
    return [_outward(lower, figures, -1), _outward(upper, figures, 1)]


def _ends(ball: arb) -> tuple[Fraction, Fraction]:
    middle, radius = _dyadic(ball.mid()), _dyadic(ball.rad())
    return middle - radius, middle + radius


def _dyadic(x: arb) -> Fraction:
    """A ball without a radius as a fraction; one nearer to 0 than any end is written becomes the smallest number that is."""
    mantissa, exponent = (int(n) for n in x.man_exp())
    if mantissa and exponent + mantissa.bit_length() < -MOST_PLACES:
        mantissa, exponent = 1 if mantissa > 0 else -1, -MOST_PLACES
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _outward(x: Fraction, figures: int, way: int) -> str:
    """x with so many figures after the point, or after its first zeros, moved down (−1) or up (1) by one or two units of the last."""
    size = abs(x)
    zeros = 0 if size >= 1 else int((size.denominator.bit_length() - size.numerator.bit_length()) * 0.30103) if size else 0
    places = figures + zeros
    scaled = x * 10**places
    n = (scaled.numerator // scaled.denominator if way < 0 else -(-scaled.numerator // scaled.denominator)) + way
    return f"{n}e{-places}" if zeros > 5 else _decimal(n, places)
