"""How much is written in a box, beside it, and whether it is ticked."""

from __future__ import annotations

from math import exp

import numpy as np

from .page_images import Grey
from .positions import Box
from .rectify import pixels

DARK = 165  # a pixel below it is certainly ink; paper is white on a straightened page
PALE = 240  # a pixel below it may be ink, such as that of a hard pencil
GREY = 220  # a pixel below it is ink, if another scan has not even pale ink there
BORDER = 0.6  # millimetres within which the border of a box may be seen
RING = (0.45, 1.0)  # millimetres from the border: where nothing is printed
CROSSED = 0.006  # the share of ink in the ring from which something is written across the border
TICKED, SPREAD = 0.035, 0.0071  # the share of ink of a tick as likely as none, and how sharp this is
CORNER = 1.0  # millimetres of a side that a round corner may take
FRAMED = 0.8  # the share of a side that is seen
FULL = 0.55  # a box that is blackened, which may mean that a tick is taken back
DOUBTFUL = 0.5  # the most that the reading of an odd field is worth


def ink(page: Grey, box: Box, below: int = DARK) -> float:
    """Return the share of ink inside a box: of pixels below a grey."""
    inside = page[pixels(box, -BORDER)]
    return float(np.mean(inside < below)) if inside.size else 0.0


def is_framed(page: Grey, box: Box) -> bool:
    """True if the four sides of a box are where they were printed, to within BORDER millimetres."""
    left, top, width, height = box
    across, down = width - 2 * CORNER, height - 2 * CORNER
    left_and_right = [page[pixels((left + x - BORDER, top + CORNER, 2 * BORDER, down))].T for x in (0, width)]
    above_and_below = [page[pixels((left + CORNER, top + y - BORDER, across, 2 * BORDER))] for y in (0, height)]
    return all(
        side.size and float(np.mean(side.min(axis=0) < PALE)) > FRAMED for side in (*left_and_right, *above_and_below)
    )


def is_crossed(page: Grey, box: Box) -> bool:
    """True if something is written across the border of a box."""
    near, far = (page[pixels(box, margin)] < DARK for margin in RING)
    ring = far.size - near.size
    return ring > 0 and float(far.sum() - near.sum()) / ring > CROSSED


def tick(share: float, pale: float) -> tuple[str, float]:
    """Return `x` or nothing for the shares of dark and of pale ink in a box to tick, and the confidence, which is low
    if only the pale ink is enough.
    """
    likely = _likely(pale)
    text, confidence = ("x", min(likely, _likely(share))) if likely >= 0.5 else ("", 1 - likely)
    return text, min(confidence, DOUBTFUL) if share > FULL else confidence


def _likely(share: float) -> float:
    return 1 / (1 + exp(-max(-40.0, min(40.0, (share - TICKED) / SPREAD))))


def differ(first: Grey, second: Grey, boxes: list[Box]) -> bool:
    """True if some box has ink in one picture of a page and not even pale ink in the other: more than noise."""
    import cv2

    for box in boxes:
        places = [page[pixels(box, -BORDER)] for page in (first, second)]
        near = [cv2.dilate((place < PALE).astype(np.uint8), np.ones((5, 5), np.uint8)) for place in places]
        apart = max(int(((places[0] < GREY) > near[1]).sum()), int(((places[1] < GREY) > near[0]).sum()))
        if apart > max(8, 0.004 * places[0].size):
            return True
    return False
