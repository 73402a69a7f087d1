"""Every sentence of a solution, in one place, so that the sentences can be changed and translated."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..errors import listed
from ..rounding_modes import MODES

MOST_NAMED = 3  # steps in one warning
GIVENS_ROUNDED = "The given decimals are themselves rounded; this solution uses them as printed."
PINNED = "pinned: the problem gives this value, and later steps use it"
SUPPLIED = "given: the problem starts from this value"
GIVEN = "given"
ASKED = "asked:"
HIDDEN_BY_MASK = "exactly 0: masked"
EXACT_ZERO = "exactly 0"
NO_SCORE = "exactly 0: the score is −∞"
ALL_SUM_TO_1 = "all weights together sum to 1"
EXACT_WITH_DECIMALS = "≈ marks entries without a closed form, or with one that is too long"

NO_CLOSED_FORM = "if no closed form is shown, none exists or it is too long to print"
MORE_DIGITS = (
    "Later steps use the unrounded numbers; a calculation shows as many digits as you need to repeat it with a "
    "calculator."
)
MORE_DIGITS_ON_PAPER = (
    "Only the result of a step is rounded; its calculation shows as many digits as you need to repeat it with a "
    "calculator."
)
BY_NAMES = (
    "If a calculation has names instead of numbers, it uses the unrounded numbers; the printed ones could "
    "change the last digits."
)
BY_NAMES_ON_PAPER = "In a calculation, names are shown for numbers with too many digits."

SOLUTION_OF = "{title}: solution"
ANSWER_LINE = "**Answer.** {words}"
SAME_AS_PART = "as in “{part}”"
COLUMNS_OF = "d_k = {count}, the number of columns of {name}"
ROWS_OF = "d_k = {count}, the number of rows of {name}"
MORE_ENTRIES = "{count} more entries are calculated in the same way"
OMITTED_TERMS = "… {count} more …"
ATTENDED_KEYS = "{query} attends to {keys}"
QUOTED = "“{token}”"
ATTENDS_MOST = "{query} attends most to {key} ({weight})"
NAME_RANGE = "{first} to {last}"
NUMBERED = "{word} {i}"
SENTENCE_IN_WORDS = "in words: {words}"
UNDECIDED = "{entry}: the last digit could not be proven; {text} is one of two neighbours."
SUMS_TO_1 = "every {word} sums to 1"
NO_PROBABILITIES = "row {row} of {taken} does not sum to 1; {function} takes probabilities, such as softmax({taken})"
NOT_EVERY = "not every {word} sums to 1"
ITSELF = "itself"
STEPS = "step"  # steps of a learning rate
FIGURES = "leading digits"
START = "start"  # a start token without a name
POINT_PLACES = 4
ALL_ELSE, ALL = "all else", "all"
SAME_NUMBERS = "the same numbers, renamed"
OWN_SCALE = ("divided by √d_k", "divided by the scale")  # replaced if the problem has `scale:`
# Reasons why a step only renames a matrix, by `lesson step`.
_NORMED = ("layer_norm Y", "add_norm Y", "layer_norm_gradients Y")
ANOTHER_NAME = dict.fromkeys(_NORMED, "no γ or β is given, so Y is the normalised input") | {
    "layer_norm_gradients dnormed": "no γ is given, so dnormed is dY",
    "rms_norm Y": "no γ is given, so Y is the normalised input",
}

WORDS, FROM_0 = "words", "numbered from 0"

# The meanings of conventions, by `lesson option value` or by `option value`.
CONVENTIONS = {
    f"{WORDS} {FROM_0}": "rows and columns are counted from 1",
    "scale none": "the scores are not scaled",
    "mask causal": "each query attends to itself and the tokens before it",
    "mask causal_strict": "each query attends only to the tokens before it",
    "mask_at scaled": "the mask is applied after scaling",
    "mask_at scores": "the mask is applied before scaling",
    "mask_at weights": "the mask is applied to the weights, which are then divided by their sum",
    "fill -inf": "masked scores become −∞",
    "empty_row zeros": "the weights of a fully masked query are 0",
    "empty_row uniform": "the weights of a fully masked query are all equal",
    "axis rows": "each row sums to 1",
    "axis columns": "each column sums to 1",
    "axis all": "all weights together sum to 1",
    "quantization axis all": "all entries have the same scale",
    "quantization axis rows": "each row has its own scale",
    "quantization axis columns": "each column has its own scale",
    "vectors columns": "a token is a column",
    "exponent 2i/d": "as in Vaswani et al. 2017",
    "exponent j/d": "each column has its own exponent",
    "layout interleaved": "sine and cosine alternate",
    "layout concatenated": "all sines come first",
    "rotary layout interleaved": "neighbours form a pair",
    "rotary layout halves": "a pair has one feature from each half",
    "start 0": "the first token has position 0",
    "start 1": "the first token has position 1",
    "rotary start 0": "positions are counted from 0",
    "rotary start 1": "positions are counted from 1",
    "rotary sign +1": "pairs are rotated counter-clockwise",
    "rotary sign -1": "pairs are rotated clockwise",
    "eps_in variance": "ε is added to the variance",
    "eps_in std": "ε is added to the standard deviation",
    "ddof 0": "the divisor of the variance is d",
    "ddof 1": "the divisor of the variance is d − 1",
    "step_0 none": "steps are counted from 1",
    "step_0 as_1": "step 0 counts as step 1",
    "step_0 plus_1": "step n counts as step n + 1",
    "model transformer": "the model has an encoder and a decoder",
    "attention_biases true": "the projections of attention have biases",
    "attention_biases false": "the projections of attention have no biases",
    "biases true": "the feed-forward networks have biases",
    "biases false": "the feed-forward networks have no biases",
    "norm_weights both": "each norm has gamma and beta",
    "norm_weights gamma": "each norm has only gamma",
    "tied all": "both embeddings and the output layer share one table",
    "tied output": "the output layer shares the target's table",
    "tied none": "each embedding and the output layer have their own tables",
    "final_norm true": "a norm follows the last layer",
    "final_norm false": "no norm follows the last layer",
    "stacking dilated": "the longest path passes log_k(n) layers, rounded up",
    "stacking contiguous": "the longest path is counted as n/k layers, rounded up",
    "reduction mean": "over the tokens that are counted",
    "reduction sum": "over the tokens that are counted",
    "ignore": "a target with this ID is not counted",
    "ignore none": "every target is counted",
    "scores log": "logarithms are added",
    "scores product": "probabilities are multiplied",
    "ties first": "if scores are equal, the earlier prefix comes first, then the word with the lower index",
    "ended stays": "a finished sentence keeps its place in the beam and its score",
    "length words": "including the end token",
    "length gnmt": "(5 + words) / 6, where the words include the end token",
    "norm after": "LayerNorm follows each sublayer",
    "norm before": "LayerNorm precedes each sublayer",
}


def decimals(digits: int, mode: str) -> str:
    return f"{digits}, {MODES[mode].words}"


def on_paper(digits: int, mode: str) -> str:
    """Return the note that each step is rounded before later steps use it."""
    places = "1 decimal" if digits == 1 else f"{digits} decimals" if digits else "a whole number"
    how = f"each result is {MODES[mode].done} to {places} and carried forward"
    return f"On paper: {how}, so the last digits may differ from the exact solution."


def points(value: Fraction | None) -> str:
    """Return `1 point` or `2.5 points`; empty for None."""
    if value is None:
        return ""
    return "1 point" if value == 1 else f"{number_of_points(value)} points"


def number_of_points(value: Fraction) -> str:
    """Return 2, 2.5 or 2.3333. Return a fraction such as 10/3 if more decimals would be necessary."""
    places = next((k for k in range(POINT_PLACES + 1) if 10**k % value.denominator == 0), None)
    return str(value) if places is None else f"{float(value):.{places}f}"


def folded_summary(doc: str, count: int) -> str:
    return f"{doc} ({count} steps)".strip()


def unfold_advice(hidden: int, count: int, name: str, level: int) -> str:
    """Return the number of folded steps, and how to see them."""
    folded = f"All {count} steps" if hidden == count else f"{hidden} of {count} steps"
    return f"{folded} are folded: --depth {level + 1} unfolds one level, and --step {name} shows only that lesson."


def given_numbers(pairs: Sequence[tuple[str, str]]) -> str:
    return "given " + ", ".join(f"{name} = {text}" for name, text in pairs)


def value_of(name: str, text: str, exact: bool) -> str:
    """Return `Z = 0.5`, or `Z ≈ 0.3333` if the number is rounded."""
    return f"{name} {'=' if exact else '≈'} {text}"


def name_list(names: Sequence[str], count: int) -> str:
    """Return a phrase with names. `count` is the number of all names, for `both` and `all 3`."""
    if not names:
        return "nothing"
    if len(names) == count > 1:
        return "both" if count == 2 else f"all {count}"
    return listed(names)


def keys(numbers: str, count: int) -> str:
    return f"{'key' if count == 1 else 'keys'} {numbers}"


def kept_beginnings(beginnings: Sequence[str]) -> str:
    return f"kept: {', '.join(beginnings)}"


# -- numbers that differ from their printed form -----------------------------------------------------------------------


def nonzero_entries(text: str, entry: str, count: int, sizes: str) -> str:
    """Return a sentence about entries that are printed as 0 but are not 0, with their sizes."""
    return (
        f"{entry} is not 0 but {sizes}" if entry else f"{count} entries shown as {text} are not exactly 0 but {sizes}"
    )


def distance_from_print(text: str, entry: str, count: int, sizes: str, side: str) -> str:
    """Return a sentence about the distance of entries from their printed number. If all are on the same side, `side` is
    `below` or `above`.
    """
    if entry:
        return f"{entry} { ({'below': 'is smaller than', 'above': 'exceeds'}.get(side, 'misses')) } {text} by {sizes}"
    return f"{count} entries { ({'below': 'are smaller than', 'above': 'exceed'}.get(side, 'miss')) } {text} by {sizes}"


def round_prints(count: int, sizes: str) -> str:
    """Return a sentence about entries that are printed as round numbers but are not round, with the differences."""
    if count == 1:
        return f"1 entry prints as an exact decimal but differs from it by {sizes}"
    return f"{count} entries print as exact decimals but differ from them by {sizes}"


def spread(smallest: str, largest: str) -> str:
    """Return `between 1e-9 and 1e-7`; a single size if both are equal."""
    return smallest if smallest == largest else f"between {smallest} and {largest}"


def possible_equality(text: str, entry: str, count: int, size: str) -> str:
    """Return a sentence about entries for which it is undecided whether they equal their printed number."""
    singular, plural = f"{entry} is {text} or differs", f"{count} entries are {text} or differ"
    return f"{singular if entry else plural} from it by less than {size}: it could not be proven which"


# -- checks ------------------------------------------------------------------------------------------------------------


def printed_sums(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the first three sums of printed numbers that differ from 1."""
    shown = ", ".join(f"{line} {'to' if k else 'adds up to'} {total}" for k, (line, total) in enumerate(pairs[:3]))
    return f" (rounded: {shown}{' …' if len(pairs) > 3 else ''})"


def sums_to_0(lines: Sequence[str], word: str, others: bool) -> str:
    """Return which lines sum to 0. With `others`, all other lines sum to 1."""
    if not others:
        return f"every {word} sums to 0"
    many = "sum" if len(lines) > 1 else "sums"
    return f"{', '.join(lines)} {many} to 0, every other {word} to 1"


def about_steps(steps: Sequence[str], message: str) -> str:
    """Return the message with its steps: `masked.A, cross.A: the softmax is saturated`."""
    more = len(steps) - MOST_NAMED
    return ", ".join(steps[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "") + message
