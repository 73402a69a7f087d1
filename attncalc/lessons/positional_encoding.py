"""Positional encoding: the sinusoidal table of "Attention Is All You Need", and rotary positions."""

from __future__ import annotations

from ..errors import FormulaError, size
from .lesson import CHECKED, Input, Lesson, Option, Recipe, Setting, formula_call

LONGEST = 512  # the largest number of rows of a table without tokens
POSITION_OPTIONS = (
    Option(
        "base",
        "formula",
        "10000",
        "the base of the angles position / base^exponent",
        demand="positive",
        examples=("100",),
    ),
    Option("start", "formula", "0", "the position of the first token", examples=("1",)),
    Option("exponent", "word", "2i/d", "the exponent of the base", ("2i/d", "j/d", "2j/d", "i/(d/2-1)")),
    Option(
        "layout",
        "word",
        "interleaved",
        "sine and cosine alternately, or the same columns with all sines first",
        ("interleaved", "concatenated"),
    ),
)


def position_table(s: Setting, tokens: str, width: str) -> str:
    """Return the formula of the position table, with the options that are not defaults. If tokens are columns, it is
    transposed.
    """
    options: dict[str, str | None] = {}
    for name in ("base", "start"):
        options[name] = None if s.is_unset(name) else s.text(name)
        s.say(name, {"base": "10000", "start": "0"}[name] if s.is_unset(name) else s.option_text(name))
    for name in ("exponent", "layout"):
        word = s.word(name)
        options[name] = None if s.is_unset(name) else f'"{word}"'
        s.say(name, word)
    if s.columns:
        return formula_call("sinusoidal", [width, tokens], options) + ".T"
    return formula_call("sinusoidal", [tokens, width], options)


def _positional_encoding(s: Setting) -> list[Recipe]:
    if not s.has("X"):
        n, d = s.integer("places", LONGEST), s.integer("width", LONGEST)
        if n is None or d is None:
            raise FormulaError("positional_encoding needs X, or places and width for only the table")
        return [("PE", position_table(s, str(n), str(d)))]
    table = position_table(s, "rows(X)", "cols(X)")
    scale = s.text("embed_scale")
    if scale:
        s.say("embed_scale", s.option_text("embed_scale"))
    return [("PE", table), ("X_pe", f"{'X * embed_scale' if scale else 'X'} + PE")]


POSITIONAL_ENCODING = Lesson(
    "positional_encoding",
    "The position of a token, encoded as sines and cosines of different frequencies and added to the token.",
    (Input("X", "the tokens, one per row; without them only the table is computed", optional=True),),
    (*POSITION_OPTIONS, Option("places", "whole", "none", "the number of positions, if there is no X", largest=LONGEST),
     Option("width", "whole", "none", "the number of columns, if there is no X", largest=LONGEST),
     Option("embed_scale", "formula", "none", "the factor by which the tokens are multiplied before "
     "the positions are added, such as sqrt(d_model)",
                               examples=("2",))),
    {"PE": "the position table: the encoding of each position in the sentence",
     "X_pe": "the tokens plus their positional encoding"},
    _positional_encoding,
    source="Vaswani et al. 2017.",
)  # fmt: skip


def _rotary(s: Setting) -> list[Recipe]:
    tokens = "X.T" if s.columns else "X"
    n, d = s.shape("X") if not s.columns else s.shape("X")[::-1]
    if d % 2:
        raise FormulaError(f"rotary positions need an even number of features; {d} is odd")
    position = f"({'start' if s.text('start') else '0'} + arange(0, {n})).T"
    scaled = _scaled_speeds(s, d)
    if s.has("theta"):
        if (shape := s.shape("theta")) != (1, d // 2):
            raise FormulaError(
                f"theta: expected {size((1, d // 2))}, a frequency for each pair of features; found {size(shape)}",
                about="theta",
            )
        speed = " * theta * pi / 180" if s.flag("degrees") else " * theta"
    elif scaled:
        speed = f" * {scaled[-1][0]}"
        s.say_formula("base")
    else:
        speed = f" / base ** (2 * arange(0, {d // 2}) / {d})"
        s.say_formula("base")
    backwards = "-" if s.word("sign") == "-1" else ""
    s.say_formula("start")
    layout = s.say_word("layout")
    s.say_word("sign")
    option = f', layout="{layout}"' if layout != "interleaved" else ""
    rotated = f"turn({tokens}, cos, sin{option})"
    if s.word("scaling") == "yarn":
        rotated = f"(0.1 * log(factor) + 1) * {rotated}"
    return [
        *scaled,
        ("angles", f"{backwards}{position}{speed}"),
        ("cos", "cos(angles)"),
        ("sin", "sin(angles)"),
        ("X_rot", f"({rotated}).T" if s.columns else rotated),
    ]


def _scaled_speeds(s: Setting, d: int) -> list[Recipe]:
    """Return the steps that scale the rotation speeds to contexts longer than in training. The last step is the
    result.
    """
    word = s.word("scaling")
    if word == "none":
        return []
    if s.has("theta"):
        raise FormulaError(
            "scaling changes the frequencies of base; if theta is given, leave out scaling", about="scaling"
        )
    if word == "ntk" and d < 4:
        raise FormulaError(f"scaling: ntk needs four features or more; found {d}", about="scaling")
    for option in ("factor", *(("trained", "slow", "fast") if word == "yarn" else ())):
        s.say_formula(option)
    s.say("scaling", word)
    if word == "yarn":
        s.say_word("ramp")
    powers = f"(2 * arange(0, {d // 2}) / {d})"
    unscaled: Recipe = ("speeds", f"1 / base ** {powers}")
    if word == "linear":
        return [unscaled, ("speeds_scaled", "speeds / factor")]
    if word == "ntk":
        return [("base_scaled", f"base * factor ** ({d} / {d - 2})"), ("speeds_scaled", f"1 / base_scaled ** {powers}")]
    scaled: Recipe = ("speeds_scaled", "(1 - ramp) * speeds / factor + ramp * speeds")
    if s.word("ramp") == "turns":
        turns: Recipe = ("turns", "trained * speeds / (2 * pi)")
        return [unscaled, turns, ("ramp", "clip((turns - slow) / (fast - slow), 0, 1)"), scaled]
    low, high = (f"{d} * log(trained / ({speed} * 2 * pi)) / (2 * log(base))" for speed in ("fast", "slow"))
    if s.word("ramp") == "pairs":
        low, high = f"floor({low})", f"ceil({high})"
    return [
        unscaled,
        ("low", f"maximum({low}, 0)"),
        ("high", f"minimum({high}, {d - 1})"),
        ("ramp", f"1 - clip((arange(0, {d // 2}) - low) / (high - low), 0, 1)"),
        scaled,
    ]


ROTARY_OPTIONS = (
    Option("positions", "word", "none", "rotary rotates the queries and the keys by their positions, as in LLaMA",
        ("none", "rotary")),
    Option("rotary_base", "formula", "10000", "the base of the angles", demand="positive", examples=("100",)),
    Option("rotary_start", "formula", "0", "the position of the first token", examples=("1",)),
    Option("rotary_layout", "word", "interleaved", "which features are a pair: neighbours, or one from each half",
        ("interleaved", "halves")),
)  # fmt: skip
_ANGLE_STEPS = {
    "angles": "how far each pair of features is rotated at each position",
    "cos": "the cosines of the angles",
    "sin": "the sines of the angles",
}
ROTARY_STEPS = _ANGLE_STEPS | {
    "Q_rot": "the queries, rotated by their positions",
    "K_rot": "the keys, rotated by their positions",
}


def is_rotary(s: Setting) -> bool:
    """Return whether queries and keys are rotated. A lesson without the option `positions` does not rotate them."""
    return s.lesson.option("positions") is not None and s.word("positions") == "rotary"


def rotary_table(s: Setting, tokens: int, width: int, start: str = "") -> list[Recipe]:
    """Return the steps `angles`, `cos` and `sin` for a number of tokens and a head width. `start` is the first
    position; by default, it is the option `rotary_start`.
    """
    if width % 2:
        raise FormulaError(
            f"rotary positions rotate pairs of features; a head has {width}, an odd number", about="positions"
        )
    for option in ("rotary_base",) if start else ("rotary_base", "rotary_start"):
        s.say_formula(option)
    s.say_word("rotary_layout")
    first = start or "rotary_start"
    return [
        ("angles", f"({first} + arange(0, {tokens})).T / rotary_base ** (2 * arange(0, {width // 2}) / {width})"),
        ("cos", "cos(angles)"),
        ("sin", "sin(angles)"),
    ]


def rotation(s: Setting, tokens: str, rows: str = "") -> str:
    """Return the formula that rotates tokens by their positions. `rows` is a slice of the rotary table."""
    layout = s.word("rotary_layout")
    option = None if layout == "interleaved" else f'"{layout}"'
    rotated = formula_call(
        "turn", [f"{tokens}.T" if s.columns else tokens, f"cos{rows}", f"sin{rows}"], {"layout": option}
    )
    return f"{rotated}.T" if s.columns else rotated


ROTARY = Lesson(
    "rotary",
    "Rotary positions: each pair of features is rotated by an angle that grows with the position, so q·k depends on "
    "the positions only through their difference.",
    (
        Input("X", "the queries or keys, one per row"),
        Input("theta", "the frequency of each pair: its angle per position, if it is given",
              optional=True, named=True, shape=CHECKED),
    ),
    (
        Option("base", "formula", "10000", "the base of the angles θᵢ = base^(−2i/d)", demand="positive",
            examples=("100",)),
        Option("start", "formula", "0", "the position of the first token", examples=("1",)),
        Option("layout", "word", "interleaved", "which features are a pair: neighbours, or one from each half",
            ("interleaved", "halves")),
        Option("sign", "word", "+1", "the direction of the rotation: +1 counter-clockwise", ("+1", "-1")),
        Option("degrees", "flag", "false", "true: theta is in degrees, not in radians"),
        Option("scaling", "word", "none", "for texts longer than in training: positions divided by the factor "
        "(linear), a larger base (ntk), or low frequencies divided by the factor and high ones unchanged (yarn)",
               ("none", "linear", "ntk", "yarn")),
        Option("factor", "formula", "2", "the factor by which the text is longer than in training",
               demand="positive", examples=("4",)),
        Option("trained", "formula", "2048", "the length of the training texts in tokens (yarn)", demand="count",
            examples=("64",)),
        Option("slow", "formula", "1", "pairs with at most this many rotations in a training text have a low "
        "frequency (yarn)",
            demand="positive"),
        Option("fast", "formula", "32", "pairs with at least this many rotations in a training text have a high "
        "frequency (yarn)",
               demand="positive", examples=("4",)),
        Option("ramp", "word", "turns", "how pairs between low and high frequencies are scaled (yarn): by their "
        "rotations, as in the paper (turns), or by their number, as in the published program. The limits are "
        "rounded outwards (pairs) or not (pairs_unrounded), as in Transformers",
               ("turns", "pairs", "pairs_unrounded")),
    ),
    {
        "speeds": "the frequency of each pair: its angle per position",
        "base_scaled": "the base, enlarged so that the pair with the lowest frequency rotates no further than "
        "in training",
        "turns": "how many full rotations each pair makes in a training text",
        "low": "the number of the last pair that counts as high-frequency",
        "high": "the number of the first pair that counts as low-frequency",
        "ramp": "0 for pairs with a low frequency, 1 for those with a high one",
        "speeds_scaled": "the angle per position for the longer text",
    }
    | _ANGLE_STEPS
    | {"X_rot": "the features, rotated"},
    _rotary,
    zero={"ramp": "the limits of low and high frequencies are equal; Transformers uses 0.001 as their difference"},
    source="Su et al. 2021; layout: halves follows Transformers. linear: Chen et al. 2023; ntk and yarn: Peng et "
    "al. 2023, where yarn scales a pair by its rotations (ramp: turns) and the published program by its number (ramp: "
    "pairs).",
)  # fmt: skip
