"""The program's own text, for the tests that look at how it is written."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import attncalc

ROOT = Path(attncalc.__file__).parent


@cache
def texts() -> dict[str, str]:
    """Every module by its full name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return found
