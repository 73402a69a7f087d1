"""The mutants of a file: one operator, constant, comparison, bound or branch changed at a time, and the module with
that change.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")


@dataclass(frozen=True)
class Mutant:
    """One change: `old` becomes `new` in the function `where` of a file; `at` counts equal changes there."""

    file: str
    where: str
    old: str
    new: str
    at: int
    line: int
    lines: tuple[int, ...]  # of its statement: a test that executes none of them cannot notice
    early: bool  # evaluated when the module is imported
    context: str  # the function's code, hashed

    @property
    def key(self) -> str:
        return " | ".join((self.file, self.where, self.old, self.new, str(self.at), self.context))

    @property
    def name(self) -> tuple[str, str, str, str, int]:
        """What it is known by when the code around it changes."""
        return self.file, self.where, self.old, self.new, self.at

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old}  ->  {self.new}   ({self.where or 'module'})"

    def drawn(self, seed: int) -> str:
        """Its place in the draw of a sample: a hash of its name, so that the others stay drawn when one function
        changes.
        """
        return hashlib.sha256(f"{seed} {self.name}".encode()).hexdigest()


# file, function, what stands there, what is put there: changes that once passed every test, or that undo a proof
NAMED = [
    (
        "attncalc/arithmetic/intervals/intermediate_rounding.py",
        "_rounded_end",
        "outward * fmpq(*MODES[mode].largest_error.as_integer_ratio())",
        "outward * fmpq(*MODES[mode].largest_error.as_integer_ratio()) / 4",
    ),
    ("attncalc/arithmetic/intervals/intermediate_rounding.py", "IntermediateRounding.keep", "unit / 2", "unit / 8"),
    ("attncalc/arithmetic/intervals/intermediate_rounding.py", "IntermediateRounding.keep", "unit / 20", "unit / 80"),
    (
        "attncalc/arithmetic/intervals/scalar.py",
        "power",
        "make_interval(ends[1], ends[0])",
        "make_interval(ends[0], ends[1])",
    ),
    ("attncalc/marking/legality.py", "_guarded", "unit / 10", "unit / 1000"),
    (
        "attncalc/arithmetic/intervals/interval_evaluator.py",
        "_Run._one_hot",
        "ignore is None or cell[0] != ignore",
        "True",
    ),
    (
        "attncalc/arithmetic/exact/exact_evaluator.py",
        "ExactCells.one_hot_column",
        "ignore is not None and q == ignore",
        "False",
    ),
    ("attncalc/arithmetic/balls.py", "Run._one_hot", "x == ignore", "False"),
    (
        "attncalc/arithmetic/float64.py",
        "_NumPy._one_hot",
        "ids.reshape(-1, 1) != ignore",
        "ids.reshape(-1, 1) == ids.reshape(-1, 1)",
    ),
    ("attncalc/marking/legality.py", "", "20", "2000"),
    ("attncalc/marking/legality.py", "", "2", "200"),
]

SWAPS: dict[type, list[type]] = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult], ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.Mult],
    ast.Pow: [ast.Mult], ast.LShift: [ast.RShift], ast.RShift: [ast.LShift], ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or], ast.Or: [ast.And],
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "least": "most", "most": "least", "any": "all", "all": "any", "lower": "upper",
         "upper": "lower", "floor": "ceil", "ceil": "floor", "low": "high", "high": "low"}  # fmt: skip


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every small change of one node of the tree."""
    if isinstance(node, ast.BinOp) and not _is_text(node):
        for other in SWAPS.get(type(node.op), ()):
            yield ast.BinOp(node.left, other(), node.right)
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPS[type(node.op)][0](), node.values)
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for other in SWAPS.get(type(op), ()):
                yield ast.Compare(node.left, [*node.ops[:k], other(), *node.ops[k + 1 :]], node.comparators)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        if node.value + 1 != node.value:  # 1e300 has no such neighbour
            yield ast.Constant(node.value + 1)
        if node.value not in (0, 1):
            yield ast.Constant(node.value * 100)
    if isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in NAMES:
        yield ast.Name(NAMES[node.id], ast.Load())
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], ast.Load())


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, (ast.JoinedStr, ast.Constant)) and not isinstance(getattr(side, "value", 0),
               (int, float))
               for side in (node.left, node.right))  # fmt: skip


def without_docstring(node: ast.FunctionDef) -> str:
    """A function's code; another docstring makes it no other function."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return "\n".join(map(ast.unparse, [node.args, *body]))


@dataclass(frozen=True)
class Around:
    """What a node stands in: the function by its full name, the outermost function, and the statement."""

    where: str = ""
    outer: str = ""  # empty where the node is evaluated when the module is imported
    context: str = ""
    statement: ast.stmt | None = None

    def inside(self, node: ast.AST, field: str) -> Around:
        """For what stands in a field of this node."""
        if isinstance(node, ast.ClassDef):
            return Around(f"{self.where}.{node.name}".lstrip("."), self.outer, self.context)
        if isinstance(node, ast.FunctionDef):
            where = f"{self.where}.{node.name}".lstrip(".")
            code = hashlib.sha256(without_docstring(node).encode()).hexdigest()[:8]
            return Around(where, self.outer or ("" if field == "args" else where), code)
        if isinstance(node, ast.stmt):
            return Around(self.where, self.outer, self.context, node)
        return self


@dataclass
class Site:
    """A node that may be changed: where it stands, and how to put another in its place."""

    around: Around
    node: ast.expr
    parent: ast.AST
    field: str
    index: int | None

    def put(self, other: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, other)
        else:
            getattr(self.parent, self.field)[self.index] = other

    def lines(self) -> tuple[int, ...]:
        statement = self.around.statement
        whole = (
            self.node
            if statement is None or hasattr(statement, "body") or isinstance(statement, ast.Match)
            else statement
        )
        return tuple(range(whole.lineno, (whole.end_lineno or whole.lineno) + 1))


SKIPPED = ("annotation", "returns", "decorator_list", "exc", "msg", "type_params")


def sites(tree: ast.Module) -> Iterator[Site]:
    """Every node in a function or a constant; annotations, messages, imports and docstrings are no arithmetic."""

    def walk(node: ast.AST, outside: Around) -> Iterator[Site]:
        for field, value in ast.iter_fields(node):
            if field in SKIPPED:
                continue
            around = outside.inside(node, field)
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Raise)):
                    continue
                if isinstance(child, ast.keyword) and child.arg == "strict":
                    continue  # zip's check of lengths that are equal
                if isinstance(child, ast.AnnAssign) and child.value is None or not isinstance(child, ast.AST):
                    continue
                if isinstance(child, ast.expr):
                    yield Site(around, child, node, field, index)
                yield from walk(child, around)

    yield from walk(tree, Around())


def _changed_sites(tree: ast.Module) -> Iterator[tuple[Site, ast.AST]]:
    return ((site, other) for site in list(sites(tree)) for other in changes(site.node))


class File:
    """The mutants of one file with their places in its tree, which `Site.put` changes."""

    def __init__(self, file: str):
        self.file = file
        self.source = (ROOT / file).read_text(encoding="utf-8")

    def _all(self) -> Iterator[Mutant]:
        seen: Counter[tuple[str, str, str]] = Counter()
        for site, other in _changed_sites(ast.parse(self.source)):
            where, old, new = site.around.where, ast.unparse(site.node), ast.unparse(other)
            yield self._mutant(site, old, new, seen[where, old, new])
            seen[where, old, new] += 1

    def _mutant(self, site: Site, old: str, new: str, at: int) -> Mutant:
        around = site.around
        return Mutant(
            self.file, around.where, old, new, at, site.node.lineno, site.lines(), not around.outer, around.context
        )

    @cached_property
    def mutants(self) -> list[Mutant]:
        return list(self._all())

    @cached_property
    def places(self) -> dict[Mutant, int]:
        """Where each mutant comes among all."""
        return {mutant: k for k, mutant in enumerate(self.mutants)}

    @cached_property
    def named(self) -> list[Mutant]:
        """The named mutants that are still there; a name that fits nothing any more is a fault of the table."""
        found = []
        for file, where, old, new in NAMED:
            if file == self.file:
                site = next(
                    (
                        s
                        for s in sites(ast.parse(self.source))
                        if s.around.where == where and ast.unparse(s.node) == old
                    ),
                    None,
                )
                if site is None:
                    raise SystemExit(
                        f"{file}: {where or 'the module'} has no {old!r} any more; NAMED in {Path(__file__).name} names it"
                    )
                found.append(self._mutant(site, old, new, -1))
        return found

    def changed(self, mutant: Mutant) -> types.CodeType:
        """The module's code with the one change."""
        tree = ast.parse(self.source)
        if mutant.at < 0:
            site = next(s for s in sites(tree) if s.around.where == mutant.where and ast.unparse(s.node) == mutant.old)
            site.put(ast.parse(mutant.new, mode="eval").body)
        else:
            site, other = next(islice(_changed_sites(tree), self.places[mutant], None))
            site.put(other)
        return compile(ast.fix_missing_locations(tree), str(ROOT / self.file), "exec")


def changed_function(code: types.CodeType, where: str) -> types.CodeType:
    """The code of the outermost function in which `where` is, in a module's code."""
    for name in where.split("."):
        code = next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)
        if code.co_flags & 0x2:  # its names are local: a function, not a class
            return code
    raise LookupError(where)


def put_in_place(module: types.ModuleType, mutant: Mutant, code: types.CodeType) -> bool:
    """Changes the function of an imported module, or what was evaluated when it was imported; who imported that, or
    holds the function in a table, gets the change too. False where that cannot be done: in the body of a class.
    """
    if not mutant.early:
        function_of(module, mutant.where).__code__ = changed_function(code, mutant.where)
        return True
    fresh = types.ModuleType(module.__name__)
    fresh.__dict__.update(__file__=module.__file__, __package__=module.__package__)
    exec(code, fresh.__dict__)
    if not mutant.where:
        put_constants(module, fresh)
        return True
    try:
        old, new = (function_of(one, mutant.where) for one in (module, fresh))
    except LookupError:
        return False
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
    return True


def function_of(module: types.ModuleType, where: str) -> types.FunctionType:
    """The outermost function in which `where` is, without what decorates it."""
    found: object = module
    for name in where.split("."):
        found = vars(found)[name]
        while not isinstance(found, (type, types.FunctionType)):
            found = (
                getattr(found, "__wrapped__", None)
                or getattr(found, "__func__", None)
                or getattr(found, "fget", None)
                or found.func
            )
        if isinstance(found, types.FunctionType):
            return found
    raise LookupError(where)


def put_constants(module: types.ModuleType, fresh: types.ModuleType) -> None:
    """Puts each constant of a module that is another one in a fresh copy into all modules that have imported it."""
    for name, new in vars(fresh).items():
        old = vars(module).get(name)
        if name.startswith("__") or isinstance(new, (type, types.FunctionType, types.ModuleType)) or _same(old, new):
            continue
        for other in list(sys.modules.values()):
            if getattr(other, name, None) is old and other.__name__.startswith(
                ("attncalc", "arithmetic", "test_", "tests")
            ):
                setattr(other, name, new)


def _same(old: object, new: object) -> bool:
    return type(old) is type(new) and bool(old == new)


def equivalent() -> set[tuple[str, str, str, str, int]]:
    """The names of the mutants that no caller can tell from the code as it is."""
    rows = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8"))
    return {(row["file"], row["where"], old, new, *(at or [0])) for row in rows for old, new, *at in row["changes"]}
