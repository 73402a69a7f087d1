"""The step that an answer is for: `S`, `masked.S`, `Z["apple"]`, `S[0, 1]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import FormulaError, shorten
from ..formula.parser import parse
from ..formula.syntax_tree import Index, Name
from .located_text import Written
from .nearby_words import STEPS, any_of
from .remarks import LONGEST_PHRASE, REMARK

_TURNED = r"(?:ᵀ|\^\{?(?:T|\\top|\\intercal)\}?|\.T|')"
_SCORES = rf"Q ?(?:[·@*]|\\cdot)? ?K ?{_TURNED}"
_ROOT = r"(?:√ ?\(?|sqrt\(|\\sqrt\{?) ?(?:d(?:_?\{?k\}?|ₖ)?|[0-9]{1,4})[)}]?"
_SCALED = rf"(?:\(?{_SCORES}\)? ?/ ?{_ROOT}|\\[dt]?frac\{{{_SCORES}\}}\{{{_ROOT}\}})"
_CALLED = r"(?:softmax|\\(?:text|mathrm|operatorname)\{softmax\})"
_WEIGHTS = rf"{_CALLED} ?(?:\\left)? ?\( ?(?:{_SCALED}|{_SCORES}) ?(?:\\right)? ?\)"
_TIMES = r"(?:[·@*]|\\cdot)?"
PHRASES = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"(?i)head #?([0-9]+)", r"head_\1"),
        (r"(?i)(?:raw |attention |dot[- ]product |raw attention )scores?", "S"),
        (r"(?i)scaled (?:attention )?scores?", "S_scaled"),
        (r"(?i)masked (?:attention )?scores?", "S_masked"),
        (r"(?i)attention (?:weights?|matrix)", "A"),
        (r"(?i)(?:attention |final )outputs?|context (?:vectors?|matrix)", "Z"),
        (_SCORES, "S"),
        (_SCALED, "S_scaled"),
        (_WEIGHTS, "A"),
        (rf"(?:A|{_WEIGHTS}) ?{_TIMES} ?V", "Z"),
    )
)
# What stands for a step of the lessons where the problem has no step of this name.
WORDS = {
    "scores": "S", "score": "S", "logits": "S", "scaled_scores": "S_scaled", "masked_scores": "S_masked",
    "attention_scores": "S", "weights": "A", "attention": "A", "attention_weights": "A", "attn": "A",
    "attn_weights": "A", "output": "Z", "outputs": "Z", "context": "Z", "out": "Z", "queries": "Q", "keys": "K",
    "values": "V",
}  # fmt: skip
_LETTERS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi chi psi omega"
GREEK = dict(zip(_LETTERS.split(), "αβγδεζηθικλμνξρστφχψω", strict=True))
GREEK |= {name.capitalize(): letter.upper() for name, letter in GREEK.items()}
_SPELLED = {ord(letter): name for name, letter in GREEK.items()}
_LETTER = r"[A-Z](?:_\w+|[0-9]{1,2})?"
_LETTERED = re.compile(
    rf"([A-Za-z- ]+?),? +(?:matrix +)?(?:({_LETTER})|\(({_LETTER})\))|({_LETTER}) +\(([A-Za-z- ]+)\)"
)
_OF_STEP = r"[A-Za-z](?:\w*[_.]\w[\w.]*|[0-9]{1,2})?"  # a name that is no word
_SHAPE = r"[0-9]{1,4} ?[x×] ?[0-9]{1,4}"
_REMARKED = re.compile(
    rf"({_LETTER}|{_OF_STEP})(?i:\s*\(\s*(?:{REMARK}|{_SHAPE})\s*\)|\s+\[\s*{REMARK}\s*\]|\s*,\s*{REMARK}|\s+[✓✔✅])"
)
_MARKS = re.compile(r"\*\*|[$`]")  # The matrix **S**, of which a reader may have taken one pair
_SUBSCRIPT = re.compile(r"(?<=\b[A-Z])\\?_\{?(\w+)\}?")
_NUMBERED = re.compile(r"([A-Za-z]+(?:_[a-z]+)?)([0-9]+)")
_NUMBER_INSIDE = re.compile(r"([A-Za-z]+)_([0-9]+)_([a-z]+)")
_HEAD = re.compile(r"head_?([0-9]+)", re.IGNORECASE)


_FRAME = re.compile(
    r"(?i)(?:(?:so|thus|hence|then|therefore|finally|now),? +)?(?P<article>(?:the|our|my) +)?(?P<called>.*?)"
    r"(?P<verb> +(?:is|are|equals))?(?: +(?:given by|then|now))?"
)
_KIND = r"(?i:matrix|vector|scalar|number)"
_WORDS_OF_STEPS = any_of(STEPS | {"answer", "result", "solution", "output", "ergebnis", "lösung", "résultat"})
_COUNTED = r"(?![a-hA-D]\b)"  # `Step b` may be the second step
_CALLED_MATRIX = re.compile(
    rf"(?i:(?:the|our|my) +)({_LETTER})(?: +{_KIND})?|(?i:(?:the|our|my) +)?{_KIND} +({_OF_STEP})"
    rf"|(?i:(?:the |my )?(?:final )?(?:answer|result|solution|values?) (?:for|of|to) (?:the |matrix )*)({_OF_STEP})"
    rf"|{_WORDS_OF_STEPS} +{_COUNTED}({_OF_STEP})"
)
_ONLY_STEP = re.compile(_OF_STEP)


def named_so(text: str) -> str | None:
    """Return the step that a phrase or a formula means, as in `attention weights`, `QKᵀ` and `Head 1`.

    Beside a letter it is the letter, as in `attention weights A`, `The A matrix is`, `Z (output)` and `A (rounded)`. It
    is None for other texts.
    """
    text = text.strip()
    if len(text) > LONGEST_PHRASE:
        return None
    text = _SUBSCRIPT.sub(r"_\1", _MARKS.sub("", text))
    if (framed := _FRAME.fullmatch(text)) is not None:
        if matrix := _CALLED_MATRIX.fullmatch(
            text, framed.start("article") if framed["article"] else framed.start("called"), framed.end("called")
        ):
            return matrix[matrix.lastindex or 0]
        text = framed["called"]
        if framed["verb"] and _ONLY_STEP.fullmatch(text):
            return text
    if remarked := _REMARKED.fullmatch(text.strip()):
        return remarked[1]
    if (both := _LETTERED.fullmatch(text.strip())) and _is_spoken(both[1] or both[5]):
        return both[2] or both[3] or both[4]
    for pattern, name in PHRASES:
        if match := pattern.fullmatch(text.strip()):
            return match.expand(name)
    return None


def also_named(text: str) -> str | None:
    """Return the step that the words mean beside a letter: S_scaled in `scaled scores S`."""
    if len(text) > LONGEST_PHRASE:
        return None
    framed = _FRAME.fullmatch(text.strip())
    both = _LETTERED.fullmatch(framed["called"] if framed else text.strip())
    words = both and (both[1] or both[5])
    return (named_so(words) or WORDS.get("_".join(words.casefold().split()))) if words else None


def _is_spoken(words: str) -> bool:
    return "_".join(words.casefold().split()) in WORDS or any(pattern.fullmatch(words) for pattern, _ in PHRASES)


def of_head(name: str, heading: str) -> str | None:
    """Return the name of a head's matrix: Q below the heading `Head 1` is Q_1."""
    head = _HEAD.fullmatch(heading)
    return f"{name}_{head[1]}" if head else None


def other_names(name: str) -> Iterator[str]:
    """Yield a step's names in the lessons: `scores` is S, Q1 is Q_1, `S_1_scaled` is S_scaled_1, `head_1` is Z_1."""
    if head := _HEAD.fullmatch(name):
        yield f"Z_{head[1]}"
    if numbered := _NUMBERED.fullmatch(name):
        yield f"{numbered[1]}_{numbered[2]}"
    if turned := _NUMBER_INSIDE.fullmatch(name):
        yield f"{turned[1]}_{turned[3]}_{turned[2]}"
    if name.casefold() in WORDS:
        yield WORDS[name.casefold()]


def spelled(name: str) -> str:
    """Return a name with words for its Greek letters: alpha_1 for α_1."""
    return name.translate(_SPELLED)


def step_name(written: Written) -> tuple[str, Index | None]:
    """Return the name at this place, and the slice if it is one. Raises AttncalcError with the place."""
    written = written.trimmed()
    if phrase := named_so(written.text):
        return phrase, None
    try:
        tree = parse(re.sub(r"\blambda\b", "λ", written.text))  # a keyword
    except FormulaError as error:
        raise written.fault(_required(written.text), error.at) from None
    match tree:
        case Name(name):
            return name, None
        case Index(Name(name)):
            return name, tree
    raise written.fault(_required(written.text))


def _required(text: str) -> str:
    return f'expected a step or a slice of one, such as Z or "Z[0]"; found {shorten(text)!r}'
