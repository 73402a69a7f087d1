"""attncalc: exact worked numerics for Transformer attention.

    from attncalc import load, solve
    solution = solve(load("problem.yaml"))
    solution["masked"]["Z"].decimals(4)
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which is slow to import
if TYPE_CHECKING:
    from typing import Any

    from .api import load, solve
    from .errors import AttncalcError

__version__ = "0.1.0"
__all__ = ["AttncalcError", "__version__", "load", "solve"]


def __getattr__(name: str) -> Any:
    """The interface, imported when it is used: `attncalc --help` needs no arithmetic."""
    if name == "AttncalcError":
        from .errors import AttncalcError

        return AttncalcError
    if name in ("load", "solve"):
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
