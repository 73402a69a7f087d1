"""A page as axe sees it.

axe-core is read from npm's folder, which ATTNCALC_NODE_MODULES names; without it only the width is looked at. With
ATTNCALC_SCREENSHOTS the pages are kept as pictures, to be looked at.
"""

from __future__ import annotations

import os
from pathlib import Path

AXE = Path(os.environ.get("ATTNCALC_NODE_MODULES", "node_modules")) / "axe-core" / "axe.min.js"
PICTURES = os.environ.get("ATTNCALC_SCREENSHOTS")


def audited(page, name):
    """The page at both widths and in both colours: axe finds nothing serious, nothing leaves the page at the side."""
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "dark"), (390, "light")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width}"
        if PICTURES:
            page.screenshot(path=f"{PICTURES}/{name}-{width}-{scheme}.png", full_page=True)
        if AXE.is_file():
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found = page.evaluate("axe.run()")["violations"]
            serious = [
                (one["id"], [node["target"] for node in one["nodes"]])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            assert not serious, (name, width, scheme)
    page.set_viewport_size({"width": 1280, "height": 900})
