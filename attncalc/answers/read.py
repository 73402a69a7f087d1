"""A script from text in any of the formats that people and programs write."""

from __future__ import annotations

from .model import Script


def read(text: str, source: str) -> Script:
    """The script in a text. Raises AttncalcError with every fault and its place."""
    raise NotImplementedError
