"""Finds the readings of a formula with an error or in the notation of papers, by the names and shapes in its file.

In papers, a text can have several readings: a flat list is a row or a column, and A^2 is a power of the matrix or of
its entries. These are the steps to a suggestion:

1. `formula/compat` writes the text in Python's syntax, in each grouping that textbooks use.
2. If the formula is NumPy's, it is replaced by a formula that gives NumPy's numbers (`dimensions.py`).
3. Otherwise, `PaperReading` reads each tree once for each combination of answers to QUESTIONS. It replaces names by
   names in the file, and each operation by a form that fits. `index_notation.py` reads Σ_j A_ij.
4. Each reading has a `Rank`. `readings` returns the readings closest to the text, all or none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache, reduce
from string import ascii_lowercase
from typing import NamedTuple

from ..errors import FormulaError, shorten
from ..formula.compat.foreign_functions import foreign_functions, meanings
from ..formula.compat.index_notation import Reader, Unreadable
from ..formula.compat.library_calls import ALIASES, REDUCED
from ..formula.compat.meanings import MEANINGS
from ..formula.compat.paper_grammar import FROM_ONE, LETTER, OUTER, SOLVE, TIMES
from ..formula.compat.paper_notation import has_dotted_signs, has_primes, quoted, without_latex
from ..formula.functions import functions
from ..formula.parser import RESERVED, Reading, as_pasted, pasted
from ..formula.syntax_errors import LATIN
from ..formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Slice,
    Source,
    Text,
    Transpose,
    Tree,
    is_comparison,
    is_condition,
    names,
    places,
    rewrite,
    substitute,
    transposed,
    unparse,
    walk,
)
from .dimensions import dimensions, norm_with_p, translations
from .formula_sizes import (
    BY_ROWS,
    ENTRYWISE,
    OF_TOKENS,
    Context,
    Shape,
    Size,
    Sizes,
    each_of,
    is_column,
    is_concat,
    is_join_of_papers,
    is_row,
    operands,
    stretched,
)
from .matlab_meaning import along_dimension, index_from_one, matlab_call, matlab_meaning, parts_of_index
from .truth_values import is_mask, joins_numbers, truth_values

LONGEST_NAME = 40  # characters; longer names are not split
MOST_TRIED = 48
SELECTS = "selects entries in MATLAB, but in attncalc the shape of a result cannot depend on the numbers"
MOST_READINGS = 3  # with more readings, there is no suggestion
_OF_KEYS = ("K", "Q", "W_K", "W_Q")
WIDTHS = {
    "d_k": _OF_KEYS, "d_q": ("Q", "K", "W_Q", "W_K"), "d_v": ("V", "W_V"), "d_model": ("X", "H", "E"),
    "d_head": _OF_KEYS, "head_dim": _OF_KEYS, "d": ("K", "Q", "X"),
}  # fmt: skip
POWERS = tuple("23456789")  # powers of a matrix that are written as products
_STACKED = {"hstack": "vstack", "vstack": "hstack"}  # transposing the matrices exchanges both functions

_SUMS = ("sum", "mean", "total")

# Questions about the notation of papers, with their answers. The first answer is the literal meaning.
QUESTIONS = {
    "as in MATLAB": "are A^2 and sum(A) calculated as in NumPy or as in MATLAB?",
    "axis": "does a softmax work on each token or along the axis of the queries?",
    "bars": "does |x| mean absolute values, or a length or determinant?",
    "below": "does [A, B] put matrices side by side or below each other?",
    "brackets": "is (p + t)[1 - t] a product or an index?",
    "columns first": "is sum(A) the sum of each column, as in MATLAB, or of all entries?",
    "concat": "does Concat join features or tokens?",
    "count": "if matrices have different numbers of tokens, which of these numbers is n?",
    "count from": "is x_1 the first entry or the second entry?",
    "dagger": "does A† mean the transpose of A or the inverse of A?",
    "dot": "is A · B the matrix product or the product entry by entry?",
    "dotted": "is x · σ(x) the inner product or the product entry by entry?",
    "entry by entry": "are γ X and X σ(X) matrix products or products entry by entry?",
    "function": "is t(A) a product with the given t or a function?",
    "inner or outer": "is q_i^T k_j the product of columns or of rows? One is an inner product, the other an outer "
    "product",
    "join": "does [A; B] put matrices below each other or side by side?",
    "limit": "is n in Σ_{j=1}^n the number of terms, or the value that n has elsewhere?",
    "listed": "does [X W] put matrices side by side, or is it a product in brackets?",
    "lists": "does A[[0, 2], [1, 0]] select entries or a block?",
    "lists as columns": "is a flat list a row or a column?",
    "meaning": "is H(p) an entropy in nats or in bits?",
    "norm of entries": "is ‖A‖_∞ the norm of a matrix or the largest entry?",
    "norm": "is ‖Q‖ the length of each token or of the whole matrix?",
    "number above": "is W^2 a power or the given W_2?",
    "of entries": "if the text has no other sign for products, are A * B and A^2 matrix operations, or entry by entry?",
    "power": "is X^2 of a square matrix X X or the square of each entry?",
    "repeated index": "is A_ij x_j a product entry by entry, or summed over j by Einstein's convention?",
    "side by side": "if x and y are vectors, is x y the product entry by entry or the inner product?",
    "T": "is X^T the transpose or a power with the given T?",
    "times": "is A × B the matrix product or the product entry by entry?",
    "turn": "if a product does not fit, is its second factor or its first factor transposed?",
    "width": "if matrices have different widths, which width is d_k?",
}

# Distances of a reading from the text. It fits, or it broadcasts operands in a way that papers never use, or it changes
# the text.
FITS, STRETCHED, CHANGED = range(3)


class Rank(NamedTuple):
    """The rank of a reading. `readings` returns only the readings with the smallest distance, sorted by rank."""

    distance: int
    names: int  # minus the number of names of the file that are also names of functions
    power_of_scores: bool
    columns: int  # 1 if flat lists are columns


def readings(trees: Sequence[Tree], context: Context, written: str = "") -> list[Reading]:
    """Return the readings of a formula that fit best, the literal reading first; an empty list if no reading fits.

    `trees` are the trees of the text. `written` is the text if it is in the notation of papers. Raises FormulaError if
    the text has too many readings.
    """
    sizes = Sizes(context)
    # In NumPy, & and | combine bits, which the formula language cannot do. In MATLAB, they combine truth values
    trees = [tree for tree in trees if _has_primed_names(tree) or not joins_numbers(tree, context)]
    if not written and trees and (translated := _of_numpy(trees, sizes)) is not None:
        return translated
    ranks: dict[Tree, Rank] = {}
    of_euler = _of_euler(trees, sizes) if written else []
    for tree in [*trees, *of_euler]:
        try:
            for reading, rank in _ranked(tree, sizes, written):
                ranks[reading] = min(rank, ranks.get(reading, rank))
        except FormulaError:
            if tree in of_euler or not of_euler:  # otherwise, the reading with Euler's number may have no error
                raise
    order = sorted(ranks, key=ranks.__getitem__)
    best = [reading for reading in order if ranks[reading].distance == ranks[order[0]].distance]
    if len(best) > MOST_READINGS and written:
        message = f"this formula can be read in {len(best)} ways; use brackets, and @ or * between factors"
        raise FormulaError(message)
    if len(best) > MOST_READINGS or len(best) > 1 and any(sizes.shape(tree) is None for tree in best):
        return []
    if any(map(_adds_dimension, (part for each in trees for part in walk(each)))):
        best = [_without_warning(reading, sizes) or reading for reading in best]
    return [Reading(tree, sizes.shape(tree)) for tree in best]


_EULER = Call("exp", (Number("1"),))


def _of_euler(trees: Sequence[Tree], sizes: Sizes) -> list[Tree]:
    """Return the formulas that have powers of the file's e, with powers of Euler's number instead."""

    def as_euler(part: Tree) -> Tree | None:
        match part:
            case Binary("**", Name("e") as base, exponent) if sizes.shape(base):
                return part.but(left=_EULER, right=rewrite(exponent, as_euler))
        return None

    return [other for tree in trees if (other := rewrite(tree, as_euler)) != tree]


def _as_exclusive_or(power: Binary) -> str:
    """Return the warning about `M ^ N` for two masks, which is a power on paper and the exclusive or in Python."""
    differ = pasted(Binary("!=", power.left, power.right))
    return f"^ is a power; in Python, ^ between two masks is XOR; for XOR, write {differ}"


def _as_exp(part: Tree) -> Tree | None:
    match part:
        case Binary("**", base, exponent) if base == _EULER:
            return Call("exp", (rewrite(exponent, _as_exp),), (), part.at)
    return None


def _is_power_of_scores(tree: Tree, sizes: Sizes) -> bool:
    """Return whether a formula has an improbable power of the file's e. In this power, e is a matrix, or the exponent
    contains e.
    """
    size = sizes.shape(Name("e"))
    powers = [part for part in walk(tree) if isinstance(part, Binary) and part.operator == "**"]
    above = [part.right for part in powers if part.left == Name("e")]
    return size is not None and any("e" in names(each) or names(each) and size != (1, 1) for each in above)


def _without_warning(form: Tree, sizes: Sizes) -> Tree | None:
    """Return the form, perhaps with `flat(x).T` (certainly a column) instead of `x.T`, if it causes no warning.
    Otherwise return None.
    """

    def as_certain_column(part: Tree) -> Tree | None:
        match part:
            case Transpose(a) if is_row(sizes.shape(a)):
                return Transpose(Call("flat", (a,)), part.at)
        return None

    for tree in (form, rewrite(form, as_certain_column)):
        shown = as_pasted(tree)
        if not dimensions(shown, sizes.context).warnings and not truth_values("", shown, sizes.context):
            return tree
    return None


def _adds_dimension(part: Tree) -> bool:
    """Return whether a part is an index such as `x[None]` or `x[:, None]`."""
    return isinstance(part, Index) and Name("none") in (part.rows, part.columns)


def _has_primed_names(tree: Tree) -> bool:
    return any(name.endswith("'") for name in names(tree))


def _of_numpy(trees: Sequence[Tree], sizes: Sizes) -> list[Reading] | None:
    """Return a formula that gives NumPy's numbers, for a formula with an error. Return None if the formula may be in
    another notation. Return an empty list if the formula is from a library, and each translation would cause a warning.
    """
    (tree,) = trees
    if sizes.shape(tree) is not None:
        return None
    fitting = PaperReading(sizes, "", {})
    try:
        spelled = rewrite(tree, fitting.spell)
    except Unreadable:  # an index that does not exist if indices count from 1
        return None
    is_foreign = fitting.matlab or fitting.primed or fitting.side_by_side
    if fitting.asked or is_foreign or not names(spelled) <= names(tree) | RESERVED | {"none"}:
        return None  # in the notation of papers
    forms = translations(spelled, sizes)
    silent = [form for each in forms if (form := _without_warning(each, sizes)) is not None]
    if len(forms) > 1:  # the value is one-dimensional; forms that later steps recognise as one-dimensional come first
        silent.sort(
            key=lambda form: is_column(sizes.shape(form)) and not dimensions(as_pasted(form), sizes.context).kind
        )
    sound = [Reading(form, sizes.shape(form)) for form in silent]
    is_copied = any(part.source.library or part.source.joined or _adds_dimension(part) for part in walk(spelled))
    return [*sound[:1], *_as_on_paper(spelled, sound[0], sizes)] if sound else [] if is_copied else None


def _as_on_paper(tree: Tree, in_numpy: Reading, sizes: Sizes) -> list[Reading]:
    """Return the reading in which flat lists are columns, if NumPy combines a row and a column to a matrix. An example
    is A @ x - c with a column c.
    """

    def upright(part: Tree) -> Tree | None:
        return Transpose(part, part.at) if isinstance(part, Name) and is_row(sizes.shape(part)) else None

    def crosses(part: Tree) -> bool:
        if not isinstance(part, Binary) or part.operator == "@":
            return False
        extents = [sizes.shape(operand) for operand in (part.left, part.right)]
        return any(map(is_row, extents)) and any(map(is_column, extents))

    on_paper = rewrite(tree, upright)
    shape = sizes.shape(on_paper)
    is_crossed = [any(map(crosses, walk(each))) for each in (tree, in_numpy.tree, on_paper)]
    return [Reading(on_paper, shape)] if shape is not None and is_crossed == [False, True, False] else []


def _ranked(tree: Tree, sizes: Sizes, written: str) -> Iterator[tuple[Tree, Rank]]:
    """Yield each reading of a tree that fits, with its rank. Each combination of answers is tried."""
    tree_names = {part.name for part in walk(tree, operands) if isinstance(part, Name)}
    if any(is_function(name) and not is_known(name, sizes) for name in tree_names):
        return  # a name of a function without its brackets
    tried: list[dict[str, int]] = [{}]
    for chosen in tried:
        reading = PaperReading(sizes, written, dict(chosen))
        read = reading.whole(tree)
        for k, (question, answers) in enumerate(opened := list(reading.asked.items())):
            before = dict.fromkeys((name for name, _ in opened[:k]), 0)
            if len(tried) < MOST_TRIED:
                tried += [chosen | before | {question: answer} for answer in range(1, answers)]
        if read is None:
            continue
        unknown = [name for name in names(read) if not sizes.shape(Name(name))]
        if not sizes.shape(read) and not all(_is_written(name, written) for name in unknown):
            continue
        if (distance := reading.distance(read)) is not None:
            meant = rewrite(read, _as_exp)
            columns = reading.answers.get("lists as columns", 0)
            yield meant, Rank(distance, -len(_functions_named(meant)), _is_power_of_scores(meant, sizes), columns)


def is_function(name: str) -> bool:
    """Return whether a name is also the name of a function, or Σ."""
    return name in functions() or name in ALIASES or name == LETTER


def _functions_named(tree: Tree) -> set[str]:
    """Return the names in a formula that are also names of functions, or Σ."""
    return {name for name in names(tree) if any(map(is_function, (name, *respelled(name))))}


def is_epsilon(tree: Tree) -> bool:
    """Return whether a formula is a name for ε, the small number in a normalisation layer."""
    return isinstance(tree, Name) and tree.name.partition("_")[0] in ("eps", "epsilon", "ε")


def is_known(name: str, sizes: Sizes) -> bool:
    """Return whether the file has this name, perhaps with another spelling of its Greek letter."""
    return any(sizes.shape(Name(spelling)) for spelling in (name, *respelled(name)))


def _is_written(name: str, written: str) -> bool:
    """Return whether an unknown name is in the author's text. Other unknown names are not reported."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w'.])", without_latex(written)) is not None


def is_inner(tree: Tree, shape: Shape, inner: Collection[str]) -> bool:
    """Return whether a formula is a single number that is a product of vectors, perhaps with other factors and terms.
    `inner` contains the names of steps with this property.
    """
    match tree:
        case Name(name):
            return name in inner
        case Binary("@", a, _):
            return shape(tree) == (1, 1) != shape(a)
        case Binary("+" | "-" | "*" | "/", a, b):
            return shape(tree) == (1, 1) and (is_inner(a, shape, inner) or is_inner(b, shape, inner))
        case Negate(a) | Transpose(a):
            return is_inner(a, shape, inner)
        case Call(function, (a,), ()) if function in ENTRYWISE:
            return is_inner(a, shape, inner)
    return False


# Patterns that identify the notation of a text
_MARKS = {
    "paper": "(?<![.])[\\^⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ⊤\\\\]", "T above": r"\^\s*(T\b|\{\s*T\s*\})", "bars": r"\|\||‖|\\\|",
    "dots": r"[·⋅∙•]|\\cdot", "signs of products": r"@|[·⋅∙•]|\\cdot|\s\.\s",
    "upright bars": r"(?<![|\\])\|(?!\|)|\\[lr]?vert", "brackets": r"(?<![\w)\]'])\[", "commas": r"\[[^\]]*,",
    "semicolons": r"\[.*(;|‖|\|\||\\\||\\[lr]?Vert).*\]",
    "mixed products": r"\[(?=[^\]]*[*@·])[^\[\]]*[\w)']\s+[\w(]",  # [X*W b]
    "blocks": r"\[[^\[\]]*;[^\[\]]*\]|\[\s*\]", "keywords": r"\b(?:axis|dim)\s*=", "powers": r"\^",
    "first power": r"\^\s*(?:1|\{\s*1\s*\})(?![\w.])",
    # Functions that work along columns in MATLAB, for texts in which ^ may be MATLAB's
    "reductions": rf"(?<![\w.\\])(?:diag|{'|'.join(REDUCED)})\(",
    "foreign signs": r"\\|\^\s*\{?\s*T|\.T\b|[^\x00-\x7f]",
}  # fmt: skip


@lru_cache(maxsize=64)
def _marks(written: str) -> frozenset[str]:
    """Return the names of the patterns that match a text."""
    of_matlab = {"dotted signs": has_dotted_signs(written), "primes": has_primes(written)}
    texts = {"commas": re.sub(r"\([^()]*\)", "", written)}  # commas between arguments are ignored
    marks = {mark for mark, pattern in _MARKS.items() if re.search(pattern, texts.get(mark, written))}
    return frozenset(marks).union(mark for mark, is_there in of_matlab.items() if is_there)


class PaperReading:
    """A reading of a formula, for given answers to questions. Other questions get their first answer."""

    def __init__(self, sizes: Sizes, written: str, answers: dict[str, int]):
        self.sizes = sizes
        self.context = sizes.context
        self.shape = sizes.shape
        self.written = written
        self.marks = _marks(written)
        self.side_by_side = bool(written) and not self.has("signs of products")
        self.dotted = self.has("dots")
        defined = re.match(r"\s*\\?\w+?_\{?([a-z]{1,2})\}?\s*=(?!=)", written)
        self.left = defined[1] if defined else ""
        self.broken = sizes.context.broken
        self.columns = sizes.context.columns
        self.answers = answers
        self.asked: dict[str, int] = {}
        self.matrices: list[Name] = []  # the names of the matrices in the formula
        self.words: dict[str, list[Tree]] = {}  # words that consist of adjacent names, with these names
        self.keys_first = False  # whether tokens are columns and each column of the scores belongs to a query
        self.primed = self.has("primes")  # MATLAB's X' is X.T
        self.matlab = self.context.matlab or bool(self.marks & {"dotted signs", "primes", "blocks"})
        self.starred = False  # whether * may mean the matrix product, because the formula has no other sign for it
        self.listed = self.marks >= {"brackets"} and not self.has("commas")
        self.changed = False  # whether the reading changes the text of the formula
        self.unlikely = False  # whether other readings that fit have priority
        self.sums = 0  # the number of sums around the part; inside a sum, products of vectors are entrywise

    def has(self, mark: str) -> bool:
        """Return whether this pattern matches the text."""
        return mark in self.marks

    def ask(self, question: str, about: str = "", answers: int = 2) -> int:
        """Return this reading's answer to one of QUESTIONS, from 0 to `answers` − 1.

        The answer is the same in the whole formula. With `about`, each name or part has its answer.
        """
        assert question in QUESTIONS, question
        question += about and f" {about}"
        if question not in self.answers:
            self.asked[question] = answers
            self.answers[question] = 0
        return min(self.answers[question], answers - 1)

    def whole(self, tree: Tree) -> Tree | None:
        """Return the formula in this reading; None if another reading gives the same formula."""
        written = dict.fromkeys(part.name for part in walk(tree, operands) if isinstance(part, Name))
        self.matrices = [Name(name if self.shape(Name(name)) else name.partition("_")[0]) for name in written]
        self.matlab |= any(part.name == SOLVE for part in walk(tree) if isinstance(part, Name))
        self.primed |= any(name.endswith("'") and self.is_transposed(name) for name in written)
        self.matlab |= self.primed
        self.starred = not _has_products(tree)
        has_powers = self.marks >= {"powers", "reductions"} and not self.has("foreign signs")
        self.matlab |= has_powers and bool(self.ask("as in MATLAB"))
        self.keys_first = self.columns and self.context.keys_first(tree)
        try:
            indices = Reader(tree, self)
            return indices.read(tree) if indices.is_indexed(tree) else self.fitted(tree)
        except Unreadable:
            return None

    def fitted(self, tree: Tree) -> Tree | None:
        """Return a formula without indices in this reading; None if another reading gives the same formula."""
        spelled = rewrite(tree, self.spell)
        self.matlab |= self.primed
        lists = [part for part in walk(spelled, operands) if isinstance(part, Name) and self.is_row(part)]
        upright = any(map(_adds_dimension, walk(spelled)))
        if not lists or upright or not self.ask("lists as columns"):
            return self.tree(spelled)
        self.changed |= not self.written and not self.primed and self.shape(spelled) is None
        inside, turned = self.with_columns(spelled)
        read = self.tree(inside)
        if not turned:
            return read
        return None if read == self.tree(spelled) else Transpose(read)

    def is_transposed(self, name: str) -> bool:
        """Return whether a name is unknown and its primes are MATLAB's transposes of a known name."""
        return not self.shape(Name(name)) and self.shape(Name(name.rstrip("'"))) is not None

    def tree(self, tree: Tree) -> Tree:
        return rewrite(tree, self.change)

    def distance(self, tree: Tree) -> int | None:
        """Return the distance of this reading from the text; None if the formula does not fit."""
        far = FITS
        for part in walk(tree, operands):
            if self.shape(part) is None and self.sizes.is_known(part):
                return None
            match part:
                case Binary("+" | "-" | "*" | "/" as sign, a, b):
                    m, n = self.shape(a), self.shape(b)
                    if m and n and m != n and not (self.matlab and self.is_literal):
                        far = STRETCHED if self.is_odd(sign, (a, m), (b, n)) else far
        return far + (CHANGED if self.changed else FITS) + (STRETCHED if self.unlikely else FITS)

    def is_odd(self, sign: str, left: tuple[Tree, Size], right: tuple[Tree, Size]) -> bool:
        """Return whether an operand is broadcast in a way that papers never use.

        There are three cases:

        - a product of vectors that is a single number (except as a factor)
        - a row over a column
        - a vector along the axis of the tokens
        """
        (small, less), (_, other) = sorted((left, right), key=lambda part: part[1][0] * part[1][1])
        if less == (1, 1):
            is_term = sign in "+-" or sign == "/" and small is left[0]
            return is_term and is_inner(small, self.shape, self.context.inner)
        if self.is_literal and isinstance(small, Transpose):
            return False
        if less == other[::-1]:
            return True
        across = less[0 if self.columns else 1] == 1 and min(other) > 1
        return across and any(self.is_row(part) for part in walk(small, operands) if isinstance(part, Name))

    @property
    def is_literal(self) -> bool:
        """Whether flat lists are rows, as in the formula language."""
        return not self.answers.get("lists as columns", 0)

    # -- for formulas with indices -------------------------------------------------------------------------------------

    by_entry = ENTRYWISE
    by_row = frozenset(BY_ROWS)
    named_sizes = frozenset(WIDTHS)

    def plain(self, tree: Tree) -> Tree:
        """Return this reading of a part without indices."""
        return self.tree(rewrite(tree, self.spell))

    def number(self, tree: Tree) -> int | None:
        """Return the integer value of a formula if numbers in the file determine it, otherwise None."""
        node = self.sizes.node(tree)
        value = None if node is None else node.static
        return int(value) if value is not None and value.denominator == 1 else None

    def known(self, name: str) -> Name | None:
        """Return the name in the file with this spelling, or with another spelling of its Greek letter; otherwise
        None.
        """
        spellings = (name, *respelled(name))
        return next(
            (Name(spelling) for spelling in spellings if self.shape(Name(spelling)) or self.broken(spelling)), None
        )

    # -- names -------------------------------------------------------------------------------------------------------

    def spell(self, part: Tree) -> Tree | None:
        """Return the replacement of a part, with the source of the part; None if nothing is replaced."""
        replacement = self.spelled(part)
        return replacement and replacement.keeping(part.source)

    def spelled(self, part: Tree) -> Tree | None:
        """Return the replacement of a part, without a source; None if nothing is replaced.

        An unknown name becomes a product of names in the file. Notations of libraries, MATLAB and papers are
        translated.
        """
        match part:
            case Transpose(inside) | Call(_, (inside,), ()) if (
                named := self.known(part.source.called)
            ) and not self.ask("function", named.name):
                return Binary("@", named, rewrite(inside, self.spell), part.at)
            case Binary("@", Binary("@", a, Name(sign)), b) if sign in (OUTER, SOLVE, TIMES):
                return self.signed(sign, rewrite(a, self.spell), rewrite(b, self.spell), part.at)
            case Name(name) if name[-1:] == "'" and not self.shape(part) and not self.broken(name):
                base = Name(name.rstrip("'"), part.at)
                self.primed |= self.shape(base) is not None  # set here too, for formulas of which only parts are read
                is_transpose = (len(name) - len(base.name)) % 2  # MATLAB's X'' is X again
                return (Transpose(base, part.at) if is_transpose else base) if self.shape(base) else None
            case _ if (replacement := self.notation(part)) is not None:
                return replacement
            case Transpose() | Binary("**") | Index() if (product := self.glued(part)) is not None:
                return product
            case Name(name) if pieces := self.pieces(name):
                return _product(pieces)
            case Binary("@", a, Name(name)) | Binary("*", Number() as a, Name(name)) if (
                len(pieces := self.pieces(name)) > 1
            ):  # as in 2λX
                return _product([rewrite(a, self.spell), *pieces])
            case Call(name) if name not in functions() and (apart := self.before_function(name)) is not None:
                before, function = apart  # sin(x) after s without a space
                return Binary("@", before, rewrite(part.but(function=function), self.spell), part.at)
            case Call(name, (inside,), ()) if self.is_factor(part):
                self.side_by_side = True
                return Binary("@", self.known(name) or Name(name), rewrite(inside, self.spell), part.at)
            case Index():
                return self.spelled_index(part)
        return None

    def notation(self, part: Tree) -> Tree | None:
        """Return the formula for a part that libraries, MATLAB or papers write differently; None for other parts."""
        match part:
            case Index(Call(function, (a,)), rows, columns) if function == FROM_ONE:
                return self.from_one(rewrite(a, self.spell), rows, columns, part.at)
            case Index(a, rows, columns) if any(Name("end") in parts_of_index(item) for item in (rows, columns)):
                return self.from_one(rewrite(a, self.spell), rows, columns, part.at)
            case Call(name, (row, *column), ()) if len(column) < 2 and self.is_place_of_matlab(name, [row, *column]):
                return self.from_one(self.known(name) or Name(name), row, next(iter(column), None), part.at)
            case Call("dagger", (a,), ()) if not self.known("dagger"):
                return self.daggered(rewrite(a, self.spell), part.at)
            case Binary("**", a, Name("H")) if not self.known("H"):  # the Hermitian transpose of a real matrix
                return Transpose(rewrite(a, self.spell), part.at)
            case Name(name) if name.endswith(".H") and not self.shape(part) and self.known(name.removesuffix(".H")):
                return Transpose(self.known(name.removesuffix(".H")) or part, part.at)
            case Call("layer_norm" | "rms_norm", (a, *others), options) if eps := [x for x in others if is_epsilon(x)]:
                kept = tuple(rewrite(x, self.spell) for x in (a, *others) if x not in eps)
                return part.but(arguments=kept, options=(*options, ("eps", eps[0])))
            case Call("norm", (a, *_)) if not part.source.library and (replacement := self.length(part, a)) is not None:
                return replacement
            case Call(_, (_, *others)) if (meant := along_dimension(part)) and (others != [Number("1")] or self.matlab):
                self.matlab = True
                return rewrite(meant, self.spell)
            case Call():
                return self.meaning(part)
        return None

    def spelled_index(self, part: Index) -> Tree | None:
        """Read square brackets: an index with lists or labels, or a factor in brackets."""
        match part:
            case Index(Number("1"), Binary() as condition, None) if is_comparison(condition):
                return rewrite(condition, self.spell)
            case Index(Call("hstack", (a,)) | (Binary() as a), Binary("+" | "-") as b, None):  # [1 - p][1 - t]
                if a is not part.operand or not self.ask("brackets"):
                    self.side_by_side = True
                    return Binary("@", rewrite(a, self.spell), rewrite(b, self.spell), part.at)
            case Index(a, rows, columns) if (first := places(rows)) is not None and (
                second := places(columns)
            ) is not None:
                operand = rewrite(a, self.spell)
                entries = _single_entries(operand, first, second, part.at)
                if entries is not None and not self.ask("lists"):
                    return entries
                return Index(Index(operand, rows, None), Slice(None, None), columns, part.at)  # a block in R and Julia
            case Index(a) if (node := self.sizes.node(a)) is not None:
                replacement = quoted(part, node.rows, node.columns, lambda name: self.shape(name) is None)
                return None if replacement == part else replacement
        return None

    def daggered(self, a: Tree, at: int) -> Tree:
        """Read A†. Raises FormulaError for a pseudo-inverse, which the formula language does not have."""
        if not self.is_square(a):
            adjoint = pasted(Transpose(a))
            raise FormulaError(f"the pseudo-inverse is not in the formula language; the transpose is {adjoint}", at)
        return Call("inverse", (a,), (), at) if self.ask("dagger") else Transpose(a, at)

    def is_place_of_matlab(self, name: str, items: Sequence[Tree]) -> bool:
        """Return whether a call is an index of MATLAB, as in A(2, 1), x(2) and A([1 3], k). In A(k), k is a factor."""
        if name in functions() or not is_known(name, self.sizes):
            return False
        listed = [place for item in items for place in (places(item) or (item,))]
        single = len(items) == 1 and listed == [*items]
        return all(
            isinstance(place, Number)
            or Name("end") in parts_of_index(place)
            or not single
            and self.shape(place) == (1, 1)
            for place in listed
        )

    def from_one(self, a: Tree, rows: Tree | Slice, columns: Tree | Slice | None, at: int) -> Tree:
        """Read an index of MATLAB or Julia, which counts from 1 and may contain `end`. Raises Unreadable if there is
        no such index.
        """
        self.matlab = True
        if (size := self.shape(a)) is None:
            raise Unreadable
        return index_from_one(a, size, rows, columns, self.number).but(at=at)

    def glued(self, part: Tree) -> Tree | None:
        """Read a transpose, a power or an index after adjacent letters. In `AB^2`, the power belongs to B. `W^Q` is the
        name W_Q.
        """
        match part:
            case Binary("**", Name(base), Name(above) | Number(above)) if self.shape(
                raised := Name(f"{base}_{above}", part.at)
            ) and self.is_number_above(base, above):
                return raised
        inner = operands(part)[0]
        if inner.at != part.at:  # the letters are in brackets
            return None
        match inner:
            case Name(name) if pieces := self.pieces(name):
                *before, last = pieces
            case Call(name, (a,), ()) if self.is_factor(inner):
                before, last = [self.known(name) or Name(name)], rewrite(a, self.spell)
            case Transpose() | Binary("**") | Index() if (product := self.glued(inner)) is not None:
                *before, last = _factors(product)
            case _:
                return None
        match part:
            case Transpose():
                last = Transpose(last, part.at)
            case Binary("**", _, power):
                last = Binary("**", last, rewrite(power, self.spell), part.at)
            case Index():
                last = part.but(operand=last)
        return _product([*before, last])

    def is_number_above(self, base: str, above: str) -> bool:
        """Return whether W^2 means W_2, for layer 2, and not a power. W^1 is never a power in papers."""
        if not self.shape(Name(base)) or above == "1":
            return True
        return above.isdecimal() and self.has("powers") and (self.has("first power") or bool(self.ask("number above")))

    def meaning(self, call: Call) -> Tree | None:
        """Return the formula that replaces a call of a library or of a paper; None for other calls."""
        if call.function not in MEANINGS or self.shape(Name(call.function)):
            return None
        spelled = call.but(arguments=tuple(rewrite(argument, self.spell) for argument in call.arguments))
        formulas = meanings(spelled, self.is_row)
        fitting = [formula for formula in formulas if self.shape(formula)] or formulas
        return (
            fitting[self.ask("meaning", call.function, len(fitting))] if len(fitting) > 1 else next(iter(fitting), None)
        )

    def before_function(self, name: str) -> tuple[Tree, str] | None:
        """Split a name that is a name of the file followed by a function, as in `sexp(x)`. Return None for other
        names.
        """
        for cut in range(1, len(name) if name not in foreign_functions() else 0):
            if name[cut:] in functions() and self.shape(Name(name[:cut])):
                return Name(name[:cut]), name[cut:]
        return None

    def is_factor(self, call: Call) -> bool:
        """Return whether the syntax of a call means the product of a matrix and a formula in brackets."""
        (inside,) = call.arguments
        is_name = call.function not in functions() and is_known(call.function, self.sizes)
        if is_name and isinstance(inside, Binary) and is_comparison(inside):
            zeros = pasted(Binary("*", Name(call.function), inside))
            raise FormulaError(
                f"{shorten(unparse(call))} {SELECTS}; to set the other entries to 0, write {zeros}", call.at
            )
        return is_name and not isinstance(inside, Number)

    def length(self, norm: Call, a: Tree) -> Tree | None:
        """Return the formula of a norm with an index p, in the notation of papers or MATLAB. Raises FormulaError if the
        formula language does not have this norm of a matrix.
        """
        given = [*norm.arguments[1:], *(value for name, value in norm.options if name in ("p", "axis"))]
        if not given and self.matlab and not self.has("bars"):
            given = [Number("2")]
        if len(given) != 1 or given[0] in (Text("rows"), Text("columns"), Text("all")):
            return None
        inside = rewrite(a, self.spell)
        if self.matlab and given[0] == Text("fro"):
            return norm.but(arguments=(inside,), options=(("axis", Text("all")),))
        size = self.shape(self.tree(inside))
        is_matrix = size is not None and min(size) > 1
        of_matrices = (self.matlab or self.primed) and is_matrix
        if is_matrix and not of_matrices and given[0] in (Number("1"), Name("inf"), Name("Inf")):
            of_matrices = not self.ask("norm of entries")
            size = size if of_matrices else None
        return norm_with_p(inside, given[0], size, of_matrices, norm.at)

    def signed(self, sign: str, a: Tree, b: Tree, at: int) -> Tree:
        r"""Read `u ⊗ v`, MATLAB's `A \ b` and `A × B`."""
        return self.times(a, b, at) if sign == TIMES else Call(sign.removesuffix("_"), (a, b), (), at)

    def times(self, a: Tree, b: Tree, at: int) -> Tree:
        """Read `A × B`: the product of numbers, and the matrix product or the entrywise product of matrices. The
        product of vectors may be the cross product, which the formula language does not have.
        """
        m, n = self.size(a), self.size(b)
        if m is None or n is None or (1, 1) in (m, n):
            return Binary("*", a, b, at)
        if m == n and 1 in m:
            return Name(TIMES)
        return Binary("*" if m == n and (m[0] != m[1] or self.ask("times")) else "@", a, b, at)

    def pieces(self, name: str) -> list[Tree]:
        """Split a word such as `QK` or `q.k` into names of the file, or a word such as `θ_0` into a vector and an
        index.
        """
        if len(name) > LONGEST_NAME or self.shape(Name(name)) or self.broken(name):
            return []
        if other := next((Name(spelling) for spelling in respelled(name) if self.shape(Name(spelling))), None):
            return [other]
        base = Name(name.removesuffix(".size").removesuffix(".shape"))
        if base.name != name and self.shape(base):
            return [Binary("*", Call("rows", (base,)), Call("cols", (base,)))]
        if self.shape(layer := Name(name.replace("__", "_"))):
            return [layer]
        apart = [Name(piece) for piece in name.split(".")]
        if len(apart) == 2 and all(map(self.shape, apart)):
            return [*apart]
        if product := self.numbered(name) or self.width(name) or self.count(name):
            return [product]
        return self.letters(name)

    def letters(self, name: str) -> list[Tree]:
        """Split a word into names of the file. Short names are tried first. Return an empty list if this is
        impossible.
        """
        if name not in self.words:
            self.words[name] = []
            for cut in range(1, len(name)):
                left, right = Name(name[:cut]), Name(name[cut:])
                is_identity = right == Name("I") and not self.broken("I")
                second = right if self.shape(right) or is_identity else self.numbered(right.name)
                others = [second] if second is not None else self.letters(right.name)
                if others and self.shape(left):
                    self.words[name] = [left, *others]
                    break
        return self.words[name]

    def width(self, name: str) -> Tree | None:
        """Return the formula for the name of a width: d_k is cols(K), or rows(K) if tokens are columns. Return None if
        the file does not have this matrix. If possible matrices have different widths, each width is a reading.
        """
        known = [(shape, Name(given)) for given in WIDTHS.get(name, ()) if (shape := self.shape(Name(given)))]
        widths = {shape[not self.columns]: given for shape, given in reversed(known)}
        if not widths:
            return None
        choice = [*widths.values()][::-1]
        return Call("rows" if self.columns else "cols", (choice[self.ask("width", name, len(choice))],))

    def count(self, name: str) -> Tree | None:
        """Read n as the number of tokens, or of entries of a vector. Each possible number is a reading."""
        if name not in ("n", "N"):
            return None
        counted: dict[int, Tree] = {}
        for matrix in self.matrices:
            if (size := self.shape(matrix)) and size != (1, 1):
                along = size.index(max(size)) if 1 in size else int(self.columns)
                counted.setdefault(size[along], Call("cols" if along else "rows", (matrix,)))
        choice = [*counted.values()]
        return choice[self.ask("count", answers=len(choice))] if choice else None

    def numbered(self, name: str) -> Tree | None:
        """Read `x_1` as the first entry if indices count from 1, and as the second entry if they count from 0."""
        match = re.fullmatch(r"(.*?)_?([0-9]{1,3})", name)
        size = self.shape(Name(match[1])) if match and match[1] else None
        if match is None or size is None or 1 not in size or max(size) == 1 or int(match[2]) > max(size):
            return None
        place = Number(str(self.counted(int(match[2]), max(size))))
        return Index(Name(match[1]), Number("0"), place) if size[0] == 1 else Index(Name(match[1]), place, None)

    def counted(self, number: int, size: int) -> int:
        """Return the index from 0 for a number. In a reading, all numbers count from 1, or all from 0. Raises
        Unreadable if there is no such index.
        """
        place = number - (not self.ask("count from"))
        if not 0 <= place < size:
            raise Unreadable
        return place

    # -- flat lists as columns -----------------------------------------------------------------------------------------

    def with_columns(self, tree: Tree) -> tuple[Tree, bool]:
        """Return the formula with flat lists as columns, and whether its result must be transposed."""
        inside, turned = self.of_columns(tree)
        return inside.keeping(tree.source), turned

    def of_columns(self, tree: Tree) -> tuple[Tree, bool]:
        """Return the results of `with_columns`, but a formula without a source."""
        match tree:
            case Name():
                return tree, self.is_row(tree)
            case Negate(a):
                inside, turned = self.with_columns(a)
                return Negate(inside, tree.at), turned
            case Transpose(a):
                inside, turned = self.with_columns(a)
                return (inside if turned else Transpose(inside, tree.at)), False
            case Binary(sign, a, b):
                (first, turned), (second, turns) = self.with_columns(a), self.with_columns(b)
                together = turned and turns if sign != "@" else self.are_vectors(first, second) and turned and turns
                if together or turned and self.size(second) == (1, 1) or turns and self.size(first) == (1, 1):
                    inner = sign == "@" and together and not self.is_entrywise(a, b)
                    return _with(tree, first, second), not inner
                return _with(tree, _transposed_if(first, turned), _transposed_if(second, turns)), False
            case Call(function, arguments, options):
                self.sums += function in _SUMS
                pairs = [self.with_columns(first) for first in arguments]
                self.sums -= function in _SUMS
                alike = any(turned for _, turned in pairs) and all(
                    turned or self.size(first) == (1, 1) for first, turned in pairs
                )
                if function in _STACKED and alike:
                    return Call(_STACKED[function], tuple(first for first, _ in pairs), options, tree.at), True
                if function in ENTRYWISE or function in BY_ROWS and "axis" not in dict(options):
                    parts = tuple(first if alike else _transposed_if(first, turned) for first, turned in pairs)
                    return Call(function, parts, options, tree.at), alike
                if function in _STACKED:
                    self.changed |= not self.columns and any(turned for _, turned in pairs)
                    return Call(function, tuple(_transposed_if(*first) for first in pairs), options, tree.at), False
                kept = (
                    a if isinstance(a, Transpose) else first for a, (first, _) in zip(arguments, pairs, strict=True)
                )
                return Call(function, tuple(kept), options, tree.at), False
        return tree, False

    def size(self, tree: Tree) -> Size | None:
        return self.shape(self.tree(tree))

    def are_vectors(self, a: Tree, b: Tree) -> bool:
        """Return whether two formulas are vectors with the same shape."""
        m, n = self.size(a), self.size(b)
        return m is not None and m == n and 1 in m and m != (1, 1)

    def is_entrywise(self, a: Tree, b: Tree) -> bool:
        """Return whether the product of two adjacent vectors is entrywise, as in γ x and x · σ(x), not an inner
        product.
        """
        if self.dotted:
            return _of_entries(a, b) and bool(self.ask("dotted"))
        return self.side_by_side and (self.sums > 0 or not self.ask("side by side"))

    # -- operations ----------------------------------------------------------------------------------------------------

    def change(self, part: Tree) -> Tree | None:
        """Return the form of an operation in this reading, with its source; None if the operation does not change."""
        form = self.form(part)
        return form and form.keeping(part.source)

    def form(self, part: Tree) -> Tree | None:
        """Return the form of an operation without its source; None if the operation does not change."""
        if self.matlab and isinstance(part, Call) and (meant := self.in_matlab(part)) is not None:
            return meant
        match part:
            case Transpose(a) if self.is_by_row(a):
                return part
            case _ if self.is_by_row(part):
                return Transpose(part)
            case Call(name, (a, *others)) if self.columns and name in OF_TOKENS and self.is_of_columns(a):
                value = part.but(arguments=(transposed(self.tree(a)), *map(self.tree, others)))
                return Transpose(value) if OF_TOKENS[name] else value
            case Binary("@", a, b):
                is_chain = isinstance(a, Binary) and a.at == part.at  # there are no brackets around a
                return self.multiplied(self.tree(a), self.tree(b), is_chain)
            case Binary(sign, a, b) if part.source.entries:
                return _with(part, self.tree(a), self.tree(b))
            case Binary("**", a, b) if self.has("paper"):
                base = self.tree(a)
                return self.power(base, self.tree(b), part.at)
            case Call(name, (a, *_), options) if name in BY_ROWS and "axis" not in dict(options):
                return self.with_axis(part) if not part.source.axis or 1 in (self.size(a) or (1,)) else None
            case Call(name, arguments) if name in _SUMS:
                self.sums += 1
                inside = part.but(arguments=tuple(map(self.tree, arguments)))
                self.sums -= 1
                return inside
            case Transpose(a):
                base = self.tree(a)  # a square matrix to the power T would have no formula
                is_power = self.has("T above") and self.shape(Name("T")) and not self.is_square(base) and self.ask("T")
                return self.power(base, Name("T"), part.at) if is_power else transposed(base)
            case Call("abs", (a,), ()) if self.has("upright bars") and (other := self.in_bars(self.tree(a))):
                return Call(other if self.ask("bars") else "abs", (self.tree(a),), (), part.at)
            case Call("hstack" | "vstack", _, ()):
                return self.in_brackets(part)
            case Binary("/", a, b) if self.has("bars") and (
                lengths := self.lengths(self.shape(top := self.tree(a)), b)
            ):
                return Binary("/", top, lengths, part.at)
            case Binary("*" | "+" | "-" | "/" | "<" | "<=" | ">" | ">=" | "==" | "!=" as sign, a, b):
                return self.entrywise(sign, self.tree(a), self.tree(b), part.at)
            case Index():
                return self.indexed(part)
        return None

    def indexed(self, part: Index) -> Tree | None:
        """Read NumPy's `x[:, None]`, and an index that selects an entry or rows of a table."""
        match part:
            # NumPy's x[:, None] converts a flat list to a column
            case Index(a, Slice(None, None, None), Name("none")) if self.is_list(a):
                return Transpose(self.tree(a), part.at)
            case Index(a, Name("none"), Slice(None, None, None) | None) if self.is_list(a):
                return self.tree(a)
            case Index(a, row, None) if not isinstance(row, Slice | Text) and places(row) is None:
                return self.entry(part, a, row)
        return None

    def in_matlab(self, call: Call) -> Tree | None:
        """Return a formula with MATLAB's meaning of a function if it differs from the formula language, otherwise
        None.
        """
        if call.function in _STACKED:  # the factors in brackets may be matrices side by side
            return None
        if call.function in ("var", "std") and len(call.arguments) == 2:
            raise Unreadable  # a weight that the formula language does not have
        read = call.but(arguments=tuple(map(self.tree, call.arguments))).copied_from(call.source)
        if (meant := matlab_call(read, self.shape)) is not None:
            return meant
        meant = matlab_meaning(read, self.shape)
        is_of_paper = not self.is_literal  # a flat list is a column
        return None if meant is None or is_of_paper or self.ask("columns first") else meant

    def power(self, base: Tree, exponent: Tree, at: int) -> Tree:
        """Read a power: of a square matrix as a matrix power or entrywise, of other matrices entrywise. Raises
        FormulaError if the formula language does not have this power of a matrix.
        """
        by_entry = Binary("**", base, exponent, at)
        if is_mask(base, self.context) and is_mask(exponent, self.context):
            by_entry = by_entry.copied_from(Source(remark=_as_exclusive_or(by_entry)))
        if self.shape(base) == (1, 1) and self.is_square(exponent):
            known = f"{shorten(unparse(rewrite(by_entry, _as_exp)))} raises each entry to the power"
            raise FormulaError(
                f"on paper, a power with a square matrix as its exponent is a matrix exponential; {known}", at
            )
        if not self.is_square(base) or self.shape(exponent) != (1, 1) or exponent == Number("1"):
            return by_entry
        is_negative = isinstance(exponent, Negate)
        size = exponent.operand if isinstance(exponent, Negate) else exponent
        power = size.text if isinstance(size, Number) else ""
        if power not in ("0", "1", *POWERS):
            known = f"{shorten(unparse(by_entry))} raises each entry to the power"
            message = f"a matrix can be raised only to integer powers from -9 to 9; {known}"
            raise FormulaError(message, at)
        is_of_matrix = self.has("dotted signs") or self.answers.get("as in MATLAB", 0)
        about = "of entries" if self.starred else "dot" if self.dotted else "power"
        if power != "1" and not is_of_matrix and self.ask(about):
            return by_entry
        if power == "0":
            return Call("identity", (Call("rows", (base,)),), (), at)
        product = reduce(lambda product, again: Binary("@", product, again, at), [base] * int(power))
        return Call("inverse", (product,), (), at) if is_negative else product

    def multiplied(self, a: Tree, b: Tree, is_chain: bool) -> Tree:
        """Read a product of two factors. The first factor may itself be a product, as in A · B · c.

        If necessary, a factor is transposed. The product is entrywise if a factor is a number. It is an inner product
        if both factors are vectors of the same shape. Otherwise, it is the matrix product.
        """
        m, n = self.shape(a), self.shape(b)
        if (1, 1) in (m, n):
            return Binary("*", a, b, a.at)
        if self.dotted and self.is_by_dot(a, b, is_chain):
            self.changed |= not self.is_square(a)  # the same distance as the product with a transposed factor
            return Binary("*", a, b, a.at)
        entries = (self.side_by_side or self.dotted) and m == n and _of_entries(a, b)
        if m is None or n is None or m[1] == n[0]:
            is_gain = self.is_gain(a, b)
            if (entries and m and 1 not in m or is_gain) and self.ask("entry by entry"):
                return Binary("*", _transposed_if(a, is_gain and self.columns), b, a.at)
            return Binary("@", a, b, a.at)
        if entries and 1 not in m:
            return Binary("*", a, b, a.at)
        if m == n and 1 in m:
            if not isinstance(a, Transpose) and not isinstance(b, Transpose) and self.is_entrywise(a, b):
                return Binary("*", a, b, a.at)
            return Binary("@", a, transposed(b), a.at) if m[0] == 1 else Binary("@", transposed(a), b, a.at)
        turned = [("@", a, transposed(b))] * (m[1] == n[1]) + [("@", transposed(a), b)] * (m[0] == n[0])
        if not turned:
            return Binary("@", a, b, a.at)
        along = int(not self.columns)  # in γ X, γ has an entry for each feature
        is_gain = self.side_by_side and m[1 - along] == 1 < n[1 - along] and m[along] == n[along]
        ways = [("*", a, b)] * is_gain + turned
        sign, left, right = ways[self.ask("turn", answers=len(ways)) if len(ways) > 1 else 0]
        self.changed |= sign != "*" or not _is_named_gain(a)
        self.unlikely |= min(m) > 1 and m[1] != n[1] and not is_gain  # the transposed factor is a matrix, not a vector
        return Binary(sign, left, right, a.at)

    def is_by_dot(self, a: Tree, b: Tree, is_chain: bool) -> bool:
        """Return whether a product with a dot is entrywise in this reading. Raises Unreadable if a chain would have
        products of both kinds.
        """
        m, n = self.shape(a), self.shape(b)
        if m and m == n and min(m) > 1:
            return bool(self.ask("dot"))
        if self.answers.get("dot") and is_chain and self.is_of_entries(a):
            raise Unreadable
        return False

    def is_of_entries(self, tree: Tree) -> bool:
        """Return whether a formula is the entrywise product of two matrices."""
        return isinstance(tree, Binary) and tree.operator == "*" and (1, 1) not in map(self.shape, operands(tree))

    def is_gain(self, a: Tree, b: Tree) -> bool:
        """Return whether a row is called γ, as in a normalisation layer, and has an entry for each feature of a
        matrix.
        """
        m, n = self.shape(a) or (1, 1), self.shape(b) or (1, 1)
        return self.side_by_side and _is_named_gain(a) and is_row(m) and m[1] == n[not self.columns] and min(n) > 1

    def is_by_row(self, part: Tree) -> bool:
        """Return whether a part has a row for each query, position or token, although it needs a column for each."""
        if each_of(part):
            return self.columns
        return self.keys_first and self.context.is_mask_by_query(part)

    def is_of_columns(self, tree: Tree) -> bool:
        """Return whether the columns of a matrix are tokens, in a file with tokens as columns."""
        is_matrix = min(self.size(tree) or (1,)) > 1
        return is_matrix and not self.context.is_from_transpose(tree) and self.context.queries_first(tree) is not True

    def is_by_columns(self, scores: Tree) -> bool:
        """Return whether a softmax works on each column: its operand is a column, or tokens are columns. The names of
        queries and keys may lead to another result.
        """
        size = self.shape(scores)
        if size is not None and 1 in size:
            return is_column(size)
        first = self.context.queries_first(scores)
        if (
            first is None
            and self.columns
            and self.context.is_from_transpose(scores)
            and (not self.written or self.ask("axis") == 1)
        ):
            return False
        return self.columns != (first is self.columns and self.ask("axis") == 1)

    def with_axis(self, call: Call) -> Call:
        """Return a softmax or a norm of each token. If tokens are columns, it works on each column."""
        scores, *others = map(self.tree, call.arguments)
        options = tuple((option, self.tree(value)) for option, value in call.options)
        if not self.is_by_columns(scores):
            return call.but(arguments=(scores, *others), options=options)
        others = [self.of_features(other, scores) for other in others]
        turned = [(option, self.of_features(value, scores)) for option, value in options]
        return call.but(arguments=(scores, *others), options=(*turned, ("axis", Text("columns"))))

    def of_features(self, tree: Tree, tokens: Tree) -> Tree:
        """Return a flat γ or β of layer_norm as a column, if tokens are columns and it fits their features."""
        size, features = self.shape(tree), (self.shape(tokens) or (1,))[0]
        return transposed(tree) if is_row(size) and size == (1, features) else tree

    def in_brackets(self, call: Call) -> Tree:
        """Read `[X W]` as matrices side by side, as in MATLAB, or as a product in brackets. In `[X; W]`, W is below
        X.
        """
        if self.listed and self.has("mixed products"):
            raise Unreadable  # as in [X*W b], with two kinds of products
        if self.listed and self.side_by_side and any(len(_factors(argument)) > 1 for argument in call.arguments):
            rows = [Call("hstack", tuple(map(self.tree, _factors(argument)))) for argument in call.arguments]
            if not self.ask("listed"):
                return rows[0] if len(rows) == 1 else call.but(arguments=tuple(rows))
            if len(rows) == 1:
                return self.tree(call.arguments[0])
        made = call.but(arguments=tuple(map(self.tree, call.arguments)))
        below = made.but(function="vstack")
        if self.columns and is_concat(call) and self.shape(below) is not None:
            return made if self.shape(made) is not None and self.ask("concat") else below
        fits = self.shape(below) is not None and self.shape(made) is not None
        if not self.columns and is_join_of_papers(call) and fits and self.ask("below", unparse(call)):
            self.unlikely = True  # this concatenates tokens, as for a cache
            return below
        return self.joined(made, _STACKED[call.function])

    def joined(self, call: Call, other: str) -> Call:
        """Read `[A; B]` as matrices below each other or side by side. Other concatenations change only if nothing else
        fits.
        """
        sizes = [self.shape(part) for part in call.arguments]
        if self.shape(call) is not None:
            is_nearby = self.has("semicolons") and self.is_either(sizes) and self.ask("join")
            return call.but(function=other) if is_nearby else call
        if None in sizes or self.shape(call.but(function=other)) is None:
            return call
        self.changed = True
        return call.but(function=other)

    def is_either(self, sizes: Sequence[Size | None]) -> bool:
        """Return whether matrices can be side by side or below each other, because their sizes are equal, as for
        heads.
        """
        return len(set(sizes)) == 1 < len(sizes) and None not in sizes and min(sizes[0] or (1,)) > 1

    def lengths(self, above: Size | None, below: Tree) -> Tree | None:
        """Return the formula for the lengths of tokens in a divisor, as in `Q / ‖Q‖` or `Q K^T / (‖Q‖ ‖K‖)`. Return
        None if the divisor contains norms of all entries.
        """
        along = int(self.columns)
        match below:
            case Call("norm", (a,), ()) if above and min(above) > 1 and self.tokens_of(a) == above[along]:
                return None if self.ask("norm") else self.of_tokens(below)
            case Binary("*" | "@", Call("norm", (a,), ()) as x, Call("norm", (b,), ()) as y):
                if above and above != (1, 1) and (self.tokens_of(a), self.tokens_of(b)) == above:
                    if max(above) == 1 or self.ask("norm"):
                        return None
                    first, second = (self.of_tokens(v) if n > 1 else v for v, n in zip((x, y), above, strict=True))
                    left = _transposed_if(first, self.columns and above[0] > 1)
                    return Binary("@", left, _transposed_if(second, not self.columns and above[1] > 1), below.at)
        return None

    def of_tokens(self, norm: Call) -> Call:
        return norm.but(options=(("axis", Text("columns" if self.columns else "rows")),))

    def tokens_of(self, tree: Tree) -> int:
        """Return the number of tokens of a matrix; 0 if its shape is not known."""
        extent = self.shape(tree)
        return extent[self.columns] if extent else 0

    def entrywise(self, sign: str, a: Tree, b: Tree, at: int) -> Tree:
        """Read `Q * K.T` as Q @ K.T if only the matrix product fits, and I in a sum with a matrix as the identity."""
        if sign in "+-":
            a, b = self.with_identity(a, self.shape(b)), self.with_identity(b, self.shape(a))
        m, n = self.shape(a), self.shape(b)
        if self.starred and (self.matlab or self.has("paper") or self.listed) and (1, 1) not in (m, n):
            of_matrices = self.matlab or m and n and m[1] == n[0]
            if (
                sign == "*"
                and of_matrices
                and not (self.is_literal and not self.has("dotted signs") and self.ask("of entries"))
            ):
                return Binary("@", a, b, at)
            if sign == "/" and self.matlab and self.is_square(b):
                return Binary("@", a, Call("inverse", (b,)), at)
        if sign == "*" and m and n and not stretched(m, n) and m[1] == n[0]:
            self.changed = True
            return Binary("@", a, b, at)
        return Binary(sign, a, b, at)

    def with_identity(self, tree: Tree, extent: Size | None) -> Tree:
        """Read I in a sum with a square matrix as the identity, unless a given or step is called I."""
        if (
            extent is None
            or extent[0] != extent[1]
            or "I" not in names(tree)
            or self.shape(Name("I"))
            or self.broken("I")
        ):
            return tree
        return substitute(tree, {"I": Call("identity", (Number(str(extent[0])),))})

    def is_square(self, tree: Tree) -> bool:
        """Return whether a formula is a square matrix larger than 1 × 1."""
        size = self.shape(tree)
        return size is not None and size[0] == size[1] > 1

    def in_bars(self, tree: Tree) -> str:
        """Return the function for the other meaning of |A|: the determinant, or the length of a vector; "" if there is
        none.
        """
        size = self.shape(tree) or (1, 1)
        is_vector = 1 in size and size != (1, 1) and not self.sums
        return "det" if self.is_square(tree) else "norm" if is_vector else ""

    def is_row(self, tree: Tree) -> bool:
        return is_row(self.shape(tree))

    def is_list(self, tree: Tree) -> bool:
        """Return whether a row is one-dimensional in NumPy."""
        return self.is_row(tree) and bool(dimensions(tree, self.context).kind)

    def entry(self, part: Index, a: Tree, row: Tree) -> Tree | None:
        """Read `q[1]` as an entry of the row q. If the index is a matrix, read a lookup of entries."""
        size, place = self.shape(a), self.shape(row)
        if size is None or place is None:
            return None
        if place != (1, 1):
            if 1 not in place or is_condition(row) or size == (1, 1):
                return None
            is_one_row = size[0] == 1
            row_of_table = Call("lookup", (_transposed_if(a, is_one_row), row), (), part.at)
            return Transpose(row_of_table, part.at) if is_one_row else row_of_table
        return part.but(rows=Number("0"), columns=row) if size[0] == 1 and size[1] > 1 else None


def respelled(name: str) -> list[str]:
    """Return the name with other spellings of its Greek letter: xi_1 for ξ_1, Σ for Sigma, lam for λ. A Greek letter
    that looks like a Latin letter becomes this Latin letter.
    """
    if (latin := name.translate(LATIN)) != name:
        return [latin]
    if greek := re.fullmatch("GREEK (SMALL|CAPITAL) LETTER (\\w+)", unicodedata.name(name[0], "") if name else ""):
        word = greek[2].lower().replace("lamda", "lambda")
        word = word if greek[1] == "SMALL" else word.capitalize()
        return [word + name[1:]] + ["lam" + name[1:]] * (word == "lambda")
    rest = name[1:].lstrip(ascii_lowercase)
    word = name.removesuffix(rest)
    size = "CAPITAL" if word[:1].isupper() else "SMALL"
    letter = {"lambda": "lamda", "lam": "lamda", "Lambda": "lamda"}.get(word, word)
    try:
        return [unicodedata.lookup(f"GREEK {size} LETTER {letter.upper()}") + rest]
    except KeyError:
        return []


def _has_products(tree: Tree) -> bool:
    """Return whether a formula has products with @ or without a sign. Spaces in brackets separate entries."""
    match tree:
        case Binary("@", Binary("@", a, Name(sign)), b) if sign in (OUTER, SOLVE, TIMES):
            return _has_products(a) or _has_products(b)
        case Binary("@"):
            return True
        case Call("hstack" | "vstack"):
            return False
    return any(map(_has_products, operands(tree)))


def _with(tree: Binary, left: Tree, right: Tree) -> Tree:
    return tree.but(left=left, right=right).copied_from(tree.source)


def _of_entries(a: Tree, b: Tree) -> bool:
    """Return whether the product of two factors of the same size may be entrywise, as in X σ(X) and X (1 − X)."""
    return _is_of_entries(a) or _is_of_entries(b) or _are_alike(a, b)


def _is_of_entries(tree: Tree) -> bool:
    """Return whether a factor contains an entrywise function, as in σ(X), 1 − σ(X) and X > 0."""
    match tree:
        case Binary() if is_comparison(tree):
            return True
        case Negate(a):
            return _is_of_entries(a)
        case Binary("+" | "-" | "/", a, b):
            return _is_of_entries(a) or _is_of_entries(b)
        case Call(function):
            return function in ENTRYWISE
    return False


def _are_alike(a: Tree, b: Tree) -> bool:
    """Return whether two factors contain the same matrix, as in X (1 − X), but no transpose."""
    turned = any(isinstance(part, Transpose) for factor in (a, b) for part in walk(factor))
    return bool(names(a) & names(b)) and not turned


def _is_named_gain(tree: Tree) -> bool:
    """Return whether a formula is called γ, perhaps with a transpose."""
    a = tree.operand if isinstance(tree, Transpose) else tree
    return isinstance(a, Name) and any(name.startswith("γ") for name in (a.name, *respelled(a.name)))


def _factors(product: Tree) -> list[Tree]:
    match product:
        case Binary("@", a, b):
            return [*_factors(a), b]
        case Binary("*", Number() as a, b):
            return [a, *_factors(b)]
    return [product]


def _single_entries(a: Tree, rows: Sequence[Tree], columns: Sequence[Tree], at: int) -> Tree | None:
    """Read NumPy's `A[[0, 2], [1, 0]]`, which selects an entry for each pair of a row and a column."""
    count = max(len(rows), len(columns))
    if not all(len(listed) in (1, count) for listed in (rows, columns)):
        return None
    pairs = zip(*([*listed] * (count // len(listed)) for listed in (rows, columns)), strict=True)
    return Call("hstack", tuple(Index(a, row, column, at) for row, column in pairs), (), at)


def _transposed_if(tree: Tree, turned: bool) -> Tree:
    return Transpose(tree) if turned else tree


def _product(factors: list[Tree]) -> Tree:
    return reduce(lambda a, b: Binary("@", a, b, a.at), factors)
