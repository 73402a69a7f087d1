"""A page as axe sees it, and whether all of it can be reached on a small screen.

axe-core is read from npm's folder, which ATTNCALC_NODE_MODULES names; without it only widths are looked at. With
ATTNCALC_SCREENSHOTS the pages are kept as pictures, to be looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

AXE = Path(os.environ.get("ATTNCALC_NODE_MODULES", "node_modules")) / "axe-core" / "axe.min.js"
PICTURES = os.environ.get("ATTNCALC_SCREENSHOTS")
SCREENS = ((1280, "light"), (768, "dark"), (390, "dark"), (360, "light"))
# Everything but contrast is the same by day and by night; contrast, which axe looks at most slowly, is the same for all
# texts of one size on one ground.
# axe calls a header without visible letters empty, even if it is a formula or has a name for screen readers.
VIOLATIONS = """
async screen => {
  const looks = new Map();
  const into = (one, above) => {
    const { color, fontSize, fontWeight, display, backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
    if (display === "none") return;
    const own = [backgroundColor, backgroundImage, opacity].join(), grounds = above.endsWith(own) ? above : above + own;
    if ([...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())) {
      const look = [color, fontSize, fontWeight, grounds].join();
      looks.set(look, [...(looks.get(look) ?? []), one].slice(-2));
    }
    for (const child of one.children) into(child, grounds);
  };
  into(document.body, "");
  const contrast = ["color-contrast", "link-in-text-block"], found = [];
  const run = async (where, rules) => found.push(...(await axe.run(where, { resultTypes: ["violations"], ...rules })).violations);
  await run({ include: [...looks.values()].flat() }, { runOnly: contrast });
  if (screen === "light") await run(document, { rules: Object.fromEntries(contrast.map(rule => [rule, { enabled: false }])) });
  return found.filter(one => one.id !== "empty-table-header").map(one => `${one.id} at ${one.nodes.slice(0, 3).map(node => node.target).join(", ")}`);
}
"""
# Two frames later the page has noticed its new size.
DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
# A box that goes on at the side is reached by Tab, and its shadow tells that it goes on.
UNREACHED = """
() => [...document.querySelectorAll("body *")]
  .filter(box => ["auto", "scroll"].includes(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1)
  .flatMap(box => [
    box.tabIndex === 0 || box.querySelector("input, button, a") ? "" : "no focus",
    box.getAnimations().length ? "" : "no cue",
  ].filter(Boolean).map(what => `${what}: ${box.tagName}.${box.className}`))
"""


def audited(page, name):
    """The page at several widths and in both colours: axe finds nothing, nothing leaves the page at the side."""
    found = list(faults(page, name))
    assert not found, found
    page.set_viewport_size({"width": 1280, "height": 900})


def faults(page, name, screens=SCREENS) -> Iterator[tuple[str, int, str, str]]:
    """What is wrong with the page on each screen."""
    if AXE.is_file():
        page.evaluate(AXE.read_text(encoding="utf-8"))
    for width, scheme in screens:
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(DRAWN)
        if PICTURES:
            page.screenshot(path=f"{PICTURES}/{name}-{width}-{scheme}.png", full_page=True)
        found = page.evaluate(UNREACHED) + (page.evaluate(VIOLATIONS, scheme) if AXE.is_file() else [])
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append("wider than the screen")
        yield from ((name, width, scheme, fault) for fault in found)
