"""attncalc: exact worked numerics for Transformer attention.

    import attncalc
    solution = attncalc.solve("problem.yaml")           # every step, each digit proven
    solution["masked"]["Z"].decimals(4)
    attncalc.check("problem.yaml", "answers.yaml")      # a Report: verdicts, causes and points
    attncalc.grade("problem.yaml", ["answers/"]).csv()  # a class
    next(attncalc.generate("self_attention", seed=7))   # a problem whose numbers reveal common mistakes

The functions have the names of the commands. If an input cannot be read, they raise AttncalcError, which lists every
fault with its location.
"""

from __future__ import annotations

from .version import __version__

TYPE_CHECKING = False  # as in typing, which is slow to import
if TYPE_CHECKING:
    from typing import Any

    from .api import check, load, solve
    from .errors import AttncalcError
    from .generator.generate import generate
    from .gradebook.grade import grade

__all__ = ["AttncalcError", "__version__", "check", "generate", "grade", "load", "solve"]
# The module of each public name, imported on first use: `attncalc --help` needs no arithmetic and starts faster.
_HOMES = {
    "AttncalcError": "errors",
    "check": "api",
    "generate": "generator.generate",
    "grade": "gradebook.grade",
    "load": "api",
    "solve": "api",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used. Raises AttributeError for every other name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in ("check", "solve"):
        _hand_over_pages()
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def _hand_over_pages() -> None:
    """Set the functions that write solutions for notebooks. Each imports its renderer at its first call."""
    from .solution import PAGES

    def html(result: Any) -> str | None:
        from .render import notebook_display

        return notebook_display.show(result)

    def latex(result: Any) -> str | None:
        from .render import notebook_display

        return notebook_display.step_latex(result)

    PAGES.html, PAGES.latex = html, latex
