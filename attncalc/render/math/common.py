"""Rules shared by the printers of all media: binding strengths, masks as inequalities, indices of names."""

from __future__ import annotations

from typing import TypeGuard

from ...explain.document import ENTRYWISE
from ...formula.syntax_tree import Binary, Call, Name, Negate, Number, Tree, is_comparison, strength

# Greek letters by their names in LaTeX and Typst.
_LOWER = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau "
    "upsilon phi chi psi omega"
)
GREEK_LETTERS = dict(zip("αβγδεζηθικλμνξοπρςστυφχψω", _LOWER.split(), strict=True))
GREEK_LETTERS |= {letter.upper(): name.capitalize() for letter, name in GREEK_LETTERS.items()}
_FLATTENED = {"maximum", "minimum", "hstack", "vstack"}
_OF_DIVISIONS = {"//": 5, "%": 0}  # a quotient has brackets; a remainder gets brackets inside other formulas
_LIKE_OPERATORS = {"keep": 0, "where": 0, ENTRYWISE: 2, "inverse": 4, "solve": 2}


def outer_strength(tree: Tree) -> int:
    """Return the binding strength of a printed formula: 2·10⁻⁷ binds like a product, and 10⁻⁷ like a power."""
    if is_scientific(tree):
        return 4 if tree.text.startswith("1e") else 3 if tree.text.startswith("-1e") else 2
    if is_comparison(tree):  # the notation of comparisons has brackets
        return 5
    if isinstance(tree, Binary) and tree.operator in _OF_DIVISIONS:
        return _OF_DIVISIONS[tree.operator]
    return _LIKE_OPERATORS.get(tree.function, 5) if isinstance(tree, Call) else strength(tree)


def is_scientific(tree: Tree) -> TypeGuard[Number]:
    return isinstance(tree, Number) and "e" in tree.text


def literal_matrix(tree: Tree) -> list[list[Tree]] | None:
    """Return the rows of a matrix literal, `[[1, 2], [3, -1/2]]`; None for other formulas."""
    match tree:
        case Call("hstack", entries, ()) if all(map(_is_number, entries)):
            return [list(entries)]
        case Call("vstack", rows, ()):
            matrices = [
                literal_matrix(row) if isinstance(row, Call) and row.function == "hstack" else None for row in rows
            ]
            lines = [line for matrix in matrices if matrix for line in matrix]
            return lines if len(lines) == len(rows) and len({len(line) for line in lines}) == 1 else None
    return None


def _is_number(tree: Tree) -> bool:
    match tree:
        case Number() | Name("inf"):
            return True
        case Negate(a):
            return _is_number(a)
        case Binary("/", a, b):
            return _is_number(a) and isinstance(b, Number)
    return False


def factor(tree: Tree) -> int:
    """Return the binding strength from which a right factor has no brackets: 3 · 2·10⁻⁷ has none."""
    return 2 if is_scientific(tree) else 3


def flatten_arguments(tree: Call) -> list[Tree]:
    """Return the arguments of nested calls: a, b, c for max(max(a, b), c), and for nested concatenations."""
    if tree.function not in _FLATTENED:
        return list(tree.arguments)
    return [
        leaf
        for a in tree.arguments
        for leaf in (
            flatten_arguments(a) if isinstance(a, Call) and a.function == tree.function and not a.options else [a]
        )
    ]


def mask_condition(mask: Tree) -> tuple[tuple[Tree, ...], bool]:
    """Return the condition of a mask on query i and key j: the sides of an inequality, and whether it is strict.

    The inequalities are j ≤ i, j ≤ i + offset, j < i, |i − j| ≤ width and −left ≤ j − i ≤ right. Other masks have no
    sides.
    """
    if not isinstance(mask, Call):
        return (), False
    i, j, options = Name("i"), Name("j"), dict(mask.options)
    match mask.function, mask.arguments:
        case "causal", (_, _, *more) if len(more) + len(options) < 2:
            return (j, _shift(i, more[0] if more else options.get("offset"))), False
        case "causal_strict", (_, _) if not options:
            return (j, i), True
        case "band", (_, _, left, *more) if len(more) + len(options) < 2:
            right = more[0] if more else options.get("right", left)
            if right == left or right == Name("none"):
                return (Call("abs", (Binary("-", i, j),)), left), False
            return (left if left == Number("0") else Negate(left), Binary("-", j, i), right), False
    return (), False


def _shift(tree: Tree, by: Tree | None) -> Tree:
    """Return `i + 2` or `i − 1`; `i` itself for 0."""
    match by:
        case None | Number("0"):
            return tree
        case Negate(a):
            return Binary("-", tree, a)
        case Number(text) if text.startswith("-"):
            return Binary("-", tree, Number(text[1:]))
    return Binary("+", tree, by)


def indices(index: str) -> list[str]:
    """Return the indices of a name: Q and 2 for `W_Q_2`. Consecutive words are one index."""
    parts: list[str] = []
    for part in filter(None, index.split("_")):
        if parts and _is_a_word(part) and _is_a_word(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return parts or [index]


def is_in_words(base: str, index: str) -> bool:
    """Return whether a name consists of words, such as mean_square, and is not a letter with an index."""
    words = (base, *index.split("_"))
    # db_out is a letter with an index, like dW_out
    is_a_letter = base.lower() in _LOWER.split() or base.startswith("d") and len(base) == 2
    return not is_a_letter and all(word.islower() and _is_a_word(word) for word in words)


def _is_a_word(index: str) -> bool:
    return len(index) > 1 and not index.isdecimal()
