"""Finds the code and the marks of a page in a picture, and straightens the page.

The code is read first. Its corners predict the position of the nearest mark, and each mark improves the prediction for
the next mark. The four marks then give the projection from millimetres to pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..exam.scan_layout import CODE, CODE_TEXT, PAGE
from .page_images import Grey

DPI = 150  # resolution of a straightened page
WIDTH, HEIGHT = (round(side * DPI / 25.4) for side in PAGE)
NEAR, DRIFT = 3.0, 0.06  # millimetres: a mark is sought within NEAR + DRIFT · distance from the known points
CORNER = 0.32  # part of the shorter side: a code is first sought in corners of this size
CONTRAST = 40  # grey levels between ink and paper
FAINT = 0.4  # percent of the window around a mark that is certainly ink
CLEAR = 0.6  # least share of dark pixels in a mark, minus the share around the mark
MOST_ERROR = 2.5  # millimetres between the corners of the code and their positions by the marks
FEWEST = 3  # marks that are needed
Points = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Code:
    """A matrix code in a picture: its text and its corners, clockwise from the corner that is upper left on
    the page.
    """

    text: str
    corners: Points


def read_codes(image: Grey, thorough: bool = False) -> list[Code]:
    """Return the codes in a picture that may belong to papers. Usually there is a single code, in a corner."""
    if not thorough:
        side = round(min(image.shape) * CORNER)
        height, width = image.shape
        for top, left in ((0, width - side), (height - side, 0), (height - side, width - side), (0, 0)):
            if codes := _decoded(image[top : top + side, left : left + side], left, top):
                return codes
    if codes := _decoded(image, 0, 0):
        return codes
    import cv2

    # Blurred, for a faint or rough print
    return _decoded(np.asarray(cv2.GaussianBlur(image, (0, 0), 1.2), np.uint8), 0, 0)


def _decoded(image: Grey, left: int, top: int) -> list[Code]:
    import zxingcpp

    codes = []
    for barcode in zxingcpp.read_barcodes(np.ascontiguousarray(image), zxingcpp.BarcodeFormat.DataMatrix):
        if CODE_TEXT.fullmatch(barcode.text):
            where = barcode.position
            corners = (where.top_left, where.top_right, where.bottom_right, where.bottom_left)
            codes.append(Code(barcode.text, np.array([(left + p.x, top + p.y) for p in corners], float)))
    return codes


def projection(image: Grey, code: Code, marks: Sequence[tuple[float, float]], mark: float) -> Points | None:
    """Return the matrix from millimetres to pixels; None if fewer than FEWEST marks are in the picture."""
    left, top, side = CODE
    known = [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]
    seen = [(x, y) for x, y in code.corners]
    middle = np.array((left + side / 2, top + side / 2))
    pairs: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for centre in sorted(marks, key=lambda place: float(np.hypot(*(np.array(place) - middle)))):
        affine = _affine(known, seen)
        scale = float(np.sqrt(abs(np.linalg.det(affine[:, :2]))))
        reach = NEAR + DRIFT * min(float(np.hypot(*(np.array(centre) - np.array(place)))) for place in known)
        found_at = _mark(image, affine @ (*centre, 1.0), reach * scale, mark * scale)
        if found_at is not None:
            pairs.append((centre, found_at))
            known, seen = [*known, centre], [*seen, found_at]
    if len(pairs) < FEWEST:
        return None
    matrix = _homography(pairs) if len(pairs) == 4 else np.vstack([_affine(*zip(*pairs, strict=True)), (0.0, 0.0, 1.0)])
    shown = project(matrix, np.array(known[:4]))
    scale = float(np.sqrt(abs(np.linalg.det(matrix[:2, :2]))))
    is_consistent = np.abs(shown - code.corners).max() <= MOST_ERROR * scale and np.linalg.det(matrix[:2, :2]) > 0
    return matrix if is_consistent else None


def _affine(known: Sequence[tuple[float, float]], seen: Sequence[tuple[float, float]]) -> Points:
    rows = np.array([(x, y, 1.0) for x, y in known])
    solution: Points = np.linalg.lstsq(rows, np.array(seen), rcond=None)[0]
    return solution.T


def _homography(pairs: Sequence[tuple[tuple[float, float], tuple[float, float]]]) -> Points:
    rows, values = [], []
    for (x, y), (u, v) in pairs:
        rows += [(x, y, 1, 0, 0, 0, -u * x, -u * y), (0, 0, 0, x, y, 1, -v * x, -v * y)]
        values += [u, v]
    return np.append(np.linalg.solve(np.array(rows, float), np.array(values)), 1.0).reshape(3, 3)


def project(matrix: Points, points: Points) -> Points:
    """Return points in pixels for points in millimetres."""
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    result: Points = seen[:, :2] / seen[:, 2:]
    return result


def _mark(image: Grey, centre: Points, reach: float, side: float) -> tuple[float, float] | None:
    """Return the centre of the dark square near a position; None if there is none."""
    margin = reach + side * 1.2
    left, top = (max(0, int(value - margin)) for value in centre)
    window = image[top : int(centre[1] + margin) + 1, left : int(centre[0] + margin) + 1]
    small, ring = max(3, round(side * 0.9)), max(7, round(side * 1.7))
    if min(window.shape, default=0) <= ring:
        return None
    low, high = np.percentile(window, (FAINT, 90))
    if high - low < CONTRAST:
        return None
    dark = (window < (low + high) / 2).astype(np.float64)
    outer, middle, inner = (_sums(dark, size, ring) for size in (ring, round(side * 1.3), small))
    clear = inner / small**2 - (outer - middle) / (ring**2 - round(side * 1.3) ** 2)
    y, x = np.unravel_index(int(clear.argmax()), clear.shape)
    if clear[y, x] < CLEAR:
        return None
    piece = dark[y : y + ring, x : x + ring].copy()
    cut = (ring - round(side * 1.4)) // 2
    piece[:cut], piece[ring - cut :], piece[:, :cut], piece[:, ring - cut :] = 0, 0, 0, 0
    rows, columns = np.nonzero(piece)
    return float(left + x + columns.mean() + 0.5), float(top + y + rows.mean() + 0.5)


def _sums(dark: Points, size: int, ring: int) -> Points:
    """Return for each square of side `ring` the sum of the square of side `size` at its centre."""
    total = np.pad(dark.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    sums = total[size:, size:] - total[:-size, size:] - total[size:, :-size] + total[:-size, :-size]
    before = (ring - size) // 2
    height, width = dark.shape[0] - ring + 1, dark.shape[1] - ring + 1
    result: Points = sums[before : before + height, before : before + width]
    return result


def straightened(image: Grey, matrix: Points) -> Grey:
    """Return the page at DPI, with even light."""
    import cv2

    step = 25.4 / DPI
    half = np.array([(1, 0, 0.5), (0, 1, 0.5), (0, 0, 1)])  # OpenCV counts from the centre of a pixel
    data = np.linalg.inv(half) @ matrix @ np.diag((step, step, 1.0)) @ half
    way = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    page = cv2.warpPerspective(image, data, (WIDTH, HEIGHT), flags=way, borderMode=cv2.BORDER_REPLICATE)
    return evenly_lit(np.asarray(page, np.uint8))


def evenly_lit(page: Grey) -> Grey:
    """Return a page on white paper: each pixel is divided by the light of the paper around it."""
    import cv2

    size = (page.shape[1] // 8, page.shape[0] // 8)
    small = cv2.resize(page, size, interpolation=cv2.INTER_AREA)
    light = cv2.GaussianBlur(cv2.dilate(small, np.ones((7, 7), np.uint8)), (0, 0), 4)
    paper = np.maximum(cv2.resize(light, (page.shape[1], page.shape[0]), interpolation=cv2.INTER_LINEAR), DARKEST_PAPER)
    return np.asarray(cv2.divide(page, paper, scale=WHITE * 255), np.uint8)


WHITE = 1.06  # factor by which a page becomes lighter than its paper, so that the grain of the paper is white
DARKEST_PAPER = 40


def pixels(box: Sequence[float], margin: float = 0.0) -> tuple[slice, slice]:
    """Return the rows and columns of a box in millimetres, with a margin."""
    left, top, width, height = box
    scale = DPI / 25.4
    rows = slice(max(0, round((top - margin) * scale)), min(HEIGHT, round((top + height + margin) * scale)))
    columns = slice(max(0, round((left - margin) * scale)), min(WIDTH, round((left + width + margin) * scale)))
    return rows, columns


def is_larger_than_a_page(image: Grey, matrix: Points) -> bool:
    """Return whether the picture is so large that it may contain another page."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = project(matrix, np.array(list(_corners())))
    area = abs((x2 - x0) * (y3 - y1) - (x3 - x1) * (y2 - y0)) / 2
    return bool(image.size > 1.6 * area)


def _corners() -> Iterator[tuple[float, float]]:
    yield from ((0.0, 0.0), (PAGE[0], 0.0), PAGE, (0.0, PAGE[1]))
