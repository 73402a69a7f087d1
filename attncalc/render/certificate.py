"""A solution as a certificate: givens, formulas, printed decimals and enclosures, to be proven again by `verify.py`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import zip_longest

from .. import limits
from ..arithmetic.budget import total_work
from ..certified_decimals import Printer
from ..errors import AttncalcError, FormulaError, shorten
from ..formula import operations as op
from ..formula.elaboration import check
from ..formula.elaboration import opened as check_opened
from ..formula.syntax_tree import Call, Index, Number, Slice, Text, Tree, names_labels, places, rewrite, unparse
from ..formula.typed_formula import Labels, Node, labelled
from ..plan import Given, Step
from ..solution import PartSolution, Solution, StepResult
from .solution_json import compact

FORMAT = "attncalc 2"
LARGE = 20_000  # entries and products; a larger certificate is verified before it is written
MORE_DIGITS = 12  # digits of an enclosure after the printed digits


def write(solution: Solution) -> str:
    """Return the certificate of a solution as JSON: formulas, values and an enclosure of every entry."""
    plan = solution.problem.plan
    outer: dict[str, Given | Step] = {given.name: given for given in plan.givens}
    data: dict[str, object] = {
        "certificate": FORMAT,
        "title": solution.problem.title,
        "carried": solution.paper,
        "givens": {_primes_as_letters(given.name): _given(given, LabelResolver(outer)) for given in plan.givens},
        "parts": [_part(part, outer) for part in solution.parts],
    }
    data["checksum"] = checksum(data)
    return compact(data)


def unverifiable(text: str, solution: Solution) -> str:
    """Return the reason why `verify.py` refuses a certificate; otherwise "". Small certificates are always accepted."""
    from ..verify import Bad, loads, verify

    work = [total_work(entry.node) for entry in solution.problem.plan.entries.values()]
    try:
        data = loads(text.encode())
        if sum(w.entries + w.products for w in work) >= LARGE:
            verify(data)
    except Bad as error:
        return str(error)
    return ""


def _part(part: PartSolution, outer: dict[str, Given | Step]) -> dict[str, object]:
    """Return a part, and add its steps to `outer` as `part.step` for later parts."""
    if not part.steps:
        raise AttncalcError(
            f"expected steps to certify; {f'part {part.name}' if part.name else 'the problem'} has none"
        )
    plan, shown = part.part.plan, part.steps[0].shown
    inside: list[Given | Step] = [*plan.givens, *plan.steps]
    labels = LabelResolver(outer | {entry.name: entry for entry in inside})
    outer |= {f"{part.name}.{step.name}": step for step in plan.steps}
    return {
        "name": part.name and _primes_as_letters(part.name),
        "rounding": {"digits": shown.digits, "mode": shown.mode},
        "givens": {_primes_as_letters(given.name): _given(given, labels) for given in plan.givens},
        "steps": [_step(result, labels) for result in part.steps],
    }


def _primes_as_letters(text: str) -> str:
    """Replace primes in names by ʹ, which is a letter in Python, the syntax of the formulas."""
    return text.replace("'", "ʹ")


def checksum(data: dict[str, object]) -> str:
    """Return the hash of all other fields, as JSON with sorted keys, without spaces, in ASCII."""
    return "sha256:" + hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class LabelResolver:
    """A writer for formulas with indices instead of labels, because proofs do not use labels: `Z[1, 1]` for `Z["cat",
    1]`.
    """

    def __init__(self, known: dict[str, Given | Step]):
        self.known = known
        self.parts = 0

    def formula(self, tree: Tree) -> str:
        """Return a formula with its labels as numbers. Raises FormulaError for an unknown name."""
        self.parts = 0
        return _primes_as_letters(unparse(rewrite(tree, self.plain)))

    def plain(self, part: Tree) -> Tree | None:
        """Return the expansion of a shorthand, or an index by label with numbers; None for other parts."""
        self.parts += 1
        if self.parts > limits.CERTIFIED.most:
            raise AttncalcError(limits.CERTIFIED.exceeded("more"))
        opened = check_opened(part, self.node)
        return self.numbered(part) if opened is None else rewrite(opened, self.plain)

    def numbered(self, part: Tree) -> Tree | None:
        """Return an index by label with numbers instead of labels; None for other parts."""
        if not names_labels(part):
            return None
        node = check(part.operand, self.node)

        def number(item: Tree, labels: Labels) -> Tree:
            if isinstance(item, Call) and (listed := places(item)) is not None:
                return item.but(arguments=tuple(number(index, labels) for index in listed))
            if not isinstance(item, Text):
                return item
            return Number(str(labelled(item.value, labels, node.written, "row", item.at)))

        rows, columns = part.rows, part.columns
        rows = rows if isinstance(rows, Slice) else number(rows, node.rows)
        columns = columns if columns is None or isinstance(columns, Slice) else number(columns, node.columns)
        return Index(rewrite(part.operand, self.plain), rows, columns, part.at)

    def node(self, name: str, at: int) -> Node:
        """Return the node of a name. Raises FormulaError if it is unknown."""
        entry = self.known.get(name)
        if entry is None:
            raise FormulaError(f"{name} is not defined", at)
        return op.Ref(
            entry.key, entry.shape, rows=entry.rows, columns=entry.columns, static=entry.node.static, name=name, at=at
        )

    def stated(self, node: Node) -> str | list[list[str]]:
        """Return the entries of a given as texts, or the formula of the whole matrix."""
        if isinstance(node, op.Literal):
            return [[_text(x) for x in row] for row in node.entries]
        if isinstance(node, op.Matrix):
            texts = [self.single(x) for x in node.args]
            return [texts[k : k + node.shape[1]] for k in range(0, len(texts), node.shape[1])]
        return self.single(node)

    def single(self, node: Node) -> str:
        """Return an entry of a given as text."""
        if isinstance(node, op.Literal):
            return _text(node.entries[0][0])
        return self.formula(node.tree) if node.tree else _primes_as_letters(node.name)


def _given(given: Given, labels: LabelResolver) -> dict[str, object]:
    named = {"rows": given.rows, "columns": given.columns}
    return {"values": labels.stated(given.node)} | {which: list(texts) for which, texts in named.items() if texts}


def differences(data: object, solution: Solution) -> list[str]:
    """Return a sentence for each difference between a certificate and the certificate of a solution.

    The two files are compared key by key, so that a value at a wrong position is a difference.
    """
    sentences = {
        place: f"{place}: the certificate has {_describe(its)}, and the problem {_describe(ours)}{_hint(place, its)}"
        for place, its, ours in _compare(data, json.loads(write(solution)), "")
        if place != "checksum"  # the checksum follows from the rest, and verify.py has checked it
    }
    causes = [line for place, line in sentences.items() if ", printed[" not in place and ", enclosures[" not in place]
    return causes or list(sentences.values())


def _compare(its: object, ours: object, place: str) -> Iterator[tuple[str, object, object]]:
    """Yield (place, first value, second value) for each difference between two JSON values. A missing key differs from
    null.
    """
    if isinstance(its, dict) and isinstance(ours, dict):
        for key in [*ours, *(key for key in its if key not in ours)]:
            yield from _compare(its.get(key, _MISSING), ours.get(key, _MISSING), _within(place, _NAMES.get(key, key)))
        if place.endswith("given") and its.keys() == ours.keys() and list(its) != list(ours):
            yield f"{place}: order", list(its), list(ours)
    elif isinstance(its, list) and isinstance(ours, list):
        for k, (its_entry, our_entry) in enumerate(zip_longest(its, ours, fillvalue=_MISSING)):
            name = next((x["name"] for x in (our_entry, its_entry) if isinstance(x, dict) and x.get("name")), f"[{k}]")
            yield from _compare(its_entry, our_entry, _within(place, name))
    elif its != ours or type(its) is not type(ours):
        yield place, its, ours


_MISSING = object()  # the value of a missing key or item
_NAMES = {"givens": "given", "parts": "part", "steps": "step"}


def _within(place: str, name: str) -> str:
    """Return `part masked, step A, printed[0][1]`."""
    if name.startswith("["):
        return place + name
    return f"{place} {name}" if place.endswith(tuple(_NAMES.values())) else f"{place}, {name}".removeprefix(", ")


def _hint(place: str, its: object) -> str:
    if place == "carried":
        return (
            "; use --paper to compare it with the problem solved with rounded steps" if its else "; leave out --paper"
        )
    return (
        f"; use --digits {its} to compare it with the problem printed with {its} decimals"
        if place.endswith("digits")
        else ""
    )


def _describe(value: object) -> str:
    if value is _MISSING:
        return "none"
    return shorten(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 100)


def _text(x: Fraction | float) -> str:
    """Return an exact number as a decimal if the decimal is short, otherwise as a fraction."""
    if isinstance(x, float):
        return "inf" if x > 0 else "-inf"
    places = next((k for k in range(13) if (x * 10**k).denominator == 1), None)
    return str(x) if not places else _decimal(int(x * 10**places), places)


def _decimal(n: int, places: int) -> str:
    digits = str(abs(n)).rjust(places + 1, "0")
    return f"{'-' * (n < 0)}{digits[:-places]}.{digits[-places:]}"


def _step(result: StepResult, labels: LabelResolver) -> dict[str, object]:
    step = result.step
    data: dict[str, object] = {
        "name": _primes_as_letters(step.name),
        "formula": _primes_as_letters(step.formula) if step.given else labels.formula(step.tree),
    }
    if step.given:
        data["pinned"] = labels.stated(step.node)
    return data | {"printed": result.printed().texts, "enclosures": _enclosures(result)}


def _enclosures(result: StepResult) -> list[list[str | list[str]]]:
    """Return for each entry the interval of the numbers that round half up to its decimal with MORE_DIGITS."""
    places = result.shown.digits + MORE_DIGITS
    decimals = Printer(result.values, result.step, places, "half_up").decimals()
    open_ones = set(decimals.undecided)
    return [
        [_enclosure(text, places, (i, j) in open_ones) for j, text in enumerate(row)]
        for i, row in enumerate(decimals.texts)
    ]


def _enclosure(text: str, places: int, undecided: bool) -> str | list[str]:
    """Return the interval of a decimal. If the last digit is undecided, the interval includes both neighbours."""
    if text.endswith("inf"):
        return text
    n, width = 10 * int(text.replace(".", "")), 15 if undecided else 5
    return [_decimal(n - width, places + 1), _decimal(n + width, places + 1)]
