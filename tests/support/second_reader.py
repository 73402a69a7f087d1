"""A second reader of golden pages: it works out a problem's formulas by itself, with 60 digits, and compares every
printed entry.

It shares no code with attncalc. The givens are read from the problem file, the formulas are those that its plan lists.
Each matrix on a page (`printed`) must be, entry by entry, the correctly rounded numbers of the given or the step whose
name the page gives it.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from functools import reduce

from mpmath import mp, mpf

mp.dps = 60
INFINITY = mpf("inf")
Matrix = list[list]


class NotRead(Exception):
    """A formula, or a form of a given, that this reader does not know."""


# -- givens ------------------------------------------------------------------------------------------------------------


def given(written) -> Matrix:
    """A matrix as people write one in a problem file."""
    if isinstance(written, dict):
        written = written["values"]
    if isinstance(written, str) and written.strip().endswith(")") and "\n" not in written.strip():
        return Formula({}).of(written)
    if isinstance(written, str) and "\n" in written.strip():
        written = [line.split() for line in written.strip().splitlines()]
    if not isinstance(written, list):
        return [[entry(written)]]
    rows = written if isinstance(written[0], list) else [written]
    return [[entry(x) for x in row] for row in rows]


def entry(text):
    text = str(text)
    if text.strip() in ("-inf", "inf"):
        return INFINITY if text.strip() == "inf" else -INFINITY
    return Formula({}).number(text)


# -- formulas ----------------------------------------------------------------------------------------------------------


class Formula:
    """Works out formulas over known matrices; the language of formulas is read as Python's."""

    def __init__(self, known: dict[str, Matrix]):
        self.known = known

    def number(self, text: str):
        return self.of(text)[0][0]

    def of(self, text: str) -> Matrix:
        self.text = text.strip()
        try:
            return self.tree(ast.parse(self.text, mode="eval").body)
        except (SyntaxError, KeyError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
            raise NotRead(f"{text}: {error}") from None

    def tree(self, node) -> Matrix:
        match node:
            case ast.Constant(value=str() as word):
                return word
            case ast.Constant():
                return [[Fraction(ast.get_source_segment(self.text, node))]]
            case ast.Attribute(value=inner, attr="T"):
                return turned(self.tree(inner))
            case ast.Name() | ast.Attribute():
                return self.named(ast.get_source_segment(self.text, node))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return each(lambda x: -x, self.tree(inner))
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return product(self.tree(left), self.tree(right))
            case ast.BinOp(left=left, op=op, right=right):
                return pairwise(_OPERATORS[type(op)], self.tree(left), self.tree(right))
            case ast.Subscript(value=inner, slice=places):
                return self.block(self.tree(inner), places.elts if isinstance(places, ast.Tuple) else [places])
            case ast.Call(func=ast.Name(id=name)):
                options = {one.arg: self.tree(one.value) for one in node.keywords}
                return FUNCTIONS[name](*[self.tree(one) for one in node.args], **options)
        raise NotRead(ast.dump(node))

    def named(self, name: str) -> Matrix:
        if name in ("e", "pi", "inf") and name not in self.known:
            return [[{"e": +mp.e, "pi": +mp.pi, "inf": INFINITY}[name]]]
        return self.known[name]

    def block(self, matrix: Matrix, places) -> Matrix:
        rows, columns = (
            self.places(place, n) for place, n in zip([*places, ast.Slice()], (len(matrix), len(matrix[0])))
        )
        return [[matrix[i][j] for j in columns] for i in rows]

    def places(self, place, n: int) -> range:
        if isinstance(place, ast.Slice):
            ends = [
                default if end is None else whole(self.tree(end))
                for end, default in ((place.lower, 0), (place.upper, n))
            ]
            return range(*ends)
        return range(whole(self.tree(place)), whole(self.tree(place)) + 1)


def whole(x) -> int:
    return int(x[0][0]) if isinstance(x, list) else int(x)


def real(x):
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def arithmetic(change):
    """Fractions stay fractions; beside a number that is none they are numbers of 60 digits."""
    return lambda x, y: (
        change(x, y) if isinstance(x, Fraction) and isinstance(y, Fraction) else change(real(x), real(y))
    )


def power(x, y):
    if isinstance(x, Fraction) and isinstance(y, Fraction) and y.denominator == 1 and abs(y) < 1000:
        return x ** int(y)
    return real(x) ** real(y)


plus, times = arithmetic(lambda x, y: x + y), arithmetic(lambda x, y: x * y)
divided = arithmetic(lambda x, y: x / y)
_OPERATORS = {ast.Add: plus, ast.Sub: arithmetic(lambda x, y: x - y), ast.Mult: times, ast.Div: divided, ast.Pow: power}


def each(change, matrix: Matrix) -> Matrix:
    return [[change(x) for x in row] for row in matrix]


def turned(matrix: Matrix) -> Matrix:
    return [list(row) for row in zip(*matrix)]


def pairwise(change, a: Matrix, b: Matrix) -> Matrix:
    """Entry by entry; a row, a column or a number is stretched."""
    n, m = max(len(a), len(b)), max(len(a[0]), len(b[0]))

    def at(x: Matrix, i: int, j: int):
        return x[i if len(x) > 1 else 0][j if len(x[0]) > 1 else 0]

    return [[change(at(a, i, j), at(b, i, j)) for j in range(m)] for i in range(n)]


def total(entries):
    return reduce(plus, entries, Fraction(0))


def product(a: Matrix, b: Matrix) -> Matrix:
    """Rows times columns; a weight of 0 takes nothing."""
    return [[total(times(x, y) for x, y in zip(row, column) if x != 0 and y != 0) for column in zip(*b)] for row in a]


def by(axis, change, matrix: Matrix) -> Matrix:
    if axis == "columns":
        return turned([change(row) for row in turned(matrix)])
    if axis == "all":
        flat = change([x for row in matrix for x in row])
        m = len(matrix[0])
        return [flat[k : k + m] for k in range(0, len(flat), m)]
    return [change(list(row)) for row in matrix]


def softmax(a, base=None, axis="rows", empty="error") -> Matrix:
    """Each row's powers by their sum; a row of equal scores has fractions for weights."""

    def weights(row):
        seen = [x for x in row if x != -INFINITY]
        if not seen:
            return [Fraction(int(empty == "uniform"), len(row))] * len(row)
        if all(x == seen[0] for x in seen):
            return [Fraction(int(x != -INFINITY), len(seen)) for x in row]
        top = max(map(real, seen))
        powers = [
            Fraction(0) if x == -INFINITY else (real(base[0][0]) if base else mp.e) ** (real(x) - top) for x in row
        ]
        return [Fraction(0) if p == 0 else divided(p, total(powers)) for p in powers]

    return by(axis, weights, a)


def normalize(a, axis="rows", empty="error") -> Matrix:
    return by(axis, lambda row: [divided(x, total(row)) for x in row], a)


def variance(row, ddof=0):
    mean = divided(total(row), Fraction(len(row)))
    return divided(
        total(times(x - mean, x - mean) if isinstance(x, type(mean)) else (real(x) - real(mean)) ** 2 for x in row),
        Fraction(len(row) - ddof),
    )


def layer_norm(
    a, gamma=((1,),), beta=((0,),), eps=((Fraction(1, 100_000),),), ddof=0, eps_in="variance", axis="rows"
) -> Matrix:
    def normed(row):
        mean, spread, small = divided(total(row), Fraction(len(row))), real(variance(row, whole(ddof))), real(eps[0][0])
        below = mp.sqrt(spread + small) if eps_in == "variance" else mp.sqrt(spread) + small
        return [divided(plus(x, -mean), below) for x in row]

    return pairwise(plus, pairwise(times, by(axis, normed, a),
                    [list(map(Fraction, row)) if isinstance(row, tuple) else row for row in gamma]),
                    [list(map(Fraction, row)) if isinstance(row, tuple) else row for row in beta])  # fmt: skip


def sinusoidal(n, d, base=((10000,),), start=0, layout="interleaved", exponent="2i/d") -> Matrix:
    n, d, start = whole(n), whole(d), whole(start)

    def at(position: int, j: int):
        pairs = (d + 1) // 2
        pair, cosine = (j % pairs, j >= pairs) if layout == "concatenated" else (j // 2, j % 2 == 1)
        column = 2 * pair + cosine
        top = {"2i/d": Fraction(2 * pair, d), "j/d": Fraction(column, d), "2j/d": Fraction(2 * column, d)}.get(exponent)
        if top is None:
            top = Fraction(pair, (d + 1) // 2 - 1)
        if position == 0:
            return Fraction(int(cosine))
        return (mp.cos if cosine else mp.sin)(position / mpf(base[0][0]) ** real(top))

    return [[at(start + i, j) for j in range(d)] for i in range(n)]


def mask(holds):
    return lambda n, m, offset=0: [
        [Fraction(int(holds(i + whole(offset), j))) for j in range(whole(m))] for i in range(whole(n))
    ]


def band(n, m, left, right=None) -> Matrix:
    left, right = whole(left), whole(left if right is None else right)
    return [[Fraction(int(-left <= j - i <= right)) for j in range(whole(m))] for i in range(whole(n))]


def keep(s, m, fill=((-INFINITY,),)) -> Matrix:
    return pairwise(lambda x, seen: x if seen != 0 else fill[0][0], s, m)


def one_hot(ids, n, ignore=None) -> Matrix:
    ids = [x for row in ids for x in row]
    left_out = ignore[0][0] if isinstance(ignore, list) else None
    return [[Fraction(int(x == j and x != left_out)) for j in range(whole(n))] for x in ids]


def pick(p, ids) -> Matrix:
    ids = [int(x) for row in ids for x in row]
    return [[row[ids[i] if len(ids) > 1 else ids[0]]] for i, row in enumerate(p)]


def turn(a, cosines, sines, layout="interleaved") -> Matrix:
    """Each pair of columns turned by the angle of its place."""
    half = len(a[0]) // 2

    def row(x, c, s):
        found = list(x)
        for pair in range(half):
            first, second = (pair, pair + half) if layout == "halves" else (2 * pair, 2 * pair + 1)
            found[first] = plus(times(x[first], c[pair]), -times(x[second], s[pair]))
            found[second] = plus(times(x[second], c[pair]), times(x[first], s[pair]))
        return found

    return [row(*rows) for rows in zip(a, cosines, sines)]


def rope(a, base=((10000,),), start=0, layout="interleaved") -> Matrix:
    half = len(a[0]) // 2
    angles = [
        [(whole(start) + i) / mpf(base[0][0]) ** (mpf(pair) / half) for pair in range(half)] for i in range(len(a))
    ]
    return turn(
        a,
        *(
            each(lambda x, f=f, at_0=at_0: f(x) if x else Fraction(at_0), angles)
            for f, at_0 in ((mp.cos, 1), (mp.sin, 0))
        ),
        layout,
    )


def exactly(function, exact):
    """A function of 60 digits that keeps the fractions it is known to keep."""
    return lambda a: each(
        lambda x: (
            exact[x] if x in exact else Fraction(0) if x == -INFINITY and function is mp.exp else function(real(x))
        ),
        a,
    )


def root(x):
    if isinstance(x, Fraction):
        ends = [mp.sqrt(k) for k in (x.numerator, x.denominator)]
        if all(mp.isint(end) for end in ends):
            return Fraction(int(ends[0]), int(ends[1]))
    return mp.sqrt(real(x))


def rows_of(change):
    return lambda a, **options: [[change(row, **{name: whole(x) for name, x in options.items()})] for row in a]


def columns_of(change):
    return lambda a, **options: turned(rows_of(change)(turned(a), **options))


def _mean(row):
    return divided(total(row), Fraction(len(row)))


def _largest(row):
    return max(row, key=real)


FUNCTIONS = {
    "softmax": softmax, "softmax_rows": softmax, "normalize": normalize, "layer_norm": layer_norm,
    "sinusoidal": sinusoidal,
    "softmax_cols": lambda a, **more: softmax(a, axis="columns", **more), "softmax_all": lambda a,
    **more: softmax(a, axis="all", **more),
    "keep": keep, "one_hot": one_hot, "pick": pick, "rope": rope, "turn": turn,
    "band": band, "arange": lambda a, b: [[Fraction(k) for k in range(whole(a), whole(b))]],
    "causal": mask(lambda i, j: j <= i), "causal_strict": mask(lambda i, j: j < i),
    "exp": exactly(mp.exp, {0: Fraction(1)}), "log": exactly(mp.log, {1: Fraction(0)}),
    "ln": exactly(mp.log, {1: Fraction(0)}),
    "sin": exactly(mp.sin, {0: Fraction(0)}), "cos": exactly(mp.cos, {0: Fraction(1)}),
    "tanh": exactly(mp.tanh, {0: Fraction(0)}),
    "log2": lambda a: each(lambda x: mp.log(real(x), 2), a), "sqrt": lambda a: each(root, a),
    "silu": lambda a: each(lambda x: x if x == 0 else real(x) / (1 + mp.exp(-real(x))), a),
    "gelu": lambda a: each(lambda x: x if x == 0 else real(x) * mp.ncdf(real(x)), a),
    "abs": lambda a: each(abs, a), "relu": lambda a: each(lambda x: x if x > 0 else Fraction(0), a),
    "maximum": lambda a, b: pairwise(lambda x, y: _largest([x, y]), a, b),
    "minimum": lambda a, b: pairwise(lambda x, y: min([x, y], key=real), a, b),
    "rows": lambda a: [[Fraction(len(a))]], "cols": lambda a: [[Fraction(len(a[0]))]],
    "row_sum": rows_of(total), "row_mean": rows_of(_mean), "row_max": rows_of(_largest), "row_var": rows_of(variance),
    "col_sum": columns_of(total), "col_mean": columns_of(_mean), "col_max": columns_of(_largest),
    "col_var": columns_of(variance),
    "total": lambda a: [[total(x for row in a for x in row)]],
    "mean": lambda a: [[_mean([x for row in a for x in row])]],
    "hstack": lambda *parts: [[x for row in rows for x in row] for rows in zip(*parts)],
    "vstack": lambda *parts: [row for part in parts for row in part],
    "zeros": lambda n, m: [[Fraction(0)] * whole(m) for _ in range(whole(n))],
    "ones": lambda n, m: [[Fraction(1)] * whole(m) for _ in range(whole(n))],
    "identity": lambda n: [[Fraction(int(i == j)) for j in range(whole(n))] for i in range(whole(n))],
    "lookup": lambda table, ids: [table[int(x)] for row in ids for x in row],
    "argmax_rows": lambda a: [[Fraction(max(range(len(row)), key=lambda j: (real(row[j]), -j)))] for row in a],
}  # fmt: skip


# -- a whole problem ---------------------------------------------------------------------------------------------------


def worked_out(problem: dict, solved: dict, digits: int | None = None) -> tuple[dict[str, Matrix], list[str]]:
    """Every given and step of a problem by name, and the steps that this reader does not know.

    `problem` is the file's data, `solved` its parts with the name and the formula of each step; `digits` rounds each
    step as on paper.
    """
    found: dict[str, Matrix] = {}
    unread: list[str] = []
    parts = problem.get("parts") or {None: problem}
    for part in solved["parts"]:
        own = parts.get(part["name"]) or {}
        known = {name: given(x) for name, x in {**problem.get("given", {}), **own.get("given", {})}.items()}
        found |= {f"{part['name']}.{name}": x for name, x in known.items()}
        pinned = {name: given(x) for name, x in (own.get("pin") or {}).items()}
        for step in part["steps"]:
            if step["name"] in pinned:
                known[step["name"]] = found[f"{part['name']}.{step['name']}"] = pinned[step["name"]]
                continue
            try:
                x = Formula(found | known).of(step["formula"])
                x = x if digits is None else each(lambda one: _on_paper(one, digits), x)
                known[step["name"]] = x
                found[f"{part['name']}.{step['name']}"] = x
            except NotRead as error:
                unread.append(f"{step['name']} = {error}")
    return found, unread


def _on_paper(x, digits: int):
    """Rounded half up to so many decimals."""
    if abs(x) == INFINITY:
        return x
    n = abs(x) * 10**digits + Fraction(1, 2) if isinstance(x, Fraction) else mp.floor(abs(x) * 10**digits + mpf(0.5))
    return Fraction(int(n.__floor__() if isinstance(n, Fraction) else n), 10**digits) * (-1 if x < 0 else 1)
