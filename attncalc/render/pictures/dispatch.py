"""The drawing module of each kind of picture; each has `svg`, the picture, and `alt_text`, its alternative text."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from ...explain.document import Arcs, Bars, Beam, Curve, Flow
from . import arcs, bars, beam_tree, curve, flow_svg

FILES: dict[type, ModuleType] = {Arcs: arcs, Bars: bars, Beam: beam_tree, Curve: curve, Flow: flow_svg}


def picture_with_alt_text(block: Any) -> tuple[str, str]:
    """Return a standalone picture and its alternative text."""
    module = FILES[type(block)]
    return module.svg(block), module.alt_text(block)


def embedded_svg(block: Any) -> str:
    """Return a picture with the colours of the surrounding page."""
    return str(FILES[type(block)].svg(block, alone=False))


def width(svg: str) -> int:
    """Return the width of a picture in pixels."""
    match = re.search(r'width="(\d+)"', svg)
    return int(match[1]) if match else 0
