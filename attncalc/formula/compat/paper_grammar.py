"""A parser for formulas in the notation of papers. It uses the precedence of textbooks, and returns Python's syntax.

- Adjacent factors bind more tightly than factors with a sign between them.
- A power belongs to the last letter of a word.
- The argument of a function without brackets is the factor after it.

Where textbooks differ, the parser has a question with two possible answers, 0 and 1. Each combination of answers gives
a reading.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise, takewhile
from typing import NamedTuple

from ... import limits
from ..syntax_tree import COMPARISONS
from .library_syntax import LAYERS

MOST_FORMS = 12  # if a text has more readings, there is no suggestion
OUTER, SOLVE, TIMES = "outer_", "solve_", "times_"  # names for the signs in u ⊗ v, MATLAB's A \ b, and A × B
ENTRIES = "entries_"  # the name for MATLAB's entrywise signs, as in A .* B; its first argument is the sign
FROM_ONE = "from_one_"  # the name for an index of MATLAB or Julia, as in from_one_(A)[1:2, :] for A(1:2, :)
ENTRIES_UNDER = "⧵"  # MATLAB's A .\ B, which is B ./ A
LETTER = "Σ"  # the Greek letter, which papers also use as the sum sign ∑
FUNCTIONS = frozenset({  # functions with one argument, often written without brackets
    "abs", "argmax", "ceil", "cos", "det", "diag", "entropy", "erf", "exp", "floor", "gelu", "GELU", "inv",
    "inverse", "layer_norm", "LayerNorm", "lg", "ln", "log", "log_softmax", "log10", "log2", "logsumexp", "max", "mean",
    "min", "norm", "normalize", "prod", "relu", "ReLU", "rms_norm", "RMSNorm", "sgn", "sigmoid", "sign",
    "silu", "SiLU", "sin",
    "softmax", "Softmax", "softplus", "sqrt", "std", "sum", "tan", "tanh", "tr", "trace", "var", "σ",
})  # fmt: skip
_LOGARITHMS = frozenset({"lg", "log", "ln", "log2", "log10"})
_WORDS = frozenset({"if", "else", "and", "or", "not", "in", "is", "for", "lambda"})
_WORD = r"[A-Za-zΑ-Ωα-ω_][^\W⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ]*"
_NAME = rf"{_WORD}(?:['’′ʹ]+(?:_\w+)?)?"
_BELOW, _ABOVE = r"_(?:\{([^{}]*)\}|([a-z]+))", r"(?:\^(?:\{([^{}]*)\}|(\w+)))?"
_SUM = re.compile(rf"[Σ∑∏](?:{_BELOW}{_ABOVE}|{_ABOVE}{_BELOW}|)")
_TOKEN = re.compile(
    rf"""(?P<space>\s+)|(?P<text>"[^"]*"|(?<![\w'’′ʹ)\]])'[^']*')|(?P<number>(?:\d+(?:\.(?![*/^\\'])\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<fraction>[¼-¾⅐-⅞])|(?P<sum>{_SUM.pattern})|(?P<transpose>\^?\s*[ᵀ⊤]|\^\s*\{{\s*[T⊤]\s*\}}|\.['’′])
    |(?P<name>_∞|{_NAME}(?:\.{_NAME})*)
    |(?P<sign>\*\*|\.\^|\.[*/]|//|<=|>=|==|!=|&&|\|\||.)""".replace("\n    ", ""),
    re.DOTALL,
)
_PRODUCTS = {
    "*": "*", "@": "@", "/": "/", "//": "//", "%": "%", ".*": ".*", "./": "./", "·": "·", "×": f"@ {TIMES} @",
    "⊗": f"@ {OUTER} @", "÷": "/", **dict.fromkeys("⋅∙•", "·"), ENTRIES_UNDER: ENTRIES_UNDER,
    **dict.fromkeys("∘⊙∗", ".*"),
}  # fmt: skip
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "&&": "&", "∧": "&", "||": "|", "∨": "|", "¬": "~", "−": "-", "–": "-"}
_SEPARATORS = frozenset({*"+-,:=&|~", *COMPARISONS})
_CLOSING = {"(": ")", "[": "]", "⟨": "⟩", "{": "}"}


class NoFormula(Exception):
    """Raised for a text that this grammar does not accept."""


class _Token(NamedTuple):
    kind: str
    text: str
    spaced: bool  # whether a space precedes it


def forms(text: str) -> list[str]:
    """Return the readings of a text in Python's syntax; an empty list if the text cannot be read."""
    tried: list[list[int]] = [[]]
    readable: dict[str, None] = {}
    for chosen in tried:
        reader = _Reader(text, chosen)
        try:
            readable[reader.whole()] = None
        except NoFormula:
            continue
        tried += [[*reader.answers[:k], 1] for k in range(len(chosen), len(reader.answers))]
        if len(tried) > MOST_FORMS:
            return []
    return list(readable)


def _tokens(text: str) -> list[_Token]:
    tokens, spaced = [], True
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "space":
            kind = next(kind for kind, part in match.groupdict().items() if part is not None)
            tokens.append(_Token(kind, match[0], spaced))
        spaced = match["space"] is not None
    return [*tokens, _Token("end", "", True)]


class _Reader:
    """Reads a text with given answers to the first questions. Afterwards, `answers` contains the answers to all
    questions.
    """

    def __init__(self, text: str, answers: list[int]):
        self.tokens = _tokens(text)
        self.at = 0
        self.given = answers
        self.answers: list[int] = []
        self.depth = 0
        self.open: list[str] = []  # the expected closing signs of brackets and bars
        self.is_number_sigma: bool | None = None  # whether σ is a number in the whole formula

    def ask(self) -> int:
        """Return the answer to the next question. The answer 0 selects the meaning in most textbooks."""
        self.answers.append(self.given[len(self.answers)] if len(self.answers) < len(self.given) else 0)
        return self.answers[-1]

    def whole(self) -> str:
        read = self.angles("<", ">") if self.next.text == "<" else ""
        read += self.expression()
        if self.next.kind != "end":
            raise NoFormula
        return read

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        if self.next.kind == "end":
            raise NoFormula
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, text: str) -> None:
        if self.take().text != text:
            raise NoFormula

    def expression(self) -> str:
        """Read terms and the operators between them, such as + and <."""
        pieces: list[str] = []
        while not self.is_end():
            sign = _SIGNS.get(self.next.text, self.next.text)
            if self.starts():
                if pieces and pieces[-1] not in _SEPARATORS | _WORDS:
                    raise NoFormula
                pieces.append(self.term())
            elif self.next.kind in ("sign", "name") and (sign in _SEPARATORS or sign in _WORDS):
                if self.take().text == "||" and pieces[-1][-1:] not in (*")0123456789",):
                    raise NoFormula  # a bar may mean concatenation
                pieces.append(sign)
            else:
                raise NoFormula
        return " ".join(pieces)

    def is_end(self) -> bool:
        token = self.next
        closing = self.open[-1] if self.open else ""
        closes = token.text == closing or token.text == "||" and (closing == "‖" or closing == "|" and self.is_behind())
        return token.kind == "end" or closes or token.text in _CLOSING.values()

    def is_behind(self) -> bool:
        """Return whether the last token ends an operand."""
        before = self.tokens[self.at - 1] if self.at else _Token("end", "", True)
        ends = before.kind in ("number", "fraction", "name", "transpose", "text")
        return ends or before.text in (*_CLOSING.values(), "|", "‖", "||", "'")

    def starts(self) -> bool:
        """Return whether the next token can begin a factor."""
        kind, text, _ = self.next
        if kind == "sign":
            return text in ("(", "[", "⟨", "√", "|", "‖", "||") and not self.is_or()
        return kind in ("text", "number", "fraction", "sum") or kind == "name" and text not in _WORDS

    def is_or(self) -> bool:
        """Return whether the bar is the operator "or" between two conditions."""
        _, text, spaced = self.next
        if text not in ("|", "||") or not self.is_behind():
            return False
        before, behind = self.tokens[self.at - 1], self.tokens[self.at + 1]
        return behind.spaced or not spaced and before.kind not in ("number", "fraction") and before.text != "|"

    # -- products ------------------------------------------------------------------------------------------------------

    def term(self) -> str:
        """Read factors with signs of multiplication or division between them, from left to right."""
        read = self.joined(first := self.factors())
        last = first[-1]
        while self.next.text in _PRODUCTS:
            if self.next.text == "%" and not self.next.spaced and _is_number(last):  # a percentage
                raise NoFormula
            sign = _PRODUCTS[self.take().text]
            prefix = self.prefix()
            factors = self.factors()
            read = self.multiplied(read, sign, prefix, factors, last)
            last = factors[-1]
        return read

    def multiplied(self, read: str, sign: str, prefix: str, factors: list[str], last: str) -> str:
        if sign == "·":
            sign = "*" if _is_number(last) or _is_number(factors[0]) else "@"
        right = self.joined(factors)
        if sign == ENTRIES_UNDER:
            return f'{ENTRIES}("/", {prefix}{right}, {read})'
        others: list[str] = []
        if len(factors) > 1 and sign != "@" and not (sign == "*" and _is_number(read)):
            is_total = re.match(r"(?:sum|prod)(?:_|\()", factors[-1])  # 1/n Σ x never means 1/(n Σ x)
            right, others = (factors[0], factors[1:]) if is_total or self.ask() else (f"({right})", [])
        by_entry = f'{ENTRIES}("{sign[1:]}", {read}, {prefix}{right})'
        return " @ ".join([by_entry if sign.startswith(".") else f"{read} {sign} {prefix}{right}", *others])

    def prefix(self) -> str:
        """Read the signs +, − and ~ before an operand."""
        read = ""
        while (sign := _SIGNS.get(self.next.text, self.next.text)) in ("+", "-", "~"):
            self.take()
            read += sign
        return read

    def factors(self) -> list[str]:
        """Read adjacent factors that have no sign between them."""
        factors = [self.factor()]
        while self.continues():
            factors.append(self.factor())
        return factors

    def continues(self) -> bool:
        """Return whether another factor follows without a sign. Raises NoFormula if a number follows."""
        if self.is_end() or not self.starts():
            return False
        if self.next.kind in ("number", "fraction", "text") or self.is_index():
            raise NoFormula
        return True

    def joined(self, factors: list[str]) -> str:
        first, *others = factors
        return " ".join([first, "*" if _is_number(first) else "@", " @ ".join(others)]) if others else first

    # -- factors -------------------------------------------------------------------------------------------------------

    def factor(self) -> str:
        """Read a factor of a product with its indices and powers."""
        if not self.starts() or self.depth == limits.BRACKETS.most:
            raise NoFormula
        self.depth += 1
        read = self.operand(self.take())
        self.depth -= 1
        return read

    def operand(self, token: _Token) -> str:
        kind, text, _ = token
        match kind:
            case "number":
                return self.postfixed(text)
            case "fraction":
                return f"({unicodedata.normalize('NFKC', text).replace(chr(0x2044), ' / ')})"
            case "text":
                return text
            case "sum":
                return self.letter(text) if self.is_letter(text) else self.sum(text)
            case "name":
                return self.named(token)
        match text:
            case "(" | "[":
                first = self.at
                inside = self.bracket(text)
                return self.postfixed(f"({inside[1:-1]})" if text == "[" and self.is_sum(first) else inside)
            case "⟨":
                self.at -= 1
                return self.postfixed(self.angles("⟨", "⟩"))
            case "√":
                return self.root()
        return self.bars(text)

    def bracket(self, text: str) -> str:
        self.open.append(_CLOSING[text])
        inside = self.expression()
        self.expect(self.open.pop())
        return f"{text}{inside}{_CLOSING[text]}"

    def is_sum(self, first: int) -> bool:
        """Return whether square brackets have the meaning of round brackets: their content is a sum, not a list like
        `[x -y]`.
        """
        depth, signs = 0, 0
        for token, behind in pairwise(self.tokens[first : self.at]):
            depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
            if depth == 0 and token.kind == "sign":
                if token.text in (",", ":") or token.spaced and not behind.spaced:
                    return False
                signs += _SIGNS.get(token.text, token.text) in ("+", "-")
        return signs > 0

    def is_index_in_brackets(self, base: str) -> bool:
        """Return whether `[` begins an index. After a closing bracket, an index may contain only numbers."""
        if base[-1] not in ")]":
            return True
        inside = takewhile(lambda token: token.text != "]", self.tokens[self.at + 1 :])
        return all(token.kind == "number" or token.text in (":", ",", "-") for token in inside)

    def angles(self, opening: str, closing: str) -> str:
        """Read `⟨x, y⟩` as an inner product."""
        self.expect(opening)
        self.open.append(closing)
        inside = self.expression()
        self.expect(self.open.pop())
        return f"dot({inside})"

    def bars(self, text: str) -> str:
        """Read `|x|` as absolute values, and `‖x‖` as a norm, perhaps with an index p."""
        closing = "|" if text == "|" else "‖"
        self.open.append(closing)
        inside = self.expression()
        self.open.pop()
        if closing == "|" and self.next.text == "||":  # in |x||y|
            self.tokens[self.at : self.at + 1] = [_Token("sign", "|", False), _Token("sign", "|", False)]
        if _SIGNS.get(self.next.text) == "|" and closing == "‖":
            self.take()
        else:
            self.expect(closing)
        if not inside:
            raise NoFormula
        if closing == "|":
            return self.postfixed(f"abs({inside})")
        mark = self.next.text
        if self.next.kind != "name" or self.next.spaced or not mark.startswith("_"):
            return self.postfixed(f"norm({inside})")
        self.take()
        if mark in ("_1", "_2", "_∞", "_inf"):
            return self.postfixed(f"norm({inside}, p={mark[1:].replace('∞', 'inf')})")
        if mark != "_F":
            raise NoFormula
        return self.postfixed(f"norm({inside})")

    def root(self) -> str:
        if self.next.text == "(":
            self.take()
            return self.postfixed(f"sqrt{self.bracket('(')}")
        inside = [self.factor()]
        if _is_number(inside[0]) and not self.next.spaced and self.continues() and self.ask():  # as in √2πs
            inside.append(self.factor())
        return f"sqrt({self.joined(inside)})"

    def is_alone(self) -> bool:
        """Return whether a function or a sum sign has no operand after it. A sign with spaces on both sides is an
        operator.
        """
        kind, text, spaced = self.next
        if kind == "transpose" or self.is_end() or text == "+":
            return True
        is_minus = _SIGNS.get(text, text) == "-"
        return not self.starts() and not (is_minus and not (spaced and self.tokens[self.at + 1].spaced))

    def is_index(self) -> bool:
        return self.next.kind == "name" and self.next.text.startswith("_") and not self.next.spaced

    def is_letter(self, text: str) -> bool:
        """Return whether Σ is a letter, such as the name of a covariance matrix. In unclear cases, the answer to a
        question decides.
        """
        if text == LETTER:
            return self.is_index() or self.is_alone() or bool(self.ask())
        return re.fullmatch(rf"{LETTER}_\{{?[a-z]\s*,?\s*[a-z]\}}?", text) is not None and bool(self.ask())

    def letter(self, text: str) -> str:
        """Read the letter Σ with its index."""
        index = self.take().text if self.is_index() else "_" * (text != LETTER) + "".join(re.findall("[a-z]", text))
        return self.postfixed(LETTER + index)

    def sum(self, text: str) -> str:
        """Read a sum sign, and the terms that belong to the sum."""
        match = _SUM.match(text)
        assert match is not None
        below = match[1] or match[2] or match[7] or match[8] or ""
        above = match[3] or match[4] or match[5] or match[6] or ""
        letters, bounds = _bounds(below, above)
        first = self.at
        inside = self.prefix() + self.term()
        inside += self.further_terms({*letters[1:]} or {*self.words(first)})
        return f"{'prod' if text.startswith('∏') else 'sum'}{letters}({inside}{bounds})"

    def further_terms(self, letters: set[str]) -> str:
        """Read the terms up to the last term with an index of the sum, as in `Σ_i p_i log p_i - p_i log q_i`.

        Returns an empty string if no term has such an index, or if the sum ends before them. In unclear cases, the
        answer to a question decides.
        """
        start, ends, read, within = self.at, self.at, "", ""
        while self.next.kind == "sign" and _SIGNS.get(self.next.text, self.next.text) in ("+", "-"):
            sign = _SIGNS.get(self.take().text, self.tokens[self.at - 1].text)
            begins = self.at
            read += f" {sign} {self.prefix()}{self.term()}"
            if letters.intersection(self.words(begins)):
                ends, within = self.at, read
        self.at = ends
        if within and self.ask():
            self.at, within = start, ""
        return within

    def words(self, start: int) -> list[str]:
        """Return the letters of indices from the token `start` to the next sum sign. If there are no indices, return
        the names.
        """
        before = takewhile(lambda token: token.kind != "sum", self.tokens[start : self.at])
        names = [token.text for token in before if token.kind == "name"]
        indices = [letter for name in names for letter in re.findall(r"_\{?([a-z]+)", name) for letter in letter]
        return indices or [name for name in names if name not in FUNCTIONS]

    def named(self, token: _Token) -> str:
        name = {"log_2": "log2", "log_10": "log10"}.get(token.text, token.text)
        if name in FUNCTIONS or name.rpartition("_")[0] in FUNCTIONS and re.fullmatch(r".*_[a-z]{1,2}", name):
            return self.function(name)
        if self.next.text == "(" and not self.next.spaced:
            is_index = self.holds_places()
            self.take()
            if is_index:
                read = f"{FROM_ONE}({name})[{self.bracket('(')[1:-1]}]"
                if self.next.text == "(" and not self.next.spaced:  # an index after an index
                    raise NoFormula
                return self.postfixed(read)
            read = name + self.bracket("(")
            while ("." in name or name in LAYERS) and self.next.text == "(" and not self.next.spaced:  # nn.Softmax()(X)
                self.take()
                read += self.bracket("(")
            return self.postfixed(read)
        return self.postfixed(name)

    def holds_places(self) -> bool:
        """Return whether the next brackets contain an index of MATLAB, as in A(:, 1) and A(end)."""
        depth = 0
        for token in self.tokens[self.at :]:
            depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
            if depth == 1 and token.text in (":", "end"):
                return True
            if depth == 0:
                break
        return False

    def function(self, name: str) -> str:
        """Read a function with brackets, or with the factor after it: `tanh² A x` is tanh(A x)²."""
        power, start = "", self.at
        if name == "σ":
            if self.is_number_sigma is None:
                self.is_number_sigma = bool(self.ask())
            if self.is_number_sigma:
                return self.postfixed(name)
            name = "sigmoid"
        if self.next.text in ("^", "**") and self.tokens[self.at + 1].text not in ("T", "⊤"):
            self.take()
            power = f"**{self.exponent(name)}"
            if "-" in power:  # the inverse function, tan⁻¹
                raise NoFormula
        if self.opens():
            opening = self.take().text
            argument = self.bracket(opening)[1:-1]
            read = f"{name}({argument})"
            if self.next.text == "(" and name in _LOGARITHMS and not self.ask():
                return f"{name}({self.joined([f'({argument})', *self.others()])}){power}"
            return read + power if power else self.postfixed(read)
        if self.is_alone():
            self.at = start
            return self.postfixed(name)
        sign = self.prefix()
        if self.is_end() or not self.starts():
            raise NoFormula
        first = [self.factor()]
        if _is_number(first[0]) and self.continues():
            first.append(self.factor())
        start, after = self.at, self.others()
        if after and self.ask():
            self.at = start
            after = []
        argument = sign + self.joined([*first, *after])
        if name in _LOGARITHMS and self.next.text == "/" and not self.ask():
            self.take()
            argument = self.multiplied(argument, "/", self.prefix(), self.factors(), "")
        return f"{name}({argument}){power}"

    def opens(self) -> bool:
        """Return whether the next token is the opening bracket of a function's argument."""
        return self.next.text == "(" or self.next.text == "[" and not self.next.spaced

    def others(self) -> list[str]:
        """Read the other factors that a function without brackets may apply to, up to the next function."""
        factors = []
        while self.continues() and self.next.kind != "sum":
            if self.next.text in FUNCTIONS and self.tokens[self.at + 1].text != "(":
                break
            factors.append(self.factor())
        return factors

    # -- indices and powers after a factor ----------------------------------------------------------------------------

    def postfixed(self, base: str) -> str:
        """Read the indices, the transpose and the power after a factor."""
        power = ""
        while True:
            kind, text, spaced = self.next
            if kind == "transpose" or text in "'’′" and kind == "sign" and not spaced:
                self.take()
                base += ".T"
            elif text == "[" and not spaced and not power and self.is_index_in_brackets(base):
                self.take()
                base += self.bracket("[")
            elif base[-1] in ")]" and kind == "name" and not spaced and re.fullmatch("_[a-z]_?[a-z]?", text):
                self.take()
                base += f"[{', '.join(text.replace('_', ''))}]"
            elif (
                text == "."
                and not spaced
                and self.tokens[self.at + 1].kind == "name"
                and not self.tokens[self.at + 1].spaced
            ):
                self.take()
                base += f".{self.take().text}"
                if self.next.text == "(":
                    self.take()
                    base += self.bracket("(")
            elif text == "." and spaced and self.tokens[self.at + 1].spaced:  # as in q . k
                self.tokens[self.at] = _Token("sign", "·", True)
            elif text in ("^", "**", ".^"):
                self.take()
                transpose, exponent = self.raised(base, text)
                if text == ".^":
                    base, exponent = f'{ENTRIES}("**", {base}, {exponent})', ""
                base += transpose
                if exponent:
                    if power:
                        raise NoFormula
                    power = exponent
            else:
                break
        if power.startswith("!="):
            return f"({base} {power})"
        return f"{base}**{power}" if power else base

    def raised(self, base: str, sign: str) -> tuple[str, str]:
        """Read an exponent. Return the factor or its transpose, and the power."""
        token = self.next
        if token.kind == "name" and token.text.startswith("T") and sign == "^":
            self.take()
            if rest := token.text[1:]:
                self.tokens.insert(self.at, _Token("name", rest, False))
            return ".T", ""
        following = "".join(token.text[:1] for token in self.tokens[self.at : self.at + 4])
        if sign == "^" and (inverse := re.match(r"\{[-−][T⊤]\}|[-−][T⊤]", following)):
            self.at += inverse.end()
            return ".T", "-1"
        if sign == "^" and _is_condition(base) and token.text == "(":  # NumPy's exclusive or
            self.take()
            other = self.bracket("(")
            if not _is_condition(other):
                raise NoFormula
            return "", f"!= {other}"
        return "", self.exponent(base)

    def exponent(self, base: str) -> str:
        """Read a power: a formula in brackets, or a number or a name with its sign."""
        if self.next.text in ("{", "("):
            opening = self.take().text
            inside = self.bracket(opening)[1:-1]
            if not inside:
                raise NoFormula
            return inside if inside.isdigit() or re.fullmatch(r"- \d+", inside) else f"({inside})"
        sign = self.prefix().replace("+", "")
        token = self.take()
        if token.kind == "number":
            glued = self.next.kind == "name" and not self.next.spaced and (base == "e" or _is_number(base))
            if glued and not self.ask():  # as in e^2x
                return f"({sign}{token.text} * {self.take().text})"
            return sign + token.text
        if token.kind != "name" or token.text in _WORDS:
            raise NoFormula
        if self.next.text == "(" and not self.next.spaced:
            self.take()
            return f"({sign}{token.text}{self.bracket('(')})"
        if re.fullmatch("[A-Za-z]{2,}", token.text) and self.ask():  # as in LaTeX's e^xy
            self.tokens.insert(self.at, _Token("name", token.text[1:], False))
            return sign + token.text[0]
        return sign + token.text


def _bounds(below: str, above: str) -> tuple[str, str]:
    """Return the index and the bounds of a sum: `_j` and `, low=1, high=n` for Σ_{j=1}^{n}.

    For other texts, return the index `_of_some`, for which there is no function.
    """
    match = re.fullmatch(r"\s*([a-z](?:\s*,?\s*[a-z])?)\s*(?:=\s*([^=]+))?", below)
    if not below and not above:
        return "", ""
    if match is None:
        return "_of_some", ""
    low, high = match[2], f", high={above}" if above else ""
    return f"_{re.sub('[ ,]', '', match[1])}", (f", low={low}" if low else ", low=1" if above else "") + high


def _is_number(factor: str) -> bool:
    return re.fullmatch(r"[\d.]+(?:[eE][+-]?\d+)?|\(\d+ / \d+\)", factor) is not None


def _is_condition(bracket: str) -> bool:
    return bracket.startswith("(") and re.search("[<>]|[=!]=", bracket) is not None
