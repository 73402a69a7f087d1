"""Mistakes in position tables, rotary positions and position biases."""

from collections.abc import Callable, Iterator

from ...formula.parse import parse
from ...formula.tree import Call, Tree, unparse
from ..catalogue import HIGH, MEDIUM, Mistake
from ..site import Site


def _table(site: Site) -> tuple[int, int, dict[str, str]] | None:
    """Tokens, width and options of a sinusoidal table with tokens as rows."""
    tree = site.step.tree
    if not isinstance(tree, Call) or tree.function != "sinusoidal":
        return None
    return *site.step.shape, {name: unparse(value) for name, value in tree.options}


def _by_column(column: Callable[[int, int, str], str]) -> Callable[[Site], Iterator[Tree]]:
    """A table made column by column: `column(j, d, base)` is a formula over p, the column of positions."""

    def build(site: Site) -> Iterator[Tree]:
        found = _table(site)
        if found is None or found[2].get("layout", "").strip('"') == "concatenated":
            return
        n, d, options = found
        places = f"({options.get('start', '0')} + arange(0, {n})).T"
        columns = [column(j, d, options.get("base", "10000")).replace("p_", places) for j in range(d)]
        yield parse(f"hstack({', '.join(columns)})")

    return build


def _wave(j: int) -> str:
    return "cos" if j % 2 else "sin"


_shifted_cosine = _by_column(lambda j, d, base: f"{_wave(j)}(p_ / {base} ** ({j + j % 2} / {d}))")
_swapped = _by_column(lambda j, d, base: f"{'sin' if j % 2 else 'cos'}(p_ / {base} ** ({j - j % 2} / {d}))")
_degrees = _by_column(lambda j, d, base: f"{_wave(j)}(p_ / {base} ** ({j - j % 2} / {d}) * pi / 180)")
_undivided = _by_column(lambda j, d, base: f"{_wave(j)}(p_)")

MISTAKES = (
    Mistake(
        "position-exponent-doubled", "position", ("PE",),
        "The exponent seems to have been twice the column's number.",
        "Columns 2i and 2i + 1 share the exponent 2i/d: for columns 0 and 1 it is 0, for 2 and 3 it is 2/d.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="2j/d")'),), HIGH,
    ),
    Mistake(
        "position-cosine-shifted", "position", ("PE",),
        "The cosine seems to have used the next pair's exponent, 2(i + 1)/d.",
        "Sine and cosine of a pair share one angle, with the exponent 2i/d.",
        (), HIGH, build=_shifted_cosine,
    ),
    Mistake(
        "position-exponent-by-column", "position", ("PE",),
        "Each column seems to have had an exponent of its own, its number over d.",
        "Columns 2i and 2i + 1 share the exponent 2i/d.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="j/d")'),), MEDIUM,
    ),
    Mistake(
        "position-exponent-of-pairs", "position", ("PE",),
        "The exponent seems to have been i/(d/2 − 1), the number of the pair over that of the last one, as in some programs.",
        "Use the exponent that the problem gives; the usual one is 2i/d.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="i/(d/2-1)")'),),
    ),
    Mistake(
        "position-exponent-usual", "position", ("PE",),
        "The usual exponent 2i/d seems to have been used, but this problem states another.",
        "Use the exponent that the problem gives.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, exponent="2i/d")'),),
    ),
    Mistake(
        "position-base-1000", "position", ("PE",),
        "The base 1000 (or 100) seems to have been used.",
        "The base is 10000.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, base=1000)"), ("sinusoidal(n_, d_)", "sinusoidal(n_, d_, base=100)")), MEDIUM,
    ),
    Mistake(
        "position-base-10000", "position", ("PE",),
        "The usual base 10000 seems to have been used, but this problem states another.",
        "Use the base that the problem gives.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, base=10000)"),), MEDIUM,
    ),
    Mistake(
        "positions-from-1", "position", ("PE",),
        "The positions seem to have been counted from 1.",
        "The first token stands at position 0 here.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, start=1)"),),
    ),
    Mistake(
        "positions-from-0", "position", ("PE",),
        "The positions seem to have been counted from 0.",
        "Start from the position that the problem gives.",
        (("sinusoidal(n_, d_)", "sinusoidal(n_, d_, start=0)"),),
    ),
    Mistake(
        "sine-cosine-swapped", "position", ("PE",),
        "Sine and cosine seem to have been exchanged.",
        "Even columns hold sines, odd columns cosines.",
        (), build=_swapped,
    ),
    Mistake(
        "halves-not-interleaved", "position", ("PE",),
        "All sines seem to come first and then all cosines; or the other way round.",
        "Use the layout that the problem states.",
        (("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, layout="concatenated")'), ("sinusoidal(n_, d_)", 'sinusoidal(n_, d_, layout="interleaved")')),
        same="d is 2",
    ),
    Mistake(
        "angles-in-degrees", "position", ("PE",),
        "The calculator seems to have been set to degrees.",
        "The angles are in radians: sin(1) is 0.8415.",
        (), build=_degrees,
    ),
    Mistake(
        "angle-not-divided", "position", ("PE",),
        "The position itself seems to have been taken as the angle in every column.",
        "Divide the position by base^(2i/d) first.",
        (), build=_undivided, same="d is 2",
    ),
    Mistake(
        "positions-multiplied", "position", ("X_pe",),
        "The positions seem to have been multiplied with the tokens.",
        "The table is added, entry by entry.",
        (("x_ + p_", "x_ * p_"),),
    ),
    Mistake(
        "embedding-not-scaled", "position", ("X_pe", "scaled", "X"),
        "The embeddings seem not to have been multiplied by √d_model.",
        "Multiply the embeddings by √d_model before the positions are added.",
        (("x_ * c_ + p_", "x_ + p_"), ("x_ * sqrt(d_)", "x_")), HIGH,
    ),
    Mistake(
        "embedding-divided", "position", ("X_pe", "scaled", "X"),
        "The embeddings seem to have been divided by √d_model.",
        "Multiply the embeddings by √d_model.",
        (("x_ * c_ + p_", "x_ / c_ + p_"), ("x_ * sqrt(d_)", "x_ / sqrt(d_)")), MEDIUM,
    ),
    Mistake(
        "rotation-backwards", "rotary", ("X_rot", "angles"),
        "The pairs seem to have been turned the other way.",
        "Turn each pair by its angle counter-clockwise: (x cos θ − y sin θ, x sin θ + y cos θ).",
        (("turn(x_, c_, s_)", "turn(x_, c_, -s_)"), ("a_ / b_", "-(a_ / b_)"), ("a_ * b_", "-(a_ * b_)")),
    ),
    Mistake(
        "rotation-of-halves", "rotary", ("X_rot",),
        "The features seem to have been paired the other way (neighbours, or one of each half).",
        "Use the pairing that the problem states.",
        (("turn(x_, c_, s_)", 'turn(x_, c_, s_, layout="halves")'), ("turn(x_, c_, s_)", 'turn(x_, c_, s_, layout="interleaved")')),
        same="d is 2",
    ),
    Mistake(
        "bias-sign", "rotary", ("S_biased",),
        "The bias seems to have been subtracted.",
        "Add the bias; it is negative already for keys far away.",
        (("s_ + b_", "s_ - b_"),),
    ),
    Mistake(
        "position-bias-forgotten", "rotary", ("S_biased",),
        "The bias seems to have been forgotten.",
        "Add the bias of the positions to the scores.",
        (("s_ + b_", "s_"),),
    ),
)  # fmt: skip
