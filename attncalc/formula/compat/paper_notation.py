"""Readings of formulas in the notation of papers: `Q @ K^T` is Q @ K.T, `K q` is K @ q, `2X` is 2 * X."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container

from ..syntax_errors import LATIN
from ..syntax_tree import Binary, Call, Index, Name, Slice, Source, Text, Tree, rewrite
from . import paper_grammar
from .paper_grammar import ENTRIES, ENTRIES_UNDER, SOLVE

_CYRILLIC = {code: letter for code, letter in LATIN.items() if unicodedata.name(chr(code)).startswith("CYRILLIC")}
_ACCENTS = {"\u0302": "_hat", "\u0304": "_bar", "\u0305": "_bar", "\u0303": "_tilde"}
LONGEST = 300  # characters; longer formulas get no suggestion
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


_LOWERED = "[₀-₉ₐₑₒₓₕᵢⱼₖₗₘₙₚᵣₛₜᵤᵥ]+"


def without_accents(text: str) -> str:
    """Replace ŷ by `y_hat`, x̄ by `x_bar`, x₁ by `x_1`, and Cyrillic letters by similar Latin letters."""
    text = re.sub(_LOWERED, lambda index: f"_{unicodedata.normalize('NFKC', index[0])}", text.translate(_CYRILLIC))
    for sign in dict.fromkeys(sign for sign in text if ord(sign) > 127 and (sign.isalpha() or sign in _ACCENTS)):
        apart = unicodedata.normalize("NFD", sign)
        text = text.replace(sign, "".join(_ACCENTS.get(part, part) for part in apart))
    return text


_GREEK = {unicodedata.name(chr(code)).split()[-1].lower(): chr(code) for code in range(0x3B1, 0x3CA)}
_GREEK |= {"lambda": "λ", "varepsilon": "ε", "epsilon": "ε", "varphi": "φ", "vartheta": "θ"}
_GREEK |= {name.capitalize(): letter.upper() for name, letter in _GREEK.items() if letter != "ς"}
_LATEX = {
    "cdot": "·", "times": "×", "odot": "⊙", "circ": "⊙", "le": "<=", "leq": "<=", "ge": ">=", "geq": ">=",
    "ne": "!=", "neq": "!=", "sum": "∑", "infty": "∞", "land": "&", "wedge": "&", "lor": "|", "vee": "|", "neg": "~",
    "Vert": "‖", "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|", "vert": "|",
    "otimes": "⊗", "prime": "prime", "langle": "⟨", "rangle": "⟩", **dict.fromkeys(("quad", "qquad"), " "),
    **dict.fromkeys(("rm", "bf", "it", "sf"), ""),
    "dagger": "†", "prod": "∏",
    **dict.fromkeys((
        "left", "right", "middle", "displaystyle", "textstyle", "limits", "nolimits",
        *(size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "m", "r")),
    ), ""),
}  # fmt: skip
_FONTS = frozenset({
    "text", "textrm", "textbf", "textit", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathbb", "boldsymbol",
    "bm", "operatorname", "vec",
})  # fmt: skip
_FOREIGN = frozenset({  # commands whose meaning the formula language does not have
    "oplus", "ominus", "oslash", "cup", "cap", "in", "notin", "ast", "star", "mid", "pm", "mp", "bmod", "mod",
    "nabla", "partial", "binom", "dot", "ddot", "sim", "approx", "to", "mapsto", "subset", "forall", "exists", "cdots",
    "ldots", "dots", "over", "iint", "int", "lim", "sup", "inf", "Pr",
})  # fmt: skip
_COMMANDS = frozenset({
    *_LATEX, *_GREEK, *_FONTS, *("frac", "dfrac", "tfrac", "sqrt", "top", "intercal", "exp", "log", "ln", "sin", "cos"),
    *("tanh", "max", "min", "argmax", "sigmoid", "softmax", "relu", "hat", "widehat", "bar", "overline", "tilde"),
})  # fmt: skip
_MARKS = {"hat": "_hat", "widehat": "_hat", "bar": "_bar", "overline": "_bar", "tilde": "_tilde"}


def _group(text: str, at: int) -> tuple[str, int]:
    """Return the text in the next braces, and the offset after them. Without braces, return the next character or
    command.
    """
    while at < len(text) and text[at] == " ":
        at += 1
    if text[at : at + 1] != "{":
        token = re.compile(r"\\[A-Za-z]+|.|$").match(text, at)
        return (token[0], token.end()) if token else ("", at)
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "{") - (text[end] == "}")
        if not depth:
            return text[at + 1 : end], end + 1
    return text[at + 1 :], len(text)


def _raised_or_lowered(sign: str, inside: str, before: str) -> str:
    """Translate the text after `_` or `^`. The index of a name becomes a part of the name.

    Bounds of a sum, exponents and formulas as indices do not become a part of the name.
    """
    if sign == "^" and (layer := re.fullmatch(r"\s*\(\s*(\w+)\s*\)\s*", inside)):
        return f"__{layer[1]}"  # W^{(1)} is a name, not a power
    if sign == "^" or not inside.strip().isdigit() and re.search(r"[Σ∑∏](\^(\{[^{}]*\}|\w+))?\s*$", before):
        return f"{sign}{{{inside}}}"
    if re.search(r"[^\w\s,'∞]", inside):
        return f"_{{{inside}}}"  # as in x_{t-1} and X_{:,j}: an index, not a name
    if re.fullmatch(r"\s*[a-z0-9]{1,2}\s*,\s*[a-z0-9]{1,2}\s*", inside):
        return "_" + re.sub(r"\s*,\s*", "_", inside.strip())
    return "_" + re.sub(r"[^\w'∞]", "", inside)


def without_latex(text: str) -> str:
    r"""Replace LaTeX's commands and braces by signs and brackets: `\frac{a}{b}` is ((a) / (b))."""
    if "\\" not in text and "{" not in text:
        return text
    pieces: list[str] = []
    at = 0
    while at < len(text):
        command = re.compile(r"\\([A-Za-z]+|.)").match(text, at)
        if command is None:
            if text[at] in "_^" and text[at + 1 : at + 2] == "{":
                inside, end = _group(text, at + 1)
                pieces.append(_raised_or_lowered(text[at], without_latex(inside), "".join(pieces)))
                at = end
                continue
            pieces.append({"{": "(", "}": ")", "$": " ", "~": "~"}.get(text[at], text[at]))
            at += 1
            continue
        name, at = command[1], command.end()
        if name.isalpha() and pieces and pieces[-1][-1:].isalnum() and _LATEX.get(name, name)[:1].isalnum():
            pieces.append(" ")
        if name in _FOREIGN or name == "sqrt" and text[at : at + 1] == "[":  # a root with a degree
            pieces.append(f"\\{name} ")
        elif name in ("frac", "dfrac", "tfrac"):
            above, at = _group(text, at)
            below, at = _group(text, at)
            pieces.append(f"(({without_latex(above)}) / ({without_latex(below)}))")
        elif name == "sqrt":
            inside, at = _group(text, at)
            pieces.append(f"sqrt({without_latex(inside)})")
        elif name in _FONTS or name in _MARKS:
            inside, at = _group(text, at)
            vector_of_ones = name in ("mathbf", "bm", "boldsymbol") and inside.strip() in ("0", "1")
            is_symbol = name == "mathbb" or vector_of_ones  # such as the expectation 𝔼
            pieces.append(f"\\{name}" if is_symbol else without_latex(inside).strip() + _MARKS.get(name, ""))
        elif name in ("top", "intercal"):
            pieces.append("⊤")
        elif text[at : at + 1] == "[" and _LATEX.get(name) == "" and _is_factor("".join(pieces)):
            pieces.append(" ")  # the brackets contain a factor, not an index
        elif name in "{}|,;:! ":
            pieces.append({"{": "(", "}": ")", "|": "‖", "!": ""}.get(name, " "))
        else:
            pieces.append(_LATEX.get(name, _GREEK.get(name, name)))
    return "".join(pieces)


def _is_factor(before: str) -> bool:
    """Return whether a text ends with a bracket or with a name that is not a function."""
    from .paper_grammar import FUNCTIONS  # imported here, because paper_grammar imports this module

    name = re.search(r"\w+$", before)
    return before[-1:] in (")", "]") or name is not None and name[0] not in FUNCTIONS


_BRACKETS = re.compile(r"(?<![\w)\]'.])\[([^\[\]]*)\]")
_BELOW = r";|‖|\|\|"  # the signs between rows of a matrix
_BESIDE = r"(?<=[\w)\]'])\s*\|\s*(?=[\w(\[])"  # the sign between the parts of [A | B]
_NUMBER = r"[-+]?[\d./]+(?:[eE][-+]?\d+)?"
_NUMBERS = rf"\s*{_NUMBER}(?:[\s,]+{_NUMBER})*\s*"
_PRINTED = r"(?:\x00[^\x00\x01]*\x01\s*){2,}"  # lists that follow each other, as NumPy prints the rows of a matrix
# A space between two entries of a row in MATLAB. A minus sign belongs to the entry if there is a space only before it.
_SPACE = r"(?<=[\w)\]'’′])\s+(?=[\w(\[]|[-+][\w(])"


def _stacked(text: str) -> str:
    """Replace `[A; B]` by `vstack(A, B)`, `[A | B]` by `hstack(A, B)`, and `[1 2; 3 4]` by `[[1, 2], [3, 4]]`.

    Innermost brackets are replaced first. Without commas, a space separates numbers, and in MATLAB's notation all
    entries. Elsewhere, a space may mean a product, as in `[X W]`.
    """
    is_of_matlab = has_primes(text)

    def entries(row: str) -> list[str]:
        if re.fullmatch(_NUMBERS, row):
            return re.split(r"[\s,]+", row.strip())
        parts = _split(r"\s*,\s*", row)
        return _split(_SPACE, row) if is_of_matlab and len(parts) == 1 else parts

    def made(brackets: re.Match[str]) -> str:
        inside = brackets[1].strip()
        if re.fullmatch(_PRINTED, inside):
            return _listed(re.findall(r"\x00[^\x00\x01]*\x01", inside))
        rows = [entries(row.strip()) for row in _split(_BELOW, inside)]
        if len(rows) == 1:
            sides = _split(_BESIDE, inside)
            if len(sides) > 1 and not re.search(r"[<>=|]", "".join(sides)):
                return f"hstack({', '.join(sides)})"
            return _listed(rows[0] if len(rows[0]) > 1 else [inside])
        if all(re.fullmatch(_NUMBERS, entry) for row in rows for entry in row) and max(map(len, rows)) > 1:
            return _listed([*map(_listed, rows)])
        joined = [f"hstack({', '.join(row)})" if len(row) > 1 else row[0] for row in rows]
        return f"vstack({', '.join(joined)})"

    while (replaced := _BRACKETS.sub(made, text)) != text:
        text = replaced
    return text.replace("\0", "[").replace("\1", "]")


def _listed(entries: list[str]) -> str:
    """Return a list in control characters instead of square brackets, so that its brackets are not replaced again."""
    return f"\0{', '.join(entries)}\1"


def _split(pattern: str, text: str) -> list[str]:
    """Split a text at matches of the pattern that are not inside brackets."""
    pieces, start = [], 0
    for match in re.finditer(pattern, text):
        before = text[: match.start()]
        if not sum((sign in "([{\0") - (sign in ")]}\1") for sign in before):
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]]


# Calls and indices that only MATLAB has: repmat(A, 1, 2), A(:, 1), A(2, :), A(end, 1), bsxfun(@minus, A, B)
_CALLS_OF_MATLAB = r"\b(?:repmat|bsxfun)\(|\w\(\s*:\s*[,)]|\([^()\[\]]*,\s*:\s*\)|\w\([^()\[\]]*\bend\b[^()\[\]]*\)|~="


def has_dotted_signs(text: str) -> bool:
    """Return whether a formula has MATLAB's entrywise operators, such as `.*`, or other notation that only MATLAB and
    Julia have. In this notation, `*`, `/` and `^` are matrix operators.
    """
    dotted = rf"(?<!\d)\.[-+*/<>=]|\.[\\^]|(?<=\w)\.\(|{ENTRIES_UNDER}|{_CALLS_OF_MATLAB}"
    return re.search(dotted, text) is not None


def has_primes(text: str) -> bool:
    """Return whether a formula has MATLAB's transpose, as in `X'`. Quotes around a text do not count."""
    return re.search(r"[\w)\].]['’′]", re.sub(r"(?<![\w)\].])'[^']*'", "", text)) is not None


def has_signs_of_matlab(text: str, known: Container[str]) -> bool:
    """Return whether a formula has notation that only MATLAB has.

    A prime after a name is MATLAB's transpose only if `known` contains the name without the prime, but not with it.
    """

    def without_primes(name: re.Match[str]) -> str:
        return name[0] if name[2] in known and name[1] not in known else name[0].rstrip("'’′")

    # A match begins only at the start of a word; otherwise the time would be quadratic
    return has_dotted_signs(text) or has_primes(re.sub(r"(?<!\w)\d*(([^\W\d]\w*)['’′]+)", without_primes, text))


def _without_matlab(text: str) -> str:
    r"""Replace MATLAB's `max(A, [], 2)` by `row_max(A)`, and `\` in `A \ b`, which begins commands in LaTeX."""
    for axis, prefix in (("1", "col"), ("2", "row")):
        text = re.sub(rf"\b(max|min)\(((?:[^()]|\([^()]*\))*?),\s*\[\]\s*,\s*{axis}\)", rf"{prefix}_\1(\2)", text)
    if not any(command in _COMMANDS or command in _FOREIGN for command in re.findall(r"\\([A-Za-z]+)", text)):
        text = re.sub(r"\.\\\s*(?=[\w(\[])", ENTRIES_UNDER, text)
        text = re.sub(r"(?<=[\w)\]'])\s*\\\s*(?=[\w(\[])", f" @ {SOLVE} @ ", text)
    return text


_COMPARED = r"[^\[\](){}\\]*(?:[<>=≤≥≠]|\\[lg]eq?\b)[^\[\](){}\\]*"  # a comparison without brackets
_KL = r"\\(?:mathrm|text|operatorname)\{KL\}|D_?\{?(?:\\(?:mathrm|text)\{)?KL\}*|\bKL"  # the divergence
# Notations that are replaced: a pattern, and its replacement
_SPELLINGS = (
    (r"\\arg\s*\\(max|min)", r"\\arg\1"),
    (r"(\[[^\[\]]*)\\mid\b", r"\1|"),
    (r"\\left\s*[\[(]\s*\\begin\{array\}\s*(?:\{[^{}]*\})?(.*?)\\end\{array\}\s*\\right\s*[\])]",
     lambda m: f"[{_rows_of_latex(m[1])}]"),
    (r"\\begin\{[bp]?(?:small)?matrix\}(.*?)\\end\{[bp]?(?:small)?matrix\}", lambda m: f"[{_rows_of_latex(m[1])}]"),
    (r"\\begin\{vmatrix\}(.*?)\\end\{vmatrix\}", lambda m: f"det([{_rows_of_latex(m[1])}])"),
    (rf"(?:𝟙|𝟏|\\mathbb\{{?[1I]\}}?|\\mathbbm\{{1\}}|\\mathbf\{{1\}})_?(?:\\?[{{\[(]){{1,2}}({_COMPARED})(?:\\?[}}\])]){{1,2}}",
     r"I(\1)"),
    (rf"(?:{_KL})\s*\(([^()|‖\\]*)(?:\\,|\s)*(?:\|\||‖|\\\||\\Vert|\|)(?:\\,|\s)*([^()|‖\\]*)\)", r"KL(\1, \2)"),
    (r"⁻[ᵀ⊤]", "^{-T}"),
    (r"^\s*([A-Za-z]\w*)\s*‖\s*([A-Za-z]\w*)\s*$", r"concat(\1, \2)"),
    (r"([A-Za-z]\w*|\([^()]*\))\s*(?:\^\s*)?\{?\s*(?:†|\\dagger)\s*\}?", r"dagger(\1)"),
    # MATLAB and Julia
    (r"^\s*\(?\s*(\d+)\s*(?::\s*([1-9]\d*)\s*)?:\s*(\d+)\s*\)?(\s*['’′]?)\s*$", lambda m: _range(*m.groups())),
    (r"(?<![\w)\]])\(\s*(\d+)\s*:\s*(\d+)\s*\)", lambda m: _range(m[1], None, m[2], "")),
    (r"\bbsxfun\(\s*@(\w+)\s*,", r"\1("),
    (r"(?<=\w)\.(?=\()", ""), (r"(?<!\d)\.(?=[-+<>=])", ""), (r"~=", "!="),
    (r"(\([^()\[\];]*);", r"\1,"),
    (r"(?<!roll)(\([^()]*)\bdims\s*=\s*([12])\b", lambda m: f'{m[1]}axis="{("columns", "rows")[m[2] == "2"]}"'),
)  # fmt: skip


_BRACKETS_OF_INTEGERS = {"⌊⌋": "floor", "⌈⌉": "ceil", "⌊⌉": "round", "⌈⌋": "round"}
_SIGNS_OF_LATEX = {"lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉"}


def _with_integers(text: str) -> str:
    """Replace ⌊x⌋ by floor(x), ⌈x⌉ by ceil(x), and ⌊x⌉ by round(x)."""
    text = re.sub(r"\\([lr](?:floor|ceil))(?![A-Za-z])", lambda sign: _SIGNS_OF_LATEX[sign[1]], text)
    inner = re.compile("([⌊⌈])([^⌊⌈⌋⌉]*)([⌋⌉])")
    while (replaced := inner.sub(lambda m: f" {_BRACKETS_OF_INTEGERS[m[1] + m[3]]}({m[2]})", text)) != text:
        text = replaced
    return text


def _range(first: str, step: str | None, last: str, prime: str) -> str:
    """Return the formula for MATLAB's `first:last` or `first:step:last`, which may have the prime of a transpose."""
    if step is None:
        return f"arange({first}, {int(last) + 1}){prime}"
    return f"({first} + {step} * arange(0, {(int(last) - int(first)) // int(step) + 1})){prime}"


def _rows_of_latex(text: str) -> str:
    return text.replace("&", ",").replace("\\\\", ";").strip().removesuffix(";")


def forms(text: str) -> list[str]:
    """Return the readings of a formula in Python's syntax; an empty list if there are none."""
    if len(text) > LONGEST:
        return []
    text = re.sub(r"\s*\(\d+ × \d+\)\s*$", "", text)  # a copied suggestion contains the shape after the formula
    if re.search(r"\d\.\d*\(\d+\)", text):  # 0.(3) is a repeating decimal, and 0.53(2) has an uncertain digit
        return []
    text = _with_integers(text)
    for pattern, replacement in _SPELLINGS:
        text = re.sub(pattern, replacement, text.strip())
    formula = _stacked(without_latex(_without_matlab(without_accents(text))))
    if "=" in formula and re.match(r"[^\W\d][\w']*(\[[^\]]*\])?\s*=(?!=)", formula):
        formula = formula.partition("=")[2].strip()
    formula = re.sub("⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: f"^{{{power[0].translate(_POWERS)}}}", formula)
    formula = re.sub(r"\^\s*[({]?\s*prime\s*[)}]?", "'", formula)
    return paper_grammar.forms(formula)


def by_entries(tree: Tree) -> Tree:
    """Replace the calls that `forms` writes for entrywise operators such as `.*` by operators whose source has
    `entries`.
    """

    def change(part: Tree) -> Tree | None:
        match part:
            case Call(function, (Text(sign), a, b)) if function == ENTRIES:
                operation = Binary(sign, rewrite(a, change), rewrite(b, change), part.at)
                return operation.copied_from(Source(entries=True))
        return None

    return rewrite(tree, change)


def quoted(
    tree: Index, rows: Container[str] | None, columns: Container[str] | None, is_unknown: Callable[[Name], bool]
) -> Index:
    """Put a label in quotes, as in `P[0, cat]`, if the problem has no given or step with this name."""

    def label(item: Tree | Slice | None, labels: Container[str] | None) -> Tree | Slice | None:
        if isinstance(item, Name) and item.name in (labels or ()) and is_unknown(item):
            return Text(item.name, item.at)
        return item

    return tree.but(rows=label(tree.rows, rows), columns=label(tree.columns, columns))
