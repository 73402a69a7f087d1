"""Chains of equalities in a line of text, such as `Hence Z = A V = [[1, 2], [3, 4]]`, and the matrices in them.

A line is cut at its signs of equality, and at what separates two statements (`, K =`, `\\quad K =`, `and K =`). Each
statement has a head, which names a step, and members. A member that is one matrix is a value; a matrix with a factor,
or inside a function, is working.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...errors import shorten
from ..answer_examples import NOT_CLOSED, no_end
from ..located_text import line_bounds
from ..remarks import remark_in
from . import bracketed_lists, matrix_layouts
from .matrix_headings import WRAPPED_NAME, plain_name

_NUMBER = r"[-+−–]?\s?(?:[0-9]|\.[0-9])"
LIST = re.compile(r"\[(?>\s*+\[){0,30}+\s*+[\"'“„]?(?:[-+−–]? ?[0-9.∞_?]|sqrt|exp|pi|inf|-inf|-?oo\b|np\.|e\b|nan)")
_TUPLES = re.compile(
    rf"[\[(]\s*\(\s*{_NUMBER}|\{{\s*\{{\s*{_NUMBER}"
    rf"|\(\s*{_NUMBER}[-+−–0-9.eE/]*+(?:[\s,]+{_NUMBER}[-+−–0-9.eE/]*+)*+\s*;"  # (1 2; 3 4)
)
_TUPLE = re.compile(rf"\(\s*{_NUMBER}[^()\n]*,[^()\n]*\)")
_LITERAL = re.compile(
    rf"{LIST.pattern}|{_TUPLES.pattern}|{bracketed_lists.CALL.pattern}|{matrix_layouts.BEGIN.pattern}"
)
_SIGN = re.compile(
    r":=|&?\s?(?:(?<![<>!≠])={1,2}(?![=>])|≈|≃|≅|~=|\\(?:approx|simeq|cong|equiv)(?![a-zA-Z]))(?:\s?&)?"
    rf"|:(?=[*`$ \t]*+(?:{_LITERAL.pattern}))"
    rf"|(?:is|are|equals|ist|sind)(?: (?:then|now|thus|therefore|given by|equal to))?\s*+:?"
    rf"(?=[*`$ \t]*+(?:{_LITERAL.pattern}))"
)
_DECORATION = re.compile(
    r"(?:\s|[*`$&]|\\[\[\]()]|\\\\(?:\[[^\]\n]{0,9}\])?|\\(?:left|right|[bB]igg?[lr]?)\s*(?:[\[\](){}|.]|\\[{}|])"
    r"|\\(?:displaystyle|textstyle|,|;|!|:|q?quad|boxed\s*\{|tag\*?\{[^{}]*\}|label\{[^{}]*\})"
    r"|\\(?:begin|end)\{(?:align|equation|displaymath|gather|aligned|gathered|split|eqnarray|document)\*?\})*"
)
SEPARATOR = re.compile(
    r",(?![0-9])|;|\\q?quad(?![a-zA-Z])|\\\\|\$+[\s~]*\$+|&(?!=)|[.!?](?=\s)|[.!?]$|:(?=\s)|⇒|→|\\(?:Right|right)arrow|=>"
    r"|(?<![\w\\])(?:and|where|with|so|then|thus|hence|while|und|mit|wobei|also|et|y|\\text\{[^{}]*\})(?![\w])"
)
# A word right before a name at the end of a member
_SPOKEN = re.compile(
    r"(?<![\w\\])([A-Za-z]?[a-z]{2,}),?\s+[*`$]{0,3}[A-Za-zΑ-Ωα-ω](?:\w|\\?_\{[^{}]*\})*[*`$]{0,3}\s*$"
)
_JOINING = re.compile(
    r"we|get|gets|got|gives?|yields?|obtain|obtains|find|have|has|is|are|becomes|follows?|this|that|the|matrix|matrices"
    r"|compute|computes|computed|which|to|in|of|as|for|from|our|us|it|by|using|therefore|finally|now|next|output|scores?"
    r"|weights|wir|die|der|das|ist|matrice|on|obtient"
)
_FUNCTION = re.compile(
    r"softmax|exp|sqrt|ln|log|relu|gelu|silu|tanh|sigmoid|max|min|sum|mean|norm|diag|concat|causal|mask"
)
_BEHIND = re.compile(
    r"[,;!](?!\s*[-+−]?[0-9.])|\.(?!\s*[-+−]?[0-9.]|[^\W\d])|[#%)}]|\\q?quad|\\text|\\(?:checkmark|qed)"
)
_CHANGED = re.compile(
    r",\s*(?:then\s+|but\s+)?(?i:transpos|invert|scaled|divided|multiplied|times|squared|without|before|masked)"
)
_ROW_END = re.compile(r"\\\\\[-?[0-9.]+ ?(?:pt|em|ex|mm|cm|in|bp)\]")  # of LaTeX, with the space below it
# A number that ends here, and a name right before a sign
_WHOLE_NUMBER = re.compile(r"[-+−–]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?(?![\w.])")
_LAST_NAME = re.compile(rf"(?<![\w.\\]){WRAPPED_NAME}\s*\Z")
# Behind a value: what begins another statement on this line, and an operator that makes it a formula. A dash or a slash
# before a name could be either.
_NEXT_ITEM = re.compile(r"(?:\s|[|•‣◦▪●]|//|<br ?/?>|\(?[0-9a-z]{1,2}[.)](?=\s)|[*`$])+", re.IGNORECASE)
_SIGN_OR_BULLET = re.compile(
    r"\s*(?:[*·⋅∙∘⊙×@+^]|\\(?:cdot|times|circ|odot|bullet|ast)(?![a-z]))(?:\s|[*`$]|\(?[0-9a-z]{1,2}[.)])*\Z"
)
_LETTERS = re.compile(r"(?!\\|sqrt|exp)(?<!\\)\b[A-Za-zΑ-Ωα-ω]")
_OPERATION = re.compile(
    r"[@*·×⋅+^'∘⊙°ᵀ²³÷]|\.T\b|\\(?:cdot|times|odot|circ|div|frac|[dt]frac|sqrt|top|left|right|approx|mathrm|ln|exp|big\w*|Big\w*)|[-−–/]"
)
_NUMBER_AND_ITEM = re.compile(rf"{_WHOLE_NUMBER.pattern}\s+[0-9]{{1,2}}")  # 0.29 2. S =
_ITEM_BEHIND = re.compile(r"\s+\(?[0-9]{1,2}[.)](?=[^\W\d_])")  # 0.29 2.S =
_ONE_STATEMENT = "expected one statement on a line, found {!r}; write each name on its own line"
_UNCLEAR_OPERATION = re.compile(r"\s*[-−–—/~]{1,2}\s*")
_NO_KEYWORD = r"(?!(?:dtype|device|requires_grad|grad_fn|size|shape) ?=)"
# A line break before a line that names a step, or is a heading
_NEXT_STATEMENT = re.compile(
    r"\r?\n(?: {0,3}(?:#{1,6} |```|~~~)|[ \t]*(?:[-*+]\s+|\(?[0-9a-z]{1,2}[.)]\s+|\\item\s*)?(?:\\[\[(]|[*`$ \t]){0,4}"
    rf"{_NO_KEYWORD}[A-Za-z_Α-Ωα-ω][^\n=:\[\](){{}}&|]{{0,40}}(?:\[[^\]\n]{{0,60}}\])?[*`$]{{0,4}}[ \t]*"
    r"(?:&?=|:|≈|\\approx))"
)
_STATEMENT_INSIDE = re.compile(rf"[,;][ \t]+(?=[*`$]{{0,3}}{_NO_KEYWORD}[A-Za-z_Α-Ωα-ω]\w*[*`$]{{0,3}} ?[=:])")
_BLANK_LINE = re.compile(r"\r?\n[ \t]*(?=\r?\n)")
_NESTED = re.compile(r"[\[({]\s*[\[({]")
_BELOW = re.compile(r"[ \t]*,?[ \t]*\r?\n[ \t]*")
_BESIDE = re.compile(r"[ \t]*,?[ \t]*(?:\r?\n)?[ \t]*")
_BRACKETS = re.compile(r"[()\[\]{}]")
_BEFORE_INDEX = re.compile(r"(?:[\w.]|\w['′’])\Z")  # the end of a name in front of its index
_OPENS = frozenset("[({\\ntjsmMAaTID")
_BEGINS_SIGN = frozenset(":=&≈≃≅~\\")
_BEGINS_VERB = frozenset("iaes")
DEEPEST = 20  # brackets inside each other that are looked into
FAR = 500  # characters within which a bracket is closed on its line

Span = tuple[int, int]


class NotClosed(Exception):
    """A matrix whose closing bracket, or \\end, is missing: where it begins, and where the reader goes on."""

    def __init__(self, start: int, stop: int, message: str):
        super().__init__(message)
        self.start, self.stop, self.message = start, stop, message


@dataclass(slots=True)
class Chain:
    """One statement. `head` is what is written before its first sign; `members` is what follows each sign, and
    `matrices` the matrices in each of them. `colon` says that the first sign is a colon.
    """

    head: Span
    colon: bool = False
    members: list[Span] = field(default_factory=list)
    matrices: list[list[Span]] = field(default_factory=list)
    doubt: str = ""  # why two readings are possible
    factors: tuple[str, ...] = ()  # names that are factors of values of the chain, or have the next value
    has_no_sign: bool = False


class Text:
    """A text with the places at which a matrix ends at the latest: the next lines that name a step, or are headings."""

    def __init__(self, text: str):
        self.text = text
        self.cuts = _cuts_in_lines(text)
        self.bounds = sorted([*(match.start() for match in _NEXT_STATEMENT.finditer(text)), *self.cuts])

    def bound(self, k: int) -> int:
        """Return where a matrix that begins there ends at the latest."""
        following = bisect_left(self.bounds, k)
        return self.bounds[following] if following < len(self.bounds) else len(self.text)

    def literal_end(self, k: int, line_stop: int) -> int:
        """Return where the matrix that begins there ends. Raises NotClosed."""
        text, bound = self.text, self.bound(line_stop)
        if begin := matrix_layouts.BEGIN.match(text, k):
            end = text.find(f"\\end{{{begin[1]}}}", begin.end())
            other = text.find("\\begin{", begin.end(), end)
            if end < 0 or other >= 0:
                raise NotClosed(k, self.lines_end(k, bound), no_end(begin[1]))
            return end + len(f"\\end{{{begin[1]}}}")
        is_call = bracketed_lists.CALL.match(text, k)
        is_round = text[k] in "{(" and not is_call
        closing = _inside(text, k, bound) if is_round else bracketed_lists.bracket_end(text, k, bound)
        if closing is None:
            place = text.find("[", k, bound) if is_call else k
            raise NotClosed(max(k, place), self.lines_end(k, bound), NOT_CLOSED)
        return closing if is_call else _run(text, k, closing, bound)

    def lines_end(self, k: int, bound: int) -> int:
        """Return the end of the lines of a matrix that is not closed: a blank line, or the bound."""
        blank = _BLANK_LINE.search(self.text, k, bound)
        return blank.start() if blank else bound


def _cuts_in_lines(text: str) -> list[int]:
    """Return where a statement begins inside a line in which some bracket has no partner: there the line is cut."""
    cuts = []
    for start, stop in zip(*line_bounds(text), strict=True):
        if any(text.count(a, start, stop) != text.count(b, start, stop) for a, b in ("[]", "()", "{}")):
            cuts += [match.end() for match in _STATEMENT_INSIDE.finditer(text, start, stop)]
    return cuts


def begins_sign(text: str, k: int) -> bool:
    return text[k] in _BEGINS_SIGN and text[k] != ":" and bool(_SIGN.match(text, k))


def begins_literal(text: str, k: int, stop: int) -> bool:
    """Return whether a matrix in brackets or a LaTeX environment begins there."""
    return text[k] in _OPENS and bool(_LITERAL.match(text, k, stop))


def _run(text: str, k: int, stop: int, bound: int) -> int:
    """Return the end of lists, or tuples, that go on behind one: `[1, 2], [3, 4]`, or one below the other."""
    kind = _TUPLE if text[k] == "(" else LIST
    gap = _BESIDE if not _NESTED.match(text, k) else _BELOW
    while (between := gap.match(text, stop, bound)) and (more := kind.match(text, between.end(), bound)):
        end = more.end() if kind is _TUPLE else bracketed_lists.bracket_end(text, between.end(), bound)
        if end is None:
            break
        stop = end
    return stop


def chains(whole: Text, start: int, line_stop: int) -> tuple[list[Chain], int]:
    """Return the statements that begin in a line, and where the last of them ends. Raises NotClosed."""
    text = whole.text
    signs, matrices, stop = _tokens(whole, start, line_stop)
    bounds, begins = [*(a for a, _ in signs), stop], [a for a, _ in matrices]
    first = [span for span in matrices if span[1] <= bounds[0]]
    chains_here = [Chain((start, first[0][0] if first else bounds[0]))]
    if first:  # a matrix without a sign before it
        chains_here[0].members.append((first[0][0], bounds[0]))
        chains_here[0].matrices.append(first)
    for k, (a, b) in enumerate(signs):
        if k or first:
            _split(text, chains_here)
        chain = chains_here[-1]
        if not chain.members:
            chain.colon = text[a] == ":" and text[a:b] != ":="
        chain.members.append((b, bounds[k + 1]))
        chain.matrices.append(matrices[bisect_left(begins, b) : bisect_left(begins, bounds[k + 1])])
    chains_here[0].has_no_sign = not signs or bool(first)
    return (chains_here if signs or matrices else []), stop


def _split(text: str, chains_here: list[Chain]) -> None:
    """End the last statement, and begin another, if its last member holds the head of the next."""
    chain = chains_here[-1]
    (a, b), inner = chain.members[-1], chain.matrices[-1]
    begin = inner[-1][1] if inner else a
    cuts = list(_cuts(text, begin, b))
    while cuts and not text[cuts[-1].end() : b].strip(" \t*`$&\\"):
        cuts.pop()  # `A V \\ &=` goes on
    if cuts:
        if not inner and cuts[0][0] == "." and _NUMBER_AND_ITEM.fullmatch(text[a : cuts[0].start()].strip()):
            chain.doubt = _ONE_STATEMENT.format(shorten(text[a:b].strip()))
            return
        chain.members[-1] = (a, cuts[0].start() if inner else cuts[-1].start())
        chains_here.append(Chain((cuts[-1].end(), b)))
        return
    end = begin if inner else _number_end(text, begin, b)
    bare = text[behind_decoration(text, end or begin, b) : b].strip(" *`$&")
    spoken = _SPOKEN.search(text, max(begin, b - FAR), b)
    if spoken and _JOINING.fullmatch(spoken[1]):
        chain.members[-1] = (a, spoken.start() if not inner else begin)
        chains_here.append(Chain((spoken.start(), b)))
    elif spoken and not _FUNCTION.fullmatch(spoken[1]):
        chain.doubt = (
            f"expected one statement, found {shorten(bare)!r} between two equals signs; write each name with "
            f"its matrix on its own line"
        )
    elif factor := _factor(text, a, begin, b):
        chain.factors = (*chain.factors, factor)
    elif end is not None and bare and (named := _LAST_NAME.search(text, max(end, b - FAR), b)):
        between = text[end : named.start()]
        if not between.strip(" *`$&") and inner:
            chain.doubt = (
                f"expected text that can be read in only one way, found two readings: {bare} could be a factor of the "
                f"matrix before it, or the next "
                f"name; write `{bare} =` on its own line, or @ between the factors"
            )
        elif between.strip(" *`$&") and _NEXT_ITEM.fullmatch(between):
            chain.members[-1] = (a, end)
            chains_here.append(Chain((named.start(), b)))
        elif not _OPERATION.match(between.strip(" `$&")) or _UNCLEAR_OPERATION.fullmatch(between):
            chain.doubt = _ONE_STATEMENT.format(shorten(text[a:b].strip()))
    elif end is not None and not inner and _ITEM_BEHIND.match(text, end, b):
        chain.doubt = _ONE_STATEMENT.format(shorten(text[a:b].strip()))
    elif inner and bare and not _OPERATION.match(bare):
        chain.doubt = f"expected only = after a matrix, found {shorten(bare)!r}; write each name on its own line"


def _factor(text: str, a: int, begin: int, b: int) -> str:
    """Return the name at the end of a member behind a finished value and a sign that may be a bullet; else nothing. A
    matrix of the member ends at `begin`.
    """
    stop = a + len(text[a:b].rstrip(" \t*`$"))
    named = _LAST_NAME.search(text, max(begin, stop - FAR), stop)
    sign = _SIGN_OR_BULLET.search(text[begin : named.start()]) if named else None
    if named is None or sign is None or not re.search("[0-9]", text[a : begin + sign.start()]):
        return ""
    is_value = not _LETTERS.search(text[begin : begin + sign.start()])
    return plain_name(named[1] or named[2]) if is_value else ""


def _number_end(text: str, start: int, stop: int) -> int | None:
    """Return where the number ends that begins there; None if none does, or if it is a part of a product."""
    number = _WHOLE_NUMBER.match(text, behind_decoration(text, start, stop), stop)
    return number.end() if number else None


def _cuts(text: str, start: int, stop: int) -> Iterator[re.Match[str]]:
    """Yield the signs and words that separate statements, outside brackets."""
    depth, k = 0, start
    for cut in SEPARATOR.finditer(text, start, stop):
        for bracket in _BRACKETS.findall(text, k, cut.start()):
            depth = max(0, depth + (1 if bracket in "([{" else -1))
        k = cut.start()
        if not depth:
            yield cut


def _tokens(whole: Text, start: int, line_stop: int) -> tuple[list[Span], list[Span], int]:
    """Return the signs and the matrices outside round brackets, and where the last line of a matrix ends."""
    text = whole.text
    signs: list[Span] = []
    matrices: list[Span] = []
    k = fresh = start
    stop = line_stop
    while k < stop:
        c = text[k]
        if c in "#%" and (signs or matrices) and text[k - 1].isspace():
            break  # a comment
        is_inside = k > start and c != "\\" and bool(_BEFORE_INDEX.search(text, max(start, k - 2), k))
        is_member = k == fresh and bool(signs) and (c == "[" or bool(_TUPLE.match(text, k, stop)))
        if is_member or not is_inside and begins_literal(text, k, len(text)):
            matrices.append((k, whole.literal_end(k, stop)))
            k = matrices[-1][1]
            if k > stop:
                stop = text.find("\n", k)
                stop = len(text) if stop < 0 else stop - (text[stop - 1] == "\r")
        elif (sign := _sign(text, k, start, stop)) is not None:
            signs.append((k, sign.end()))
            k = fresh = behind_decoration(text, sign.end(), stop)
        elif c == "\\" and (row_end := _ROW_END.match(text, k, stop)):
            k = row_end.end()
        elif c in "([{" and (inner := _inside(text, k, min(stop, k + FAR))):
            k = inner
        else:
            k += 2 if c == "\\" and text[k + 1 : k + 2] in ("\\", "{", "}", "(", ")", "[", "]") else 1
    return signs, matrices, stop


def _sign(text: str, k: int, start: int, stop: int) -> re.Match[str] | None:
    is_verb = text[k] in _BEGINS_VERB and k > start and text[k - 1] in " \t"
    return _SIGN.match(text, k, stop) if is_verb or text[k] in _BEGINS_SIGN else None


def behind_decoration(text: str, k: int, stop: int) -> int:
    """Return where the text begins behind signs of LaTeX and Markdown and blanks."""
    dressed = _DECORATION.match(text, k, stop)
    return dressed.end() if dressed else k


def _inside(text: str, k: int, stop: int) -> int | None:
    """Return where the bracket that opens there is closed; None if it is not."""
    depth = 0
    for bracket in _BRACKETS.finditer(text, k, stop):
        depth += 1 if bracket[0] in "([{" else -1
        if not depth:
            return bracket.end()
        if depth > DEEPEST:
            break
    return None


def value_of(text: str, chain: Chain, k: int) -> Span | None:
    """Return the matrix that a member is, and nothing else; None for working."""
    (a, b), inner = chain.members[k], chain.matrices[k]
    if len(inner) != 1 or before_matrix(text, a, inner[0][0]) or more_behind(text, inner[0][1], b) is not None:
        return None
    return inner[0]


def before_matrix(text: str, a: int, start: int) -> str:
    """Return the text between a sign and a matrix, without decoration."""
    return text[behind_decoration(text, a, start) : start].strip(" ([")


def more_behind(text: str, stop: int, b: int) -> int | None:
    """Return where something is written behind a matrix that belongs to it: a factor, a transpose, another matrix."""
    k = behind_decoration(text, stop, b)
    while k < b and text[k] in ")} \t":
        k += 1
    if (
        k >= b
        or remark_in(text[stop:b])
        or _BEHIND.match(text, k, b)
        and not _CHANGED.match(text, k, b)
        and not any(begins_literal(text, j, b) for j in range(k, b))
    ):
        return None
    return k
