"""Which file draws which picture; each has `svg`, the picture, and `said`, its words for those who hear the page."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from ..explain.document import Arcs, Bars, Beam, Curve, Flow
from . import arcs, bars, beam, curve, flow_svg

FILES: dict[type, ModuleType] = {Arcs: arcs, Bars: bars, Beam: beam, Curve: curve, Flow: flow_svg}


def picture_with_alt_text(block: Any) -> tuple[str, str]:
    """A picture of its own, and its words."""
    module = FILES[type(block)]
    return module.svg(block), module.alt_text(block)


def embedded_svg(block: Any) -> str:
    """A picture that takes its colours from the page around it."""
    return str(FILES[type(block)].svg(block, alone=False))


def width(svg: str) -> int:
    """How many pixels wide a picture is."""
    match = re.search(r'width="(\d+)"', svg)
    return int(match[1]) if match else 0
