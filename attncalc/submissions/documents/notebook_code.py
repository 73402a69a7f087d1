"""The code of a notebook's cell, which is never run: the values that it types, and the names of what it shows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from warnings import catch_warnings, simplefilter

from ...errors import Diagnostic, Location, shorten
from ..submission import Answer, Typed

_NOT_CALCULATED = (
    "expected an answer that is typed, such as {0} = [[1, 2], [3, 4]] or {0} = 0.5; found {1!r}, which attncalc does "
    "not calculate"
)
_NOT_TYPED_ALONE = (
    "expected a cell that only assigns numbers, such as {0} = 0.5; found {1!r}; assign {0} in a separate cell"
)
_MAGIC = re.compile(r"(?m)^[ \t]*[%!?].*$")  # commands of the notebook
_COMMAND = re.compile(r"(?m)^[ \t]*(?:%%?[A-Za-z]|[!?]).*$")  # `% words` is a comment in MATLAB
CELL_MAGIC = re.compile(r"\s*%%[A-Za-z]")
_OF_ARRAY = ("round", "numpy", "tolist", "detach")  # what shows an array in another way


class Program:
    """The code of a cell, which is never run. `is_shown` says that the cell has an output."""

    def __init__(self, code: str, is_shown: bool):
        self.code, self.bare = code, _MAGIC.sub("", code)
        self.statements: list[ast.stmt] | None = None  # of what is not Python
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError), catch_warnings():
            simplefilter("ignore")
            self.statements = ast.parse(self.bare).body
        self.more = self._more_than_typed(is_shown)

    def _more_than_typed(self, is_shown: bool) -> tuple[str, int] | None:
        """Return the first command or statement that does more than assign typed values, and its line; None without
        one. A cell with an output may also show values.
        """
        if command := _COMMAND.search(self.code):
            return command[0].strip(), 1 + self.code.count("\n", 0, command.start())
        statements = self.statements or []
        names = {name.id for statement in statements if _is_read(statement) for name in _names_of(statement)}
        for statement in statements:
            if not (_is_read(statement) or is_shown and _only_shows(statement) or _keeps_values(statement, names)):
                return ast.unparse(statement), statement.lineno
        return None

    def answers(self) -> tuple[str, list[str]]:
        """Return the lines that hold a matrix that was typed, others blank, and the names of what the cell shows, in
        their order. No line is kept of a program that may do more than assign typed values.

        There are no names if something is shown that has none, or in a loop.
        """
        tree = self.statements
        if tree is None:
            return "" if CELL_MAGIC.match(self.code) else re.sub(r"(?m)^[ \t]*#.*$", "", self.bare), []  # no headings
        lines, kept = self.bare.split("\n"), [""] * (self.bare.count("\n") + 1)
        for statement in filter(_is_read, tree) if self.more is None else ():
            first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
            kept[first:last] = lines[first:last]
        shown = [node for statement in tree for node in ast.walk(statement) if _is_print(node)]
        shown += [tree[-1].value] if tree and isinstance(tree[-1], ast.Expr) and not _is_print(tree[-1].value) else []
        top = [statement.value for statement in tree if isinstance(statement, ast.Expr)]
        names = [
            name for part in shown for name in (_shown(part) if isinstance(part, ast.expr) and part in top else [""])
        ]
        return "\n".join(kept), names if all(names) else []

    def doubts(self, cell: Location, typed: set[str]) -> Iterator[Answer]:
        """Yield what the program makes of typed matrices, since nothing is run: `A = [[1, 2]]` is read, `A = A.T` is
        not. Yield the typed values of a program that does more as well. `typed` are the names of such matrices so far.
        """
        nodes = [node for statement in self.statements or () for node in ast.walk(statement)]
        assignments = [node for node in nodes if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)]
        for node in sorted(assignments, key=lambda node: (node.lineno, node.col_offset)):
            names_inside = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
            used = {name.id for name in names_inside if isinstance(name.ctx, ast.Load)}
            is_at_top = node in (self.statements or ())
            is_read = is_at_top and _is_read(node)
            is_listed = is_at_top and not is_read and _has_number(node.value)
            for name in _names_of(node) if node.value is not None else ():
                is_changed = name.id in typed and (name.id in used or isinstance(node, ast.AugAssign))
                if is_changed or is_listed or not is_read and node.value and any(map(_is_matrix, ast.walk(node.value))):
                    what, place = ast.unparse(node), Location(cell.source, node.lineno, node.col_offset + 1)
                    message = _NOT_CALCULATED.format(name.id, shorten(what))
                    yield _doubt(name.id, what, message, place, is_changed)
                elif is_read and self.more is not None:
                    what, line = self.more
                    message = _NOT_TYPED_ALONE.format(name.id, shorten(what))
                    yield _doubt(name.id, what, message, Location(cell.source, line, 1), name.id in typed)
                if is_read:
                    typed.add(name.id)


def _names_of(statement: ast.stmt) -> list[ast.Name]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [name for target in targets if target is not None for name in _assigned(target)]


def _keeps_values(statement: ast.stmt, names: set[str]) -> bool:
    """Return whether a statement changes none of the names: it is an import, or calculates another name."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return names.isdisjoint(alias.asname or alias.name for alias in statement.names)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if not targets or not all(isinstance(target, ast.Name) and target.id not in names for target in targets):
        return False
    parts = list(ast.walk(statement))
    methods = [part.func for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)]
    may_change = any(isinstance(part.value, ast.Name) and part.value.id in names for part in methods)
    return not may_change and not any(isinstance(part, ast.NamedExpr) for part in parts)


def _only_shows(statement: ast.stmt) -> bool:
    """Return whether a statement shows values and calls nothing that may change one."""
    if not isinstance(statement, ast.Expr):
        return False
    parts = list(ast.walk(statement))
    calls = [part.func for part in parts if isinstance(part, ast.Call)]
    called = {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in calls}
    return called <= {"print", "display", *_OF_ARRAY} and not any(isinstance(part, ast.NamedExpr) for part in parts)


def _doubt(name: str, cause: str, message: str, place: Location, is_typed: bool) -> Answer:
    """Return an answer that is not read. If its matrix was typed before, it is read as typed, and none of its entries
    may hide this.
    """
    rows = ((Typed(cause, word=True) if is_typed else None,),)
    return Answer(None, name, None, rows, place=place, loose=True, doubt=Diagnostic(message, place))


def _is_read(node: ast.AST) -> bool:
    """Return whether a statement gives a name a matrix or a number that is typed."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and not isinstance(node.targets[0], ast.Tuple | ast.List)
        and _is_typed(node.value)
    )


def _assigned(target: ast.expr) -> list[ast.Name]:
    """Return the names that a target of an assignment sets, wholly or in part."""
    while isinstance(target, ast.Subscript):
        target = target.value
    if isinstance(target, ast.Tuple | ast.List):
        return [name for inner in target.elts for name in _assigned(inner)]
    return [target] if isinstance(target, ast.Name) else []


def _has_number(value: ast.expr | None) -> bool:
    """Return whether a value is a number that is typed, or several of them."""
    return value is not None and (
        isinstance(value, ast.Tuple) and any(map(_has_number, value.elts)) or _is_number(value)
    )


def _is_matrix(node: ast.AST) -> bool:
    """Return whether a list holds lists or decimals alone, as a matrix does."""
    return isinstance(node, ast.List) and any(
        isinstance(item, ast.List) or isinstance(item, ast.Constant) and isinstance(item.value, float)
        for item in node.elts
    )


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "display")


def _is_typed(value: ast.expr) -> bool:
    """Return whether a value is a list, an array of a list, or a number."""
    inner = value.args[0] if isinstance(value, ast.Call) and value.args else value
    return isinstance(inner, ast.List | ast.Tuple) or _is_number(value)


def _is_number(value: ast.expr) -> bool:
    """Return whether a value is a number that is typed, also with a sign or as a fraction."""
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return (
            name in _OF_NUMBERS
            and not value.keywords
            and all(
                _is_number(argument) or isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                for argument in value.args
            )
        )
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


_OF_NUMBERS = frozenset(
    ("round", "Fraction", "Rational", "Decimal", "float", "float32", "float64", "sqrt", "exp", "log")
)


def _shown(value: ast.expr) -> list[str]:
    """Return the names of what is shown: `Z`, `Z.round(2)`, `np.round(Z, 2)`, `print(Z)`, `S, A`; an empty one else."""
    if isinstance(value, ast.Tuple):
        return [name for part in value.elts for name in _shown(part)]
    if isinstance(value, ast.Call) and _is_print(value):
        return [name for part in value.args for name in _shown(part)]
    if isinstance(value, ast.Call):
        of_array = isinstance(value.func, ast.Attribute) and value.func.attr in _OF_ARRAY
        owner = value.func.value if isinstance(value.func, ast.Attribute) else None
        if of_array and not (isinstance(owner, ast.Name) and owner.id in ("np", "torch", "numpy")):
            return _shown(owner) if owner is not None else [""]
        return _shown(value.args[0]) if of_array and len(value.args) in (1, 2) else [""]
    return [value.id if isinstance(value, ast.Name) else ""]
