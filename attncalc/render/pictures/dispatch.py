"""The drawing module of each kind of picture: its `layout` for a template, and `alt_text`, its alternative text."""

from __future__ import annotations

import re
from types import ModuleType

from ...explain.document import Arcs, Bars, Beam, Curve, Flow
from ..template_renderer import render
from . import arcs, bars, beam_tree, curve, flow

FILES: dict[type, ModuleType] = {Arcs: arcs, Bars: bars, Beam: beam_tree, Curve: curve, Flow: flow}


def alt_text(block: object) -> str:
    return str(FILES[type(block)].alt_text(block))


def svg(block: object, alone: bool = True, links: dict[str, str] | None = None) -> str:
    """Return a picture as SVG. Without `alone`, it has the colours of the page. `links` are link targets on the page,
    by name.
    """
    context = {"alt_text": alt_text(block), "alone": alone, "links": links or {}}
    file = f"{type(block).__name__.lower()}.svg"
    return render("svg", file, FILES[type(block)].layout(block) | context, None, autoescape=True)


def width(svg: str) -> int:
    """Return the width of a picture in pixels."""
    match = re.search(r'width="(\d+)"', svg)
    return int(match[1]) if match else 0
