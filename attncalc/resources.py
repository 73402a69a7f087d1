"""Finds templates/ and problems/: beside the package in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder `problems` or `templates`."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def problem_names() -> list[str]:
    """The names of the problems that come with attncalc."""
    return sorted(path.stem for path in folder("problems").glob("*.yaml"))


def problem_path(name: str) -> Path | None:
    """The file of a problem that comes with attncalc."""
    path = folder("problems") / f"{name}.yaml"
    return path if name in problem_names() else None
