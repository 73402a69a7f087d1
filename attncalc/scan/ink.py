"""How much is written in a box, beside it, and whether it is ticked."""

from __future__ import annotations

from math import exp

import numpy as np

from .page_images import Grey
from .positions import Box
from .rectify import pixels

DARK = 165  # a pixel below it is ink; paper is white on a straightened page
BORDER = 0.6  # millimetres within which the border of a box may be seen
RING = (0.45, 1.0)  # millimetres from the border: where nothing is printed
CROSSED = 0.006  # the share of ink in the ring from which something is written across the border
TICKED, SPREAD = 0.035, 0.006  # the share of ink of a tick as likely as none, and how sharp this is
FULL = 0.55  # a box that is blackened, which may mean that a tick is taken back


def ink(page: Grey, box: Box) -> float:
    """Return the share of ink inside a box."""
    inside = page[pixels(box, -BORDER)]
    return float(np.mean(inside < DARK)) if inside.size else 0.0


def is_crossed(page: Grey, box: Box) -> bool:
    """True if something is written across the border of a box."""
    near, far = (page[pixels(box, margin)] < DARK for margin in RING)
    ring = far.size - near.size
    return ring > 0 and float(far.sum() - near.sum()) / ring > CROSSED


def tick(share: float) -> tuple[str, float]:
    """Return `x` or nothing for the ink in a box to tick, and the confidence."""
    likely = 1 / (1 + exp(-max(-40.0, min(40.0, (share - TICKED) / SPREAD))))
    if share > FULL:
        likely = 0.5
    return ("x", likely) if likely >= 0.5 else ("", 1 - likely)


def differ(first: Grey, second: Grey, boxes: list[Box]) -> bool:
    """True if two pictures of a page have different ink in some box: more than a scanner's noise."""
    import cv2

    for box in boxes:
        where = pixels(box, -BORDER)
        inks = [(page[where] < DARK).astype(np.uint8) for page in (first, second)]
        near = [cv2.dilate(one_ink, np.ones((5, 5), np.uint8)) for one_ink in inks]
        apart = max(int((inks[0] > near[1]).sum()), int((inks[1] > near[0]).sum()))
        if apart > max(8, 0.004 * inks[0].size):
            return True
    return False
