"""One entry as people type it: a number, a fraction, sqrt(2)/2, ±∞, a blank. Nothing is guessed or run."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from ..errors import AttncalcError, FormulaError, shorten
from ..formula.parser import LARGEST_EXPONENT, LONGEST_FORMULA, parse
from ..formula.syntax_errors import LONGEST_NUMBER
from ..formula.syntax_tree import Tree
from .closed_form_numbers import NotConstant, decimal, fraction, settle
from .located_text import DASHES, Unsure, Written
from .remarks import without_remark
from .submission import Typed

DEEPEST = 60
EXAMPLES = "write a number such as 0.67, -2/3, 1.5e-3 or sqrt(2)/2, or _ for a blank"
_SHOWS = re.compile(r"[Ww]rite|did you mean|written|type it|such as|has at most|exponent after e")  # how it is written
_WORDS = {
    "infty": "inf", "pi": "pi", "cdot": "*", "times": "*", "div": "/", "left": "", "right": "", "quad": " ",
    "qquad": " ", "displaystyle": "", "textstyle": "", "hline": "", "hspace": "", "big": "",
    "Big": "", "bigl": "", "bigr": "", "approx": "≈", "ldots": "…", "dots": "…", "cdots": "…", "vdots": "…",
    "ddots": "…", "square": "_",
}  # fmt: skip
_UNWRAP = {"text", "mathrm", "mathbf", "textbf", "mathit", "mathsf", "boldsymbol", "bm", "boxed", "underline",
    "operatorname", "mbox"}  # fmt: skip
_FUNCTIONS = {"ln", "log", "exp", "sin", "cos", "tanh"}
_DROP = {"phantom", "hphantom", "vphantom", "color"}
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[0-9]|\s+|.", re.DOTALL)
_IMPLIED = re.compile(
    r"(?<=[0-9)])\s*(?=sqrt|exp|ln|log|pi|\()|(?<=[0-9)])(?=e(?![0-9+-]))|(?<=pi)(?=\()|(?<=\))\s*(?=[0-9e])"
)
_FUNCTION_END = re.compile(r"(?:sqrt|exp|ln|log|sin|cos|tanh)?\s*$")
_FACTOR_END = re.compile(r"(?:[0-9.]+|pi|e)$")


def is_latex(text: str) -> bool:
    """Return whether a text looks like LaTeX, or has signs that LaTeX has commands for."""
    return "\\" in text or "√" in text or "{" in text


def plain(text: str) -> str:
    r"""Return a formula of LaTeX as a plain one: `-\frac{\sqrt{2}}{2}` as `-((sqrt(2))/(2))`. What is not known stays
    as it is, and is refused later.
    """
    text = re.sub(r"√ ?([0-9]+(?:\.[0-9]+)?)", r"sqrt(\1)", text).replace("√", "sqrt")
    tokens = _TOKEN.findall(text)
    out = _sequence(tokens[::-1], "", 0)
    if any(_is_denominator(out[: gap.start()]) for gap in _IMPLIED.finditer(out)):
        raise NotConstant("write brackets: 1/(2*sqrt(2)), or (1/2)*sqrt(2)?")
    return _IMPLIED.sub("*", out).strip()


def _is_denominator(text: str) -> bool:
    """Return whether a factor at the end of the text stands behind a slash: in 1/2√2 it is open what is divided by
    what.
    """
    text = text.rstrip()
    if text.endswith(")"):
        depth, start = 0, len(text)
        while start and (depth or start == len(text)):
            start -= 1
            depth += (text[start] == ")") - (text[start] == "(")
        text = _FUNCTION_END.sub("", text[:start])
    else:
        text = _FACTOR_END.sub("", text)
    return text.rstrip().endswith("/")


def _sequence(tokens: list[str], end: str, depth: int) -> str:
    """Return the tokens up to the closing one; the list is a stack, its first token last."""
    out: list[str] = []
    while tokens:
        token = tokens.pop()
        if token == end:
            break
        out.append(_one(token, tokens, depth))
    return "".join(out)


def _one(token: str, tokens: list[str], depth: int) -> str:
    if depth > DEEPEST:
        return token
    if token == "{":
        return f"({_sequence(tokens, '}', depth + 1)})"
    if not token.startswith("\\"):
        return " " if token == "~" else token
    word = token[1:].rstrip("*")
    if word in ("frac", "tfrac", "dfrac", "cfrac"):
        return f"(({_argument(tokens, depth)})/({_argument(tokens, depth)}))"
    if word == "sqrt":
        index = _sequence(tokens, "]", depth + 1) if _next(tokens) == "[" and tokens.pop() else ""
        inside = _argument(tokens, depth)
        return f"(({inside})**(1/({index})))" if index else f"sqrt({inside})"
    if word in _FUNCTIONS:
        return word if _next(tokens) in ("(", "\\left", "^", "_", "") else f"{word}({_operand(tokens, depth)})"
    if word in _UNWRAP:
        return _argument(tokens, depth)
    if word in _DROP:
        _argument(tokens, depth)
        return ""
    if word in _WORDS:
        return _WORDS[word]
    return " " if word in (",", ";", ":", "!", " ", "") else word if word in ("%", "_", "{", "}") else token


def _next(tokens: list[str]) -> str:
    while tokens and tokens[-1].isspace():
        tokens.pop()
    return tokens[-1] if tokens else ""


def _operand(tokens: list[str], depth: int) -> str:
    """Return the argument of a function without brackets: a whole number or decimal, else what `_argument` takes."""
    digits = ""
    while tokens and (tokens[-1].isdigit() or tokens[-1] == "."):
        digits += tokens.pop()
    return digits or _argument(tokens, depth)


def _argument(tokens: list[str], depth: int) -> str:
    """Return a group in braces, or the one sign that follows."""
    if not _next(tokens):
        return ""
    token = tokens.pop()
    return _sequence(tokens, "}", depth + 1) if token == "{" else _one(token, tokens, depth + 1)


LONGEST_ENTRY = LONGEST_FORMULA
LONGEST_CONSTANT = 300
BLANKS = frozenset(
    {"", "_", "__", "___", "____", "?", "~", "…", "...", "null", "\\_", r"\ldots", r"\dots", r"\cdots", r"\square", "□"}
)

# a cell that was crossed out
CROSSED = frozenset({"-", "--", "---", "—", "x", "X", "×", "✗", "✘", "✕", "✖", "/", r"\times", "None"})

_DECIMAL = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")
_TIMES_TEN = re.compile(r"([+-]?[0-9.]+) ?[*x×·] ?10 ?(?:\^|\*\*) ?[{(]?([+-]?[0-9]+)[)}]?")
_WOLFRAM = re.compile(r"([+-]?[0-9]*\.?[0-9]*)(?:`[0-9.]*)?(?:\*\^([+-]?[0-9]+))?")  # 0.27`, 2.7*^-3
_FRACTION = re.compile(r"[+-]?[0-9]+ ?/ ?[0-9]+")
_WORD = re.compile(r"[+-]?nan|[^\W\d_]{2,30}(?:[ '’-][^\W\d_]{1,30}){0,5}", re.IGNORECASE)
_INFINITE = re.compile(r"([+-]?) ?(?:∞|oo|\.?inf|infinity)", re.IGNORECASE)
_BEGINNING = re.compile(
    r"[+-]?\(*(?:\.?[0-9]|(?:sqrt|exp|ln|log)\((?=[-+(.0-9√]|(?:sqrt|exp|ln|log|pi|e)\b)|√|(?:e|pi)(?![^*/^+)-])|\\(?:[dt]?frac|sqrt|infty|pi))"
)
_WRAPPED = re.compile(
    r"\$\$(.*)\$\$|\$(.*)\$|\\\((.*)\\\)|\*\*(.*)\*\*|`(.*)`|(?:np|numpy)\.float(?:16|32|64)\((.*)\)"
    r"|\"([^\"]*)\"|'([^']*)'|[“„]([^“”„]*)[”“]",
    re.DOTALL,
)
# As Python writes numbers: Fraction(18, 7), Decimal("2.57"), math.sqrt(2)
_RATIO = re.compile(r"\b(?:(?:fractions|sp|sympy)\.)?(?:Fraction|Rational)\( ?([+-]?[0-9]+) ?, ?([0-9]+) ?\)")
_OF_TEXT = re.compile(
    r"\b(?:(?:fractions|decimal|sp|sympy)\.)?(?:Fraction|Rational|Decimal|float)\( ?([\"'])([^\"']*)\1 ?\)"
)
_MODULE = re.compile(r"\b(?:math|np|numpy|torch|sp|sympy)\.(?=(?:sqrt|exp|log|pi|e|inf)\b)")
_ROUND = re.compile(r"\bround\( ?([+-]?[0-9]+(?:\.([0-9]*))?) ?, ?([0-9]{1,2}) ?\)")
_SIGNS = str.maketrans({
    "−": "-", "–": "-", "﹣": "-", "－": "-", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u00a0": " ", "\u2009": " ",
    "\u202f": " ", "π": "pi", "\N{FRACTION SLASH}": "/", "\N{DIVISION SLASH}": "/", "\N{BULLET OPERATOR}": "·",
})  # fmt: skip
_VULGAR = "".join(
    sign
    for sign in map(chr, [*range(0xBC, 0xBF), *range(0x2150, 0x215F)])
    if "⁄" in unicodedata.normalize("NFKC", sign)
)
_DASH_FIRST = re.compile(rf"^[{DASHES}](?=[0-9.(√\\∞{_VULGAR}])")
# Behind a number it is a mixed one
_FRACTION_SIGN = re.compile(rf"(?<![0-9.])(?<![0-9] )(?:[{_VULGAR}]|[⁰¹²³⁴-⁹]+[/⁄][₀-₉]+)")
_SMALL_FRACTION = re.compile(
    r"(?<![0-9.])(?<![0-9] )\^\{([0-9]+)\}/_\{([0-9]+)\}"
)  # of a page: <sup>7</sup>/<sub>4</sub>
_BLANK_BEHIND_SIGN = re.compile(r"^([+-])(?:\s|~|\\[,;:! ])+(?=[0-9.(∞√\\a-z])")  # -\,0.67
# {-}0.67, -{0.67}, 0{,}67
_GROUP = re.compile(r"(?:^|(?<=[+-]))\{([+-]|[+-]?[0-9.]+)\}(?=$|[0-9.])|(?<=[0-9])\{([,.])\}(?=[0-9])")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\{,\}[0-9]{3}")
_POINT = re.compile(r" ?(?:[,·⋅‧∙•˙]|\\cdot) ?")
_MIXED = re.compile(
    r"(?<![0-9.A-Za-z}^_])[0-9]+(?:\s|~|\\[,;:! ])*\\[dtc]?frac ?(?:\{ ?[0-9]+ ?\}|[0-9]) ?(?:\{ ?[0-9]+ ?\}|[0-9])"
)
_SEVERAL = re.compile(r"[0-9.]\s+[-+][0-9.]|\b(?:and|or|not)\b")  # (0.71 -1.41), 0.71 and 1.41
_LEADING = re.compile(r"^0+(?=[0-9])|(?<=^[+-])0+(?=[0-9])")
MOST_DECIMALS = 12  # fewer are those of numbers that people write
_BEHIND_POINT = re.compile(r"\.(?!0+(?![0-9]))([0-9]+)")
_LEADING_ZERO = re.compile(r"[+-]?0[1-9][0-9]*")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")

_MONTH = (
    "(?i:jan|feb|mar|mär|mrz|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec"
    "|fév|fev|avr|abr|mag|giu|lug|ago|set|ott|out|dic|déc|ene)"
)
_DATE = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: .*)?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}"
    rf"|[0-9]{{1,4}}[. -]{{1,2}}{_MONTH}[a-zé]*\.?(?:[ -][0-9]{{2,4}})?|{_MONTH}[a-zé]*\.?[ -][0-9]{{1,4}}"
)
# What an entry that cannot be read looks like, and what to say. The first that fits speaks.
_UNCLEAR = tuple(
    (re.compile(pattern), advice)
    for pattern, advice in (
        (
            ".*\N{REPLACEMENT CHARACTER}.*",
            "is it a mixed number, a footnote, a drawing or an invisible hyphen? "
            "Write plain text, such as 1 + 3/4 or -0.5",
        ),
        (_THOUSANDS.pattern, "is the comma a decimal comma or a thousands separator? Write the number without a comma"),
        (
            r"[+-]?[0-9]+ ?(?:·|⋅|‧|∙|•|˙|\\cdot) ?[0-9]+",
            "is it a raised point or a product? Write {point}, or * between factors",
        ),
        (
            _MIXED.pattern + ".*|.*[^0-9.A-Za-z}^_]" + _MIXED.pattern + ".*",
            "is it a mixed number or a product? Write 1 + 1/2, or * between factors",
        ),
        (_LEADING_ZERO.pattern, "did you mean {missing}, or the number without the zero in front?"),
        (r"[0-9]*\.[0-9]+ ?- ?[0-9]*\.[0-9]+", "is it a range or a difference? Write one number"),
        (r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", "did you mean {point} or {plain}?"),
        (r"[+-]?[0-9]+,[0-9]+", "did you mean {point}?"),
        (r"[\"“„].*", 'close the quote, such as "0.5", or write the number without quotes'),
        (r"[\[(].*,.*[\])]", "this is a list, not one number; write S = [1, 2] for a row"),
        (r"[+-]?[0-9.]+ ?% \S.*", "is it a percentage or a comment? Write 35%, or only the number"),
        (r".*[0-9]\[\^?[0-9]{1,2}\]", "is it a footnote? Write only the number"),
        (r".*[0-9)][⁰¹²³⁴-⁹⁻]+", "is it a power or a footnote? Write a power as 2**3"),
        (r"=.*", "a spreadsheet treats this text as a formula; write the number"),
        (
            r"#(?:[A-Z]+[/0-9A-Z]*[!?]?|[0-9/A-Z]+[!?]?)",
            "this is an error value of the spreadsheet; type the number again into a cell of the format Text",
        ),
        (_DATE, "a spreadsheet has turned this number into a date; type it again into a cell of the format Text"),
        (r"([+-]?[0-9]+,[0-9]+\s+)+[+-]?[0-9]+,[0-9]+", "did you mean {point}?"),
        (r"(?i)[+-]?\.?nan", "inf and -inf are numbers here, but nan is not; write a blank as _"),
        (r".*[0-9].*\?+|\?+.*[0-9].*", "is the number certain? Write only the number, or _ for a blank"),
        (r"[+-]?[0-9]*\.[0-9]*(\.[0-9]*)+", "it has more than one decimal point"),
        (r"[+-]?[0-9.]*[Oo][0-9.Oo]*", "did you mean the digit 0 instead of the letter O?"),
        (r"[+-]?(?=.*[0-9]|[lI]$)[0-9.]*[lI][0-9.lI]*", "did you mean the digit 1 instead of a letter?"),
        (r"[+-]?[0-9]+ +[0-9]+/[0-9]+|[+-]?[0-9]+ ?[" + _VULGAR + "]", "write a mixed number as a sum: 2 + 1/2"),
        (r"[+-] ?[+-].*", "it has two signs"),
        (r"[<>≤≥].*", "a bound is not an answer"),
        (r".*[0-9] ?(±|\+/-|\+-).*", "write it without the error margin"),
        (
            r"[+-]?[0-9]+[_'’][0-9_'’]+(\.[0-9]+)?|[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?",
            "write thousands without a separator",
        ),
        (r"[+-]?[0-9.]+(…|\.\.\.)", "an answer must have finitely many digits; write the rounded number"),
        (
            r"\(? ?([+-]?[0-9./]+([eE][+-]?[0-9]+)?)([ \t]+[+-]?[0-9./]+([eE][+-]?[0-9]+)?)+ ?\)?",
            "is a comma missing between several numbers?",
        ),
        (r"[+-]?[0-9.]+ ?[*x×·] ?10 ?-[0-9]+", "write a power of ten as 2.5e-3 or 2.5*10^-3"),
        (r".*\bround\(.*", "write the rounded number, such as 2.57"),
        (r".*[0-9]j", "complex numbers are not accepted as answers"),
        (r".*[0-9] ?(or|oder|ou) ?[0-9].*", "write one number"),
    )
)


def entry(written: Written) -> Typed | None:
    """Return the number of a cell, None for a blank. Raises AttncalcError with the place if it is unclear."""
    if isinstance(written, Unsure):
        raise written.fault(f"expected a number that can be read in only one way, found {written.doubt}")
    written = without_remark(written).trimmed()
    text = written.text
    if text in BLANKS or text in CROSSED:
        return None
    if len(text) > LONGEST_ENTRY:
        raise written.fault(f"expected a number of at most {LONGEST_NUMBER} digits, found {len(text):,} characters")
    try:
        if match := _DECIMAL.fullmatch(text):  # what most entries are
            return _decimal(text, match, 0, written)
        bare = _unwrapped(text)
        if bare in BLANKS or bare in CROSSED:
            return None
        if _SEVERAL.search(bare):
            raise NotConstant("is it one number, or is a comma missing between several numbers?")
        return _number(text, bare, written) or _constant(text, bare, written)
    except NotConstant as reason:
        raise written.fault(_unclear(text, _unwrapped(text), str(reason))) from None


def entry_or_word(written: Written) -> Typed | None:
    """Return the number of a cell. A word or NaN, certainly meant as no number, is returned as a wrong answer."""
    try:
        return entry(written)
    except AttncalcError:
        text = written.trimmed().text
        if not _WORD.fullmatch(_unwrapped(text)):
            raise
        return Typed(text, place=written.place, word=True)


def looks_like_entry(word: str) -> bool:
    """Return whether a word of free text is meant as an entry of a matrix: a number, ±∞ or a blank."""
    bare = _unwrapped(word)
    return bare in BLANKS - {"...", "…", "null", ""} or bool(_BEGINNING.match(bare) or _INFINITE.fullmatch(bare))


_SPOILED = re.compile(r"[-+−–~≈<>(]*(?:\d.*|[lIOoSB]?[.,][lIOoSB\d].*|[lIOoSB]{1,2}|(?i:nan|n/a|\\infty)\)?)")


def is_spoiled(word: str) -> bool:
    """Return whether a word may be a number that was typed or scanned badly: `l.OO`, `~1.00`, `nan`."""
    return bool(_SPOILED.fullmatch(word))


def is_crossed(word: str) -> bool:
    return word in CROSSED or word.translate(_SIGNS) in CROSSED


def _unwrapped(text: str) -> str:
    """Return a text without the marks of Markdown and mathematics around it, and with one kind of minus."""
    for _ in range(4):
        text = _DASH_FIRST.sub("-", text.strip().translate(_SIGNS))
        match = _WRAPPED.fullmatch(text)
        if match:
            text = next(part for part in match.groups() if part is not None)
        elif text.startswith(("≈", r"\approx")):
            text = text.removeprefix("≈").removeprefix(r"\approx")
        else:
            break
    if not text.isascii():
        text = _FRACTION_SIGN.sub(lambda sign: f"({unicodedata.normalize('NFKC', sign[0])})", text).replace("⁄", "/")
    if "(" in text or "." in text:
        text = _RATIO.sub(r"(\1/\2)", _MODULE.sub("", _OF_TEXT.sub(r"\2", text)))
        text = _ROUND.sub(lambda call: call[1] if len(call[2] or "") <= int(call[3]) else call[0], text)
    if "^{" in text:
        text = _SMALL_FRACTION.sub(r"(\1/\2)", text)
    if "{" in text and not _THOUSANDS.fullmatch(text):
        text = _GROUP.sub(lambda group: group[1] or ".", text)
    return _BLANK_BEHIND_SIGN.sub(r"\1", text) if text[:1] in ("+", "-") else text


def _number(text: str, bare: str, written: Written) -> Typed | None:
    """Return a number written in digits alone: decimals, scientific notation, percent, fractions, ±∞."""
    if match := _INFINITE.fullmatch(bare):
        return Typed(text, infinite=-1 if match[1] == "-" else 1, place=written.place)
    percent = bare.endswith(("%", r"\%"))
    digits = bare.rstrip("%\\ ") if percent else bare
    raised = re.sub("10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)", lambda m: "10^" + m[1].translate(_RAISED), digits)
    if match := _TIMES_TEN.fullmatch(raised):
        digits = f"{match[1]}e{match[2]}"
    if match := _WOLFRAM.fullmatch(digits):
        digits = match[1] + (f"e{match[2]}" if match[2] else "")
    if match := _DECIMAL.fullmatch(digits):
        return _decimal(text, match, -2 if percent else 0, written)
    if _FRACTION.fullmatch(bare):
        above, below = bare.split("/")
        _limit(above, below, "0")
        return Typed(text, fraction(above, below), place=written.place)
    return None


def _decimal(text: str, match: re.Match[str], shift: int, written: Written) -> Typed:
    """Return the number of digits, a point and an exponent; `shift` is the powers of ten to add for percent."""
    sign, before, behind, exponent = match[1], match[2], match[3] or "", match[4] or "0"
    _limit(before, behind, exponent)
    if match[3] is None and _LEADING_ZERO.fullmatch(before):
        raise NotConstant
    digits, decimals = before + behind, len(behind) - int(exponent) - shift
    value, significant = decimal(sign + digits, decimals), len(digits.lstrip("0")) or None
    return Typed(text, value, decimals=decimals, significant=significant, place=written.place)


def _limit(before: str, behind: str, exponent: str) -> None:
    if max(len(before), len(behind)) > LONGEST_NUMBER:
        raise NotConstant(f"a number has at most {LONGEST_NUMBER} digits")
    if len(exponent) > 6 or abs(int(exponent)) > LARGEST_EXPONENT:
        raise NotConstant(f"the exponent after e must be from -{LARGEST_EXPONENT} to {LARGEST_EXPONENT}")


def _constant(text: str, bare: str, written: Written) -> Typed:
    """Return a number that must be worked out: a sum of fractions is a rational number, sqrt(2)/2 stays a tree."""
    if len(bare) > LONGEST_CONSTANT:
        raise NotConstant(f"a constant has at most {LONGEST_CONSTANT} characters")
    formula = plain(bare) if is_latex(bare) else bare
    if any(pattern.fullmatch(spelling) for pattern, _ in _UNCLEAR for spelling in (bare, formula)):
        raise NotConstant
    if re.fullmatch(r"\([^()]*\)", formula):  # a number in brackets is still as it was typed
        inner = _number(text, formula[1:-1].strip(), written)
        if inner:
            return inner
    if formula != bare and (number := _number(text, formula.strip(), written)):
        return number
    tree = _tree(formula.replace("^", "**"))
    if isinstance(tree, str):
        raise NotConstant(tree if "decimal comma" in tree else "")
    value = settle(tree)
    typed = Typed(text, value, None if value is not None else tree, place=written.place)
    if not (behind := _BEHIND_POINT.findall(formula)):
        return typed
    typed = replace(typed, is_expression=True)
    for decimals in range(max(map(len, behind)), MOST_DECIMALS) if value is not None else ():
        if (scaled := value * 10**decimals).q == 1:  # 0.4 + 0.1714 is 0.5714
            return replace(typed, decimals=decimals, significant=len(str(abs(int(scaled)))) if scaled else None)
    return typed


@lru_cache(maxsize=256)  # several readings of a line ask for the same text
def _tree(formula: str) -> Tree | str:
    """Return the tree of a formula, or what is wrong with it."""
    try:
        return parse(formula)
    except FormulaError as error:
        return error.message


def _unclear(text: str, bare: str, reason: str) -> str:
    """Return the message about an entry that cannot be read."""
    required = f"expected a number, found {shorten(text)!r}"
    for pattern, advice in _UNCLEAR if len(bare) <= LONGEST_CONSTANT else ():
        if pattern.fullmatch(bare):
            point, missing = _POINT.sub(".", bare.replace(",", "."), count=1), _LEADING.sub("0.", bare)
            advised = advice.format(point=point, plain=bare.replace(",", ""), missing=missing)
            return f"{required}; {advised}" + (f"; {EXAMPLES}" if not _SHOWS.search(advised) else "")
    if (ascii_form := _in_ascii(bare)) != bare:
        return f"{required}; did you mean {ascii_form}?"
    return (
        f"{required}; {reason}; {EXAMPLES}"
        if reason and not _SHOWS.search(reason)
        else f"{required}; {reason or EXAMPLES}"
    )


def _in_ascii(text: str) -> str:
    """Return the digits and points of other scripts as 0 to 9 and a full stop."""
    points = str.maketrans("．。٫", "...")
    return "".join(str(unicodedata.decimal(sign, sign)) for sign in text.translate(points))
