"""Computes the shapes of formulas from the names in their file, also for formulas with an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from ..errors import FormulaError
from ..formula import operations as op
from ..formula.elaboration import check
from ..formula.functions import BY_QUERY
from ..formula.parser import RESERVED
from ..formula.syntax_tree import Binary, Call, Index, Name, Negate, Number, Text, Transpose, Tree, children, walk
from ..formula.typed_formula import Entry, Node
from ..plan import Given, Step

Size = tuple[int, int]
Shape = Callable[[Tree], Size | None]  # returns the shape of a formula; None if it has an error

# Functions that work on each row by default, and a sentence about their effect on a column.
BY_ROWS = {
    "softmax": "softmax works on each row, which has only one entry, so every result is 1",
    "normalize": "normalize works on each row, which has only one entry, so every result is 1",
    "logsumexp": "logsumexp works on each row, which has only one entry",
    "entropy": "entropy works on each row, which has only one entry",
    "layer_norm": "layer_norm works on each row, which has only one entry",
    "rms_norm": "rms_norm works on each row, which has only one entry",
}
# Functions whose first argument has a row for each token, and whether their value also has a row for each token.
OF_TOKENS = {
    "argmax_rows": True, "argmin_rows": True, "argsort_rows": True, "order_rows": True, "sort_rows": True,
    "top_k": True, "top_p": True, "pick": True, "lookup": True, "rope": True, "cross_entropy": False,
}  # fmt: skip
BY_TOKEN = {"sinusoidal": "position", "one_hot": "token"}  # functions, and the word for a row of their values
ENTRYWISE = frozenset({
    "exp", "ln", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "tanh", "erf", "abs", "floor", "ceil", "sign",
    "relu", "leaky_relu", "sigmoid", "silu", "gelu", "elu", "softplus", "round", "minimum", "maximum", "clip",
})  # fmt: skip
BY_ENTRY = ENTRYWISE | {"where", "keep", "xlogy"}  # with the functions of several matrices


class Known(Exception):
    """Raised if a formula uses a step whose error was already reported."""


class Part(Protocol):
    """A part of a problem: its names, and properties of its formulas."""

    columns: bool
    matlab: bool
    broken: set[str]
    later: set[str]

    def find(self, name: str) -> Given | Step | None: ...
    def resolve(self, name: str, at: int) -> Node: ...
    def check(self, tree: Tree) -> Node: ...
    def numbers(self, tree: Tree) -> Sequence[Sequence[Entry]] | None: ...


class Context:
    """The names of a part, and the shapes of formulas with these names, also for formulas with an error."""

    def __init__(self, part: Part, spend: Callable[[Node], None]):
        self.part = part
        self.spend = spend  # raises Known if the budget for suggestions is used up
        self.columns, self.matlab = part.columns, part.matlab  # `matlab`: a formula has MATLAB's notation
        self.numbers = part.numbers  # the entries of a given
        self.inner: set[str] = set()  # steps that are a single number, from a product of vectors
        self.one_dimensional: dict[str, str] = {}  # kinds of names in NumPy; an empty string for matrices
        self.truth: dict[str, bool] = {}  # the steps whose entries are Boolean in NumPy
        self.nodes: dict[str, Node] = {}  # the formulas suggested for faulty steps
        self.masked_products: dict[str, Binary | None] = {}  # by step: the product of scores and a mask in it, or None
        self.exponentials: dict[str, bool] = {}  # by step: whether it contains exp, also in the steps that it uses
        self.generic: dict[str, Any] = {}  # the values of names for random givens, which show the axis of a softmax
        self.letters: dict[str, str] = {}  # by name: Q and K in the order in which its formulas contain them
        self.masks: dict[str, bool] = {}  # by step: whether it is a mask with a row for each query

    def broken(self, name: str) -> bool:
        """Return whether the given or step has an error, or is defined later."""
        return name in self.part.broken or name in self.part.later

    def definition(self, name: str) -> Tree | None:
        """Return the formula of a step; None if the name is not a step."""
        return step.tree if isinstance(step := self.part.find(name), Step) else None

    def resolve(self, name: str, at: int) -> Node:
        """Return a reference to a given or step, or the formula suggested for a faulty step. Raises FormulaError for an
        unknown name, and Known for a faulty step without a suggestion.
        """
        try:
            return self.part.resolve(name, at)
        except Known:
            if (node := self.nodes.get(name)) is None:
                raise
            return op.reference(name, node, name, at)

    def is_name(self, name: str) -> bool:
        """Return whether a given or step has this name."""
        try:
            self.resolve(name, 0)
        except Known:
            return True
        except FormulaError:
            return False
        return True

    def shape(self, tree: Tree) -> Size | None:
        """Return the shape of a formula; None if it has an error."""
        node = self.node(tree)
        return None if node is None else node.shape

    def node(self, tree: Tree) -> Node | None:
        """Return a formula with checked shapes; None if it has an error."""
        try:
            return check(tree, self.resolve, self.spend)
        except (Known, FormulaError):
            return None

    def expanded(self, tree: Tree, is_leaf: Callable[[Tree], bool]) -> Iterator[Tree]:
        """Yield the parts of a formula, and of the formulas of steps in it. The parts of a leaf are not visited."""
        stack, seen = [tree], set[str]()
        while stack:
            yield (part := stack.pop())
            if is_leaf(part):
                continue
            if isinstance(part, Name) and part.name not in seen:
                seen.add(part.name)
                stack += [formula] if (formula := self.definition(part.name)) is not None else []
            else:
                stack += reversed(operands(part))

    def queries_first(self, scores: Tree) -> bool | None:
        """Return whether scores have a row for each query; None if their formula contains no queries and keys."""
        letters = self._letters(scores)
        return letters[0] == "Q" if len(letters) == 2 else None

    def _letters(self, tree: Tree) -> str:
        """Return Q and K in the order in which a formula, with the formulas of its steps, contains their names."""
        stack = [("", tree)]
        while True:
            name, formula = stack[-1]
            parts = [part.name for part in walk(formula, operands) if isinstance(part, Name)]
            unread = (part for part in parts if part[:1] not in "QqKk" and part not in self.letters)
            if (step := next(unread, None)) is not None:
                definition = self.definition(step)
                self.letters[step] = ""
                stack += [(step, definition)] if definition is not None else []
                continue
            letters = (part[0].upper() if part[:1] in "QqKk" else self.letters[part] for part in parts)
            self.letters[name] = "".join(dict.fromkeys("".join(letters)))
            stack.pop()
            if not stack:
                return self.letters.pop(name)

    def keys_first(self, scores: Tree) -> bool:
        """Return whether each column of the scores belongs to a query, in a file with tokens as columns. The names of
        queries and keys, or a softmax of each column, decide this.
        """
        first = self.queries_first(scores)
        calls = [part for part in walk(scores) if isinstance(part, Call) and part.function in BY_ROWS]
        return not first if first is not None else any(self._runs_down(call) for call in calls)

    def _runs_down(self, call: Call) -> bool:
        """Return whether a softmax works on each column, by its axis or because tokens are columns."""
        axis = dict(call.options).get("axis")
        return axis == Text("columns") or axis is None and not self.is_from_transpose(call.arguments[0])

    def is_from_transpose(self, tree: Tree) -> bool:
        """Return whether a formula is a transposed matrix, or an entrywise function of a transposed matrix, such as
        exp(X.T). A transposed mask does not count, because it is combined with scores.
        """
        match tree:
            case Transpose(a):
                return not self.is_from_transpose(a) and not self.is_mask_by_query(a)
            case Call(function, (a, *_)) if function in ENTRYWISE or function in BY_ROWS:
                return self.is_from_transpose(a)
            case Binary(sign, a, b) if sign != "@":
                return self.is_from_transpose(a) or self.is_from_transpose(b)
        return isinstance(tree, Negate) and self.is_from_transpose(tree.operand)

    def is_mask_by_query(self, tree: Tree) -> bool:
        """Return whether a formula is a mask with a row for each query: the call of a mask function, or a step with
        masks.
        """
        match tree:
            case Call(function) if function in BY_QUERY:
                return True
            case Call("tril" | "triu" as function, (entries, *shift), options):
                return _is_constant(entries) and _is_lower(function, [*shift, *dict(options).values()])
            case Name(name):
                if name not in self.masks:
                    formula = self.definition(name)
                    self.masks[name] = (
                        formula is not None and self._has_mask(formula) and self.queries_first(formula) is None
                    )
                return self.masks[name]
        return False

    def _has_mask(self, formula: Tree) -> bool:
        """Return whether a formula, or the formula of a step in it, has a mask that is not transposed."""

        def is_open(part: Tree) -> bool:
            return isinstance(part, Transpose) or isinstance(part, Name) and part.name not in self.masks

        parts = self.expanded(formula, lambda part: isinstance(part, Transpose))
        return any(not is_open(part) and self.is_mask_by_query(part) for part in parts)


class Sizes:
    """The shapes of formulas, each computed once. The shape of a long chain follows from the shapes of its parts."""

    def __init__(self, context: Context):
        self.context = context
        self.node = context.node
        self.sizes: dict[int, tuple[Tree, Size | None]] = {}

    def shape(self, tree: Tree) -> Size | None:
        """Return the number of rows and columns; None if a formula has an error."""
        if id(tree) not in self.sizes:
            self.sizes[id(tree)] = tree, self.worked_out(tree)
        return self.sizes[id(tree)][1]

    def worked_out(self, tree: Tree) -> Size | None:
        """Return the number of rows and columns, from the shapes of the parts."""
        match tree:
            case Binary("@", a, b):
                left, right = self.shape(a), self.shape(b)
                return (left[0], right[1]) if left and right and left[1] == right[0] else None
            case Binary(_, a, b):
                left, right = self.shape(a), self.shape(b)
                return stretched(left, right) if left and right else None
            case Transpose(a):
                left = self.shape(a)
                return left and left[::-1]
            case Negate(a):
                return self.shape(a)
        node = self.node(tree)
        return None if node is None else node.shape

    def is_known(self, tree: Tree) -> bool:
        """Return whether the shape of every matrix in a formula is known."""
        return all(self.shape(part) for part in walk(tree, operands) if isinstance(part, Name))


def operands(tree: Tree) -> Sequence[Tree]:
    """Return the matrices of a formula's outermost operation, without options and indices."""
    return [tree.operand] if isinstance(tree, Index) else tree.arguments if isinstance(tree, Call) else children(tree)


def _is_constant(tree: Tree) -> bool:
    """Return whether a formula uses only the sizes of matrices, not their entries."""
    is_name = isinstance(tree, Name) and tree.name not in RESERVED
    of_sizes = isinstance(tree, Call) and tree.function in ("ones", "zeros", "rows", "cols")
    return not is_name and (of_sizes or all(map(_is_constant, operands(tree))))


def _is_lower(function: str, shift: Sequence[Tree]) -> bool:
    """Return whether a triangular mask lets queries in rows attend to earlier keys.

    A triangle with the diagonal contains the entries that are kept, because a token attends to itself. A triangle
    without the diagonal contains the entries that are masked.
    """
    match shift:
        case [Number(text)]:
            has_diagonal = function == "tril" or text.strip("0") in ("", ".")
        case [Negate(Number())]:
            has_diagonal = function == "triu"
        case _:
            has_diagonal = not shift
    return has_diagonal == (function == "tril")


def each_of(tree: Tree) -> str:
    """Return the word for a row of a formula's value, such as token or position; an empty string if there is no
    word.
    """
    match tree:
        case Call("lookup", (Call("identity"), _)):  # this lookup gives a one-hot matrix
            return BY_TOKEN["one_hot"]
        case Call(function):
            return BY_TOKEN.get(function, "")
    return ""


def is_concat(tree: Tree) -> bool:
    """Return whether a concatenation is the function Concat of papers without an axis, which concatenates features."""
    return tree.source.called in ("concat", "Concat") and not tree.source.axis


def is_join_of_papers(tree: Tree) -> bool:
    """Return whether a concatenation is a Concat or a list in brackets, which do not state the direction."""
    return is_concat(tree) or isinstance(tree, Call) and tree.function == "hstack" and tree.source.listed


def is_column(size: Size | None) -> bool:
    """Return whether a matrix has several rows and one column."""
    return size is not None and size[0] > 1 == size[1]


def is_row(size: Size | None) -> bool:
    """Return whether a matrix has one row and several columns, like a flat list."""
    return size is not None and size[0] == 1 < size[1]


def stretched(left: Size, right: Size) -> Size | None:
    """Return the size after broadcasting; None if the sizes do not fit."""
    fits = all(n == m or 1 in (n, m) for n, m in zip(left, right, strict=True))
    return (max(left[0], right[0]), max(left[1], right[1])) if fits else None
