"""Scripts as students write them, for the tests of marking: a plan worked out by hand, every value that is not written
down kept to some digits, every line printed by a habit, and print, full value or guard digits carried on.

Independent of the marking: mpmath numbers, one at a time, no intervals.
"""

import random
from dataclasses import dataclass, replace

from flint import fmpq
from mpmath import mp, mpf

from attncalc.plan import Given
from attncalc.submissions.step_matching import Bound, Filled
from attncalc.submissions.submission import Script, Typed

mp.dps = 60
STRUCTURE = {
    "ref",
    "literal",
    "matrix",
    "neg",
    "transpose",
    "take",
    "hstack",
    "vstack",
    "keep",
    "one_hot",
    "top_k",
    "argmax_rows",
    "order_rows",
    "sort_rows",
}
STRUCTURE |= {"maximum", "abs"}
HABITS = ("half_up", "half_even", "half_down", "cut", "floor")


def dropped(x, places, habit):
    """x to so many decimals."""
    if not mp.isfinite(x):
        return x
    scaled = x * mpf(10) ** places
    if abs(scaled - mp.nint(scaled)) < mpf(10) ** -45:  # a whole number, but for mpmath's own last bits
        scaled = mp.nint(scaled)
    if habit == "cut":
        whole = mp.floor(abs(scaled)) * (1 if scaled >= 0 else -1)
    elif habit == "floor":
        whole = mp.floor(scaled)
    else:
        low = mp.floor(scaled)
        rest = scaled - low
        near = abs(rest - mpf(1) / 2) < mpf(10) ** -40
        up = rest > mpf(1) / 2
        if near:
            up = {"half_up": scaled > 0, "half_down": scaled < 0, "half_even": int(low) % 2 == 1}[habit]
        whole = low + (1 if up else 0)
    return whole / mpf(10) ** places


@dataclass
class Hand:
    """One way to work: digits and habit of the prints, of what is not written down, and what is carried.

    `working` are the decimals that what is not written down is kept to: at least what the sheet asks, and at least one
    (rule R1).
    """

    random: random.Random
    digits: int
    habit: str
    hidden: str = "full"  # full, or a habit
    extra: int = 0  # digits kept beyond the line's
    carry: str = "print"  # print, full, guard, mixed
    shifted: bool = False
    products: bool = False  # whether each product of a sum is kept too
    working: int = 0

    def keep(self, x):
        """A value that is not written down: at least the working decimals and as many significant figures."""
        if self.hidden == "full" or x == 0 or not mp.isfinite(x):
            return x
        figures = max(self.working, 1)
        places = max(self.working, figures - 1 - int(mp.floor(mp.log10(abs(x)))))
        return dropped(x, places + self.extra, self.hidden)

    def scratch(self, x):
        """A line that is not handed in: kept as what is not written down, or rounded to the decimals of a line."""
        if self.hidden == "full" or self.random.random() < 0.5:
            return self.keep(x)
        return dropped(x, self.working + self.extra, self.hidden)

    def carried(self, rows, prints):
        """A line as it is carried on: where it is coarser than what is not written down, its prints or none of them."""
        printed = self.random.random() < 0.5
        ways = (
            ("print", "full", "guard") if self.digits >= self.working else ("print",) if printed else ("full", "guard")
        )
        return [
            [self.one(x, p, ways) for x, p in zip(row, line, strict=True)]
            for row, line in zip(rows, prints, strict=True)
        ]

    def one(self, x, printed, ways):
        carry = self.random.choice(ways) if self.carry == "mixed" else self.carry
        if carry == "print":
            return printed
        guard = max(self.digits + self.random.choice((1, 1, 2, 3)), self.working)
        return x if carry == "full" else dropped(x, guard, self.habit)


def number(x):
    return mpf(x.numerator) / mpf(x.denominator) if hasattr(x, "numerator") else mpf(x)


def work(node, values, hand, root=True):
    """The value of a formula, one operation after another, as lists of rows."""
    op = node.word
    if op == "ref":
        return values[node.key]
    if op == "literal":
        return [[number(x) for x in row] for row in node.entries]
    if op == "softmax":
        scores = work(node.args[0], values, hand, False)
        if node.axis == "all":
            flat = softmax([x for row in scores for x in row], hand, node.empty)
            m = len(scores[0])
            result = [flat[k : k + m] for k in range(0, len(flat), m)]
        else:
            result = [softmax(row, hand, node.empty) for row in scores]
    else:
        args = [work(a, values, hand, False) for a in node.args]
        result = products(*args, hand) if op == "matmul" and hand.products else OPERATIONS[op](node, *args)
    picks = op == "mul" and any(one.word == "one_hot" for one in node.args)  # and makes no new number
    if not root and op not in STRUCTURE and not picks:
        result = [[hand.keep(x) for x in row] for row in result]
    return result


def softmax(row, hand, empty):
    seen = [x for x in row if mp.isfinite(x)]
    if not seen:
        return [mpf(1) / len(row) if empty == "uniform" else mpf(0) for _ in row]
    top = max(seen) if hand.shifted else 0
    powers = [hand.keep(mp.exp(x - top)) if mp.isfinite(x) else mpf(0) for x in row]
    total = hand.keep(sum(powers))
    return [p / total for p in powers]


def products(a, b, hand):
    """A matrix product whose products are kept one by one."""
    return [[sum((hand.keep(x * b[k][j]) for k, x in enumerate(row)), mpf(0)) for j in range(len(b[0]))] for row in a]


def _pairs(function):
    def each(node, a, b):
        n, m = node.shape
        return [
            [
                function(
                    a[i if len(a) > 1 else 0][j if len(a[0]) > 1 else 0],
                    b[i if len(b) > 1 else 0][j if len(b[0]) > 1 else 0],
                )
                for j in range(m)
            ]
            for i in range(n)
        ]

    return each


def _each(function):
    return lambda node, a: [[function(x) for x in row] for row in a]


def _largest(row, more):
    """1 at the largest entries, from the top, as long as `more` of them are wanted."""
    chosen, total = [], mpf(0)
    for j in sorted(range(len(row)), key=lambda j: (-row[j], j)):
        if not more(len(chosen), total):
            break
        chosen.append(j)
        total += row[j]
    return [mpf(1) if j in chosen else mpf(0) for j in range(len(row))]


def _take(node, a):
    rows, columns = node.taken_rows or range(len(a)), node.taken_columns or range(len(a[0]))
    return [[a[i][j] for j in columns] for i in rows]


OPERATIONS = {
    "pi": lambda node: [[+mp.pi]],
    "matrix": lambda node,
    *parts: [[parts[i * node.shape[1] + j][0][0] for j in range(node.shape[1])] for i in range(node.shape[0])],
    "neg": _each(lambda x: -x), "abs": _each(abs), "floor": _each(mp.floor),
    "exp": _each(mp.exp), "log": _each(mp.log), "sqrt": _each(mp.sqrt), "sin": _each(mp.sin), "cos": _each(mp.cos),
    "tanh": _each(mp.tanh), "erf": _each(mp.erf),
    "add": _pairs(lambda x, y: x + y), "sub": _pairs(lambda x, y: x - y), "mul": _pairs(lambda x, y: x * y),
    "div": _pairs(lambda x, y: x / y), "pow": _pairs(lambda x, y: x**y), "maximum": _pairs(max),
    "round": lambda node,
    a: [[dropped(x, node.digits, {"truncate": "cut"}.get(node.mode, node.mode)) for x in row] for row in a],
    "matmul": lambda node, a,
    b: [[sum((x * b[k][j] for k, x in enumerate(row)), mpf(0)) for j in range(len(b[0]))] for row in a],
    "transpose": lambda node, a: [list(column) for column in zip(*a, strict=True)],
    "take": _take,
    "row_sum": lambda node, a: [[sum(row, mpf(0))] for row in a],
    "row_max": lambda node, a: [[max(row)] for row in a],
    "argmax_rows": lambda node, a: [[mpf(row.index(max(row)))] for row in a],
    "order_rows": lambda node, a: [[mpf(node.place(j)) for j in _falling(row)[: node.k]] for row in a],
    "sort_rows": lambda node, a: [[row[j] for j in _falling(row)] for row in a],
    "top_k": lambda node, a: [_largest(row, lambda count, total: count < node.k) for row in a],
    "top_p": lambda node, a, p: [_largest(row, lambda count, total: total < p[0][0]) for row in a],
    "keep": lambda node, a, m, fill: [
        [x if m[i if len(m) > 1 else 0][j if len(m[0]) > 1 else 0] != 0 else fill[0][0] for j,
         x in enumerate(row)] for i, row in enumerate(a)
    ],
    "hstack": lambda node, *parts: [[x for part in parts for x in part[i]] for i in range(node.shape[0])],
    "vstack": lambda node, *parts: [row for part in parts for row in part],
    "one_hot": lambda node, ids: [
        [mpf(1) if int(x) == c and x != node.ignore else mpf(0) for c in range(node.classes)] for row in ids for x in row
    ],
}  # fmt: skip


def _falling(row):
    return sorted(range(len(row)), key=lambda j: -row[j])


def text(x, digits):
    """The decimal that stands on the paper."""
    if not mp.isfinite(x):
        return "-inf" if x < 0 else "inf"
    whole = int(mp.nint(x * mpf(10) ** digits))
    shown = str(abs(whole)).rjust(digits + 1, "0")
    return ("-" if whole < 0 else "") + (f"{shown[:-digits]}.{shown[-digits:]}" if digits else shown)


def typed(shown):
    """One entry as the reader of answers makes it."""
    if shown.endswith("inf"):
        return Typed(shown, None, None, -1 if shown[0] == "-" else 1)
    whole, _, decimals = shown.partition(".")
    figures = len((whole.lstrip("-") + decimals).lstrip("0")) or None
    return Typed(shown, fmpq(int(whole + decimals), 10 ** len(decimals)), None, 0, len(decimals), figures)


def filled(step, rows, digits):
    cells = {(i, j): typed(text(x, digits)) for i, row in enumerate(rows) for j, x in enumerate(row)}
    return Filled(step.part, step, cells)


def script(problem, usual, nodes=None, shown=lambda step: True, hands=None):
    """The whole script by the `usual` hand; `nodes` holds other formulas for some steps (a mistake), `shown` says which
    lines are written, `hands` other ways to work some steps out.
    """
    plan, nodes, hands = problem.plan, nodes or {}, hands or {}
    asked = {
        step.key: part.rounding.digits if part.rounding_stated else 1
        for part in problem.parts
        for step in part.plan.steps
    }
    values, lines = {}, []
    for key, entry in plan.entries.items():
        node, hand = nodes.get(key, entry.node), hands.get(key, usual)
        hand = replace(hand, working=max(hand.digits, asked.get(key, 0)))
        if isinstance(entry, Given):
            values[key] = work(entry.node, values, Hand(hand.random, 0, "half_up"))
            continue
        value = work(node, values, hand)
        if not shown(entry):
            values[key] = [[hand.scratch(x) for x in row] for row in value] if node.word != "ref" else value
            continue
        printed = [[dropped(x, hand.digits, hand.habit) for x in row] for row in value]
        lines.append(filled(entry, printed, hand.digits))
        values[key] = hand.carried(value, printed)
    return Bound(Script(None, None, None, (), "simulated"), problem, tuple(lines))
