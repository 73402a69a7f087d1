"""attncalc: exact worked numerics for Transformer attention.

    from attncalc import load, solve
    solution = solve(load("problem.yaml"))
    solution["masked"]["Z"].decimals(4)
"""

from __future__ import annotations

from .errors import AttncalcError
from .face import load, solve

__version__ = "0.1.0"
__all__ = ["AttncalcError", "__version__", "load", "solve"]
