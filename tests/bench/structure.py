"""The code in numbers: files, lines, names, importers, inheritance.

python -m tests.bench.structure              prints them
python -m tests.bench.structure --write      writes docs/validation/structure.md
python -m tests.bench.structure --docstrings prints 100 random docstrings, for a person to rate
"""

from __future__ import annotations

import ast
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.glossary import banned_identifiers

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "attncalc"
PAGE = ROOT / "docs" / "validation" / "structure.md"


def modules() -> dict[str, Path]:
    """Return the path of each module by its full name."""
    paths = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


def imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the full names that a module imports, at its head or inside a function."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            for alias in node.names:
                yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def importers() -> dict[str, set[str]]:
    """Return the modules that import each module."""
    known = modules()
    users: dict[str, set[str]] = defaultdict(set)
    for name, path in known.items():
        for target in imported(name, path, known):
            if target in known and target != name:
                users[target].add(name)
    return users


def single_chains() -> list[str]:
    """Return the classes that only one subclass uses: they only cut an object into several classes."""
    bases: dict[str, set[str]] = defaultdict(set)
    defined: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                defined[node.name] += 1
                for base in node.bases:
                    if isinstance(base, ast.Name):
                        bases[base.id].add(node.name)
            elif isinstance(node, ast.Name):
                uses[node.id] += 1
    return sorted(name for name, classes in bases.items() if defined[name] == 1 and len(classes) == 1 == uses[name])


def docstrings(count: int, seed: int = 1) -> list[str]:
    """Return a random sample of docstrings with their places."""
    texts = []
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and (text := ast.get_docstring(node)):
                texts.append(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}: {text}")
    return random.Random(seed).sample(texts, count)


def figures() -> list[tuple[str, int]]:
    """Return the name and the value of each figure."""
    known, lonely = modules(), [users for users in importers().values() if len(users) == 1]
    texts = [path.read_text(encoding="utf-8") for path in known.values()]
    stems = Counter(path.stem for path in known.values() if path.stem != "__init__")
    return [
        ("Python files", len(known)),
        ("lines of Python", sum(text.count("\n") for text in texts)),
        ("banned identifiers", sum(len(banned_identifiers(text)) for text in texts)),
        ("modules that only one module imports", len(lonely)),
        ("modules whose only importer is a command", sum(".cli" in user for users in lonely for user in users)),
        ("file names that several modules share", sum(count > 1 for count in stems.values())),
        ("base classes that only one subclass uses", len(single_chains())),
    ]


def page() -> str:
    """Return the page of figures."""
    rows = "\n".join(f"| {name} | {value:,} |" for name, value in figures())
    return (
        "# The code in numbers\n\nThis page shows how large the code is, and how well it follows its own rules.\n"
        "`python -m tests.bench.structure --write` writes this page.\n\n| figure | `attncalc/` |\n| --- | ---: |\n"
        f"{rows}\n"
    )


if __name__ == "__main__":
    if "--docstrings" in sys.argv:
        print("\n\n".join(docstrings(100)))
    elif "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())
