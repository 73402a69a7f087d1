"""Mistakes in position tables, rotary positions and position biases."""

from collections.abc import Callable, Iterator

from ...formula.parser import read
from ...formula.syntax_tree import Binary, Call, Index, Number, Slice, Tree, unparse
from ..mistake import HIGH, MEDIUM, Mistake
from ..recognition.roles import RoleMatch
from ..step_analysis import StepAnalysis


def _table(site: StepAnalysis, part: RoleMatch) -> tuple[int, int, dict[str, str]] | None:
    """Return the numbers of rows and columns, and the options, of a sinusoidal table; None for other formulas."""
    tree = part.spot.tree
    node = site.node_of(tree)
    if node is None or not isinstance(tree, Call) or tree.function != "sinusoidal":
        return None
    return *node.shape, {name: unparse(value) for name, value in tree.options}


def _by_column(column: Callable[[int, int, str], str]) -> Callable[[StepAnalysis, RoleMatch], Iterator[Tree]]:
    """Return a function that builds a table from its columns. `column(j, d, base)` is a formula of the positions p_."""

    def build(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
        table = _table(site, part)
        if table is None or table[2].get("layout", "").strip('"') == "concatenated":
            return
        n, d, options = table
        places = f"({options.get('start', '0')} + arange(0, {n})).T"
        columns = [column(j, d, options.get("base", "10000")).replace("p_", places) for j in range(d)]
        yield read(f"hstack({', '.join(columns)})")

    return build


def _wave(j: int) -> str:
    return "cos" if j % 2 else "sin"


_shifted_cosine = _by_column(lambda j, d, base: f"{_wave(j)}(p_ / {base} ** ({j + j % 2} / {d}))")
_swapped = _by_column(lambda j, d, base: f"{'sin' if j % 2 else 'cos'}(p_ / {base} ** ({j - j % 2} / {d}))")
_degrees = _by_column(lambda j, d, base: f"{_wave(j)}(p_ / {base} ** ({j - j % 2} / {d}) * pi / 180)")
_undivided = _by_column(lambda j, d, base: f"{_wave(j)}(p_)")
_halved = _by_column(lambda j, d, base: f"{_wave(j)}(p_ / {base} ** ({j // 2} / {d}))")
_next_pair = _by_column(lambda j, d, base: f"{_wave(j)}(p_ / {base} ** ({j - j % 2 + 2} / {d}))")
_sines = _by_column(lambda j, d, base: f"sin(p_ / {base} ** ({j - j % 2} / {d}))")


def _row_with_other_base(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield tables in which one row is computed with another base."""
    table = _table(site, part)
    if table is None or table[0] < 2 or site.columns:
        return
    n, tree = table[0], part.spot.tree
    for base in ("1000", "100"):
        other = _with_base(tree, base)
        for row in range(1, n):
            parts = [(tree, 0, row), (other, row, row + 1), (tree, row + 1, n)]
            yield Call("vstack", tuple(_rows(table, low, high) for table, low, high in parts if low < high))


def _with_base(tree: Tree, base: str) -> Tree:
    assert isinstance(tree, Call)
    options = tuple((name, value) for name, value in tree.options if name != "base")
    return Call(tree.function, tree.arguments, (*options, ("base", Number(base))))


def _rows(table: Tree, low: int, high: int) -> Tree:
    return Index(table, Slice(Number(str(low)), Number(str(high))), Slice(None, None))


def _rotated_values(site: StepAnalysis, part: RoleMatch) -> Iterator[Tree]:
    """Yield the product of the weights and the values, if the values are rotated as the keys are."""
    keys, tree = part.names.get("K"), part.spot.tree
    key_path = site.recogniser.dereference(keys) if keys is not None else None
    turn = key_path.tree if key_path is not None else None
    if not (
        isinstance(turn, Call)
        and turn.function == "turn"
        and isinstance(tree, Binary)
        and tree.operator == "@"
        and key_path is not None
    ):
        return
    turn = site.recogniser.names.translate(key_path, site.step.part)
    if isinstance(turn, Call):
        values = tree.left if site.columns else tree.right
        rotated = Call("turn", (values, *turn.arguments[1:]), turn.options)
        yield Binary("@", rotated, tree.right) if site.columns else Binary("@", tree.left, rotated)


MISTAKES = (
    Mistake(
        "position-exponent-doubled", "position", ("PE",),
        "It looks as if you used twice the column number, divided by d, as the exponent.",
        "Use the exponent that the problem gives; the usual 2i/d is 0 in columns 0 and 1, and 2/d in columns 2 and 3.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="2j/d")'),), HIGH,
    ),
    Mistake(
        "position-cosine-shifted", "position", ("PE",),
        "It looks as if you used the next pair's exponent, 2(i + 1)/d, for the cosine.",
        "Use the exponent that the problem gives; usually the sine and cosine of a pair share the exponent 2i/d.",
        (), HIGH, build=_shifted_cosine,
    ),
    Mistake(
        "pairs-from-1", "position", ("PE",),
        "It looks as if you counted the pairs of columns from 1.",
        "Pairs are counted from 0: the first pair has i = 0, so its angle is the position itself.",
        (), build=_next_pair,
    ),
    Mistake(
        "position-exponent-by-column", "position", ("PE",),
        "It looks as if you used a different exponent for each column: the column number divided by d.",
        "Use the exponent that the problem gives; usually columns 2i and 2i + 1 share the exponent 2i/d.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="j/d")'),), MEDIUM,
    ),
    Mistake(
        "position-exponent-of-pairs", "position", ("PE",),
        "It looks as if you used the exponent i/(d/2 − 1), as some programs do.",
        "Use the exponent that the problem gives; the usual one is 2i/d.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="i/(d/2-1)")'),),
    ),
    Mistake(
        "position-exponent-usual", "position", ("PE",),
        "It looks as if you used the usual exponent 2i/d, but this problem gives a different one.",
        "Use the exponent that the problem gives.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="2i/d")'),),
    ),
    Mistake(
        "position-base-1000", "position", ("PE",),
        "It looks as if you used the base 1000 or 100.",
        "Use the base that the problem gives; the usual one is 10000.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, base=1000)"),
         ("sinusoidal(n_, d_)", "sinusoidal(n_, d_, base=100)")), MEDIUM,
    ),
    Mistake(
        "position-exponent-halved", "position", ("PE",),
        "It looks as if you used the exponent i/d for the pair of columns 2i and 2i + 1.",
        "Use the exponent that the problem gives; usually columns 2i and 2i + 1 share the exponent 2i/d.",
        (), MEDIUM, build=_halved,
    ),
    Mistake(
        "position-row-with-other-base", "position", ("PE",),
        "It looks as if you used the base 1000 or 100 in only one row.",
        "Use the same base in all rows.",
        (), build=_row_with_other_base,
    ),
    Mistake(
        "position-base-10000", "position", ("PE",),
        "It looks as if you used the usual base 10000, but this problem gives a different one.",
        "Use the base that the problem gives.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, base=10000)"),), MEDIUM,
    ),
    Mistake(
        "positions-from-1", "position", ("PE",),
        "It looks as if you counted positions from 1.",
        "Start from the position that the problem gives; the usual one is 0.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, start=1)"),),
    ),
    Mistake(
        "positions-from-0", "position", ("PE",),
        "It looks as if you counted positions from 0.",
        "Start from the position that the problem gives.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, start=0)"),),
    ),
    Mistake(
        "sine-cosine-swapped", "position", ("PE",),
        "It looks as if you swapped sine and cosine.",
        "Counted from 0, columns 2i contain sines, and columns 2i + 1 contain cosines.",
        (), build=_swapped,
    ),
    Mistake(
        "sine-in-every-column", "position", ("PE",),
        "It looks as if you took the sine in every column.",
        "Counted from 0, columns 2i contain sines, and columns 2i + 1 contain cosines.",
        (), build=_sines,
    ),
    Mistake(
        "halves-not-interleaved", "position", ("PE",),
        "It looks as if you used the wrong layout of sines and cosines.",
        "Use the layout that the problem gives.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, layout="concatenated")'),
         ("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, layout="interleaved")')),
        same="d is 2",
    ),
    Mistake(
        "angles-in-degrees", "position", ("PE", "cos", "sin"),
        "It looks as if your calculator was set to degrees.",
        "The angles are in radians: sin(1) is 0.8415.",
        (("cos(a_)", "cos(a_ * pi / 180)"), ("sin(a_)", "sin(a_ * pi / 180)")), build=_degrees,
    ),
    Mistake(
        "angle-not-divided", "position", ("PE",),
        "It looks as if you used the position itself as the angle in every column.",
        "Divide the position by base^exponent before you take the sine or cosine.",
        (), build=_undivided, same="d is 2",
    ),
    Mistake(
        "positions-multiplied", "position", ("X_pe",),
        "It looks as if you multiplied the tokens by the position table.",
        "Add the position table to the tokens, entry by entry.",
        (("x_ + p_", "x_ * p_"),),
    ),
    Mistake(
        "positions-alone", "position", ("X_pe",),
        "It looks as if you wrote the position table without the tokens.",
        "Add the table to the tokens, entry by entry.",
        (("x_ + p_", "p_"),),
    ),
    Mistake(
        "ids-from-1", "position", ("embedded",),
        "It looks as if you counted the rows of the embedding table from 1.",
        "ID 0 is the first row of the table.",
        (("lookup(e_, i_)", "lookup(e_, i_ - 1)"),),
    ),
    Mistake(
        "embedding-not-scaled", "position", ("X_pe", "scaled", "X"),
        "It looks as if you did not multiply the embeddings by their factor.",
        "Multiply the embeddings by the factor, usually √d_model, before the positions are added.",
        (("x_ * c_ + p_", "x_ + p_"), ("x_ * sqrt(d_)", "x_")), HIGH,
    ),
    Mistake(
        "embedding-divided", "position", ("X_pe", "scaled", "X"),
        "It looks as if you divided the embeddings by their factor.",
        "Multiply the embeddings by the factor, usually √d_model.",
        (("x_ * c_ + p_", "x_ / c_ + p_"), ("x_ * sqrt(d_)", "x_ / sqrt(d_)")), MEDIUM,
    ),
    Mistake(
        "rotation-sine-cosine-swapped", "rotary", ("cos", "sin"),
        "It looks as if you swapped sine and cosine.",
        "The table cos contains the cosines of the angles, and the table sin contains their sines.",
        (("cos(a_)", "sin(a_)"), ("sin(a_)", "cos(a_)")),
    ),
    Mistake(
        "rotation-backwards", "rotary", ("X_rot", "angles"),
        "It looks as if you rotated the pairs in the opposite direction.",
        "Rotate in the direction that the problem gives; counter-clockwise is (x cos θ − y sin θ, x sin θ + y cos θ).",
        (("turn(x_, c_, s_)", "turn(x_, c_, -s_)"), ("a_ / b_", "-(a_ / b_)"), ("a_ * b_", "-(a_ * b_)")),
    ),
    Mistake(
        "rotation-of-halves", "rotary", ("X_rot",),
        "It looks as if you used the other pairing (neighbouring features, or one from each half).",
        "Use the pairing that the problem gives.",
        (("turn(x_, c_, s_)", 'turn(x_, c_, s_, layout="halves")'),
         ("turn(x_, c_, s_)", 'turn(x_, c_, s_, layout="interleaved")'),
         ("rope(x_)", 'rope(x_, layout="halves")'), ("rope(x_)", 'rope(x_, layout="interleaved")')),
        same="d is 2",
    ),
    Mistake(
        "rotation-forgotten", "rotary", ("X_rot",),
        "It looks as if you did not rotate the vectors by their positions.",
        "Rotate each pair of features of the queries and keys by its angle.",
        (("rope(x_)", "x_"), ("turn(x_, c_, s_)", "x_")), MEDIUM, "there is only the token at position 0",
    ),
    Mistake(
        "rotation-from-1", "rotary", ("angles",),
        "It looks as if you counted the positions from 1.",
        "Start from the position that the problem gives; at position 0 nothing is rotated.",
        (("p_ / b_ ** e_", "(p_ - p_[0] + 1) / b_ ** e_"),), same="the positions are counted from 1",
    ),
    Mistake(
        "rotation-from-0", "rotary", ("angles",),
        "It looks as if you counted the positions from 0.",
        "Start from the position that the problem gives. With a cache, the position of a new token is the number of "
        "cached tokens.",
        (("p_ / b_ ** e_", "(p_ - p_[0]) / b_ ** e_"),), MEDIUM, "the positions are counted from 0",
    ),
    Mistake(
        "rotation-by-one-angle", "rotary", ("angles",),
        "It looks as if you used the angle of the first pair for every pair of features.",
        "Each pair has its own angle: the position divided by base^(2i/d) for pair i, with i counted from 0.",
        (("p_ / b_ ** e_", "p_ / b_ ** (e_ * 0)"),), same="there is only one pair",
    ),
    Mistake(
        "values-rotated", "rotary", ("Z",),
        "It looks as if you rotated the values too.",
        "Only queries and keys are rotated; the values are not.",
        (), MEDIUM, build=_rotated_values,
    ),
    Mistake(
        "bias-sign", "rotary", ("S_biased",),
        "It looks as if you subtracted the bias.",
        "Add the bias. The bias of ALiBi is already negative for distant keys.",
        (("s_ + b_", "s_ - b_"),),
    ),
    Mistake(
        "position-bias-forgotten", "rotary", ("S_biased",),
        "It looks as if you left out the bias.",
        "Add the position bias to the scores.",
        (("s_ + b_", "s_"),),
    ),
)  # fmt: skip
