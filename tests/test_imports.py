"""No module needs itself: the imports of the package make no circle, those inside functions and those by name included."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import attncalc
from attncalc.cli import COMMANDS
from attncalc.cli.pages import PAGES, PICTURES
from attncalc.cli.schema import SCHEMAS
from attncalc.courses.systems import SYSTEMS
from attncalc.lessons import FILES

ROOT = Path(attncalc.__file__).parent
# What is imported by a name that is put together while the program runs, by the file that does it: file -> modules.
BY_NAME = {
    "attncalc.lessons": {f"attncalc.lessons.{file}" for file in FILES.values()},
    "attncalc.cli": {f"attncalc.cli.{name}" for name in COMMANDS},
    "attncalc.cli.pages": {f"attncalc.write.{name}" for name in ("terminal", *PAGES, *PICTURES)},
    "attncalc.courses.export": {f"attncalc.courses.{name}" for name in SYSTEMS},
    "attncalc.cli.schema": {f"attncalc.{module}" for module, _ in SCHEMAS.values()},
    "attncalc": set(),  # the functions of the package, named for programs; nothing inside imports them from there
}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module by its full name."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imported(name: str, node: ast.AST, known: set[str], packages: set[str]) -> set[str]:
    """The modules of the package that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names} & known
    if not isinstance(node, ast.ImportFrom):
        return set()
    inside = name.split(".")[: None if name in packages else -1]
    base = ".".join([*inside[: len(inside) - node.level + 1], *filter(None, [node.module])]) if node.level else node.module or ""
    return {full if (full := f"{base}.{alias.name}") in known else base for alias in node.names} & known


def only_for_types(tree: ast.Module) -> set[ast.AST]:
    """What stands under `if TYPE_CHECKING:`, which is never run."""
    under = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    return {inner for one in under for inner in ast.walk(one)}


def graph() -> dict[str, set[str]]:
    """Each module with all that it imports."""
    trees = modules()
    known = set(trees)
    packages = {".".join(path.parent.relative_to(ROOT.parent).parts) for path in ROOT.rglob("__init__.py")}
    edges = {name: set(BY_NAME.get(name, ())) for name in trees}
    for name, tree in trees.items():
        skipped = only_for_types(tree)
        for node in ast.walk(tree):
            if node not in skipped:
                edges[name] |= imported(name, node, known, packages)
    return edges


def test_no_module_needs_itself():
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        raise AssertionError("a circle of imports: " + " <- ".join(error.args[1])) from None


def called(function: ast.AST) -> str:
    """The last name of what is called."""
    return getattr(function, "attr", "") or getattr(function, "id", "")


def test_imports_by_name_are_known():
    by_name = {name for name, tree in modules().items() for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node.func) == "import_module"}
    assert by_name == set(BY_NAME), "each module that imports others by a name put together while it runs stands in BY_NAME"
