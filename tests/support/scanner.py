"""A synthetic scanner: it draws into the fields of papers, and photographs the pages as a bad scanner does."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pypdfium2
from PIL import Image, ImageDraw, ImageFont

WRITTEN = ("0.28", "-1.5", "12", "0,707", "1/3", "-0.0312", "3.05", "7", "-inf", "0", "-4.25")
INK = 45  # the grey of a pen


@dataclass
class Page:
    """A page of a paper in grey, and what is drawn into its fields, by their numbers."""

    code: str
    number: int
    dpi: int
    image: np.ndarray
    fields: list[tuple[int, dict[str, Any]]]
    drawn: dict[int, str] = field(default_factory=dict)


def pages_of(folder: Path, key: dict[str, Any], dpi: int = 150) -> list[Page]:
    """The pages of all papers in an exam's folder."""
    pages = []
    for code, paper in key["scan"]["papers"].items():
        (path,) = folder.glob(f"paper-*{code}.pdf")
        for number, page in enumerate(pypdfium2.PdfDocument(str(path)), 1):
            image = page.render(scale=dpi / 72, grayscale=True).to_numpy().copy()
            fields = [(k, place) for k, place in enumerate(paper["fields"]) if place["page"] == number]
            pages.append(Page(code, number, dpi, image, fields))
    return pages


def fill(page: Page, rng: Random, share: float = 0.7) -> Page:
    """Write into a share of the fields of a page, in each field inside its border."""
    picture = Image.fromarray(page.image)
    draw = ImageDraw.Draw(picture)
    scale = page.dpi / 25.4
    for number, place in page.fields:
        if rng.random() > share:
            continue
        left, top, width, height = (length * scale for length in place["box"])
        if place["kind"] == "tick":
            _draw_tick(draw, left, top, width, rng)
            page.drawn[number] = "x"
            continue
        text = rng.choice(WRITTEN) if place["kind"] == "entry" else "because the variance grows"
        size = min(height * rng.uniform(0.55, 0.7), 4.5 * scale)
        font = ImageFont.load_default(size=size)
        size *= min(1.0, (width - 2.4 * scale) / draw.textlength(text, font))
        font = ImageFont.load_default(size=size)
        box = draw.textbbox((0, 0), text, font)
        room = width - 2.0 * scale - (box[2] - box[0]), height - 2.0 * scale - (box[3] - box[1])
        at = (left + scale + rng.random() * max(0, room[0]) - box[0],
              top + scale + rng.random() * max(0, min(room[1], 8 * scale)) - box[1])  # fmt: skip
        draw.text(at, text, INK, font)
        page.drawn[number] = text
    page.image = np.array(picture)
    return page


def _draw_tick(draw: ImageDraw.ImageDraw, left: float, top: float, side: float, rng: Random) -> None:
    def at(x: float, y: float) -> tuple[float, float]:
        return left + side * (x + rng.uniform(-0.08, 0.08)), top + side * (y + rng.uniform(-0.08, 0.08))

    pen = max(1, round(side * rng.uniform(0.06, 0.12)))
    shapes = (
        [[(0.15, 0.15), (0.85, 0.85)], [(0.15, 0.85), (0.85, 0.15)]],
        [[(0.1, 0.5), (0.4, 0.85), (1.1, 0.0)]],
        [[(0.1, 0.9), (0.9, 0.1)]],
    )
    for line in rng.choice(shapes):
        draw.line([at(*point) for point in line], INK, pen)


def draw(page: Page, number: int, *lines: Sequence[tuple[float, float]], grey: int = INK, pen: float = 0.5) -> Page:
    """Draw lines into a field with a pen of some millimetres; (0, 0) and (1, 1) are corners of the box."""
    scale = page.dpi / 25.4
    left, top, width, height = (length * scale for length in dict(page.fields)[number]["box"])
    picture = Image.fromarray(page.image)
    for line in lines:
        points = [(left + width * x, top + height * y) for x, y in line]
        ImageDraw.Draw(picture).line(points, grey, max(1, round(pen * scale)))
    page.image = np.array(picture)
    return page


def tilted(image: np.ndarray, by: float, side: int, hidden: int | None = None, dpi: int = 150) -> np.ndarray:
    """A photograph of a page: one of its four corners is `by` millimetres nearer to the middle than on a flat page, and
    a thumb may hide a mark.
    """
    scale = dpi / 25.4
    image = image.copy()
    if hidden is not None:
        x, y = ((10, 10), (200, 10), (10, 287), (200, 287))[hidden]
        cv2.circle(image, (round(x * scale), round(y * scale)), round(7 * scale), 150, -1)
    height, width = image.shape
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    moved = corners.copy()
    moved[side] += np.sign(corners[(side + 2) % 4] - corners[side]) * by * scale
    return cv2.warpPerspective(image, cv2.getPerspectiveTransform(corners, moved), (width, height), borderValue=60)


def strike(page: Page, number: int, text: str = "-12.345") -> None:
    """Write a text across the right border of a field."""
    scale = page.dpi / 25.4
    left, top, width, height = (length * scale for length in dict(page.fields)[number]["box"])
    picture = Image.fromarray(page.image)
    font = ImageFont.load_default(size=height * 0.7)
    ImageDraw.Draw(picture).text((left + width * 0.55, top + height * 0.1), text, INK, font)
    page.image = np.array(picture)
    page.drawn[number] = text


def scanned(
    image: np.ndarray,
    rng: Random,
    *,
    angle: float = 0.0,
    turns: int = 0,
    shade: float = 0.0,
    noise: float = 4.0,
    blur: float = 0.5,
    quality: int = 75,
    ground: int = 255,
) -> np.ndarray:
    """A scan of a page: rotated by an angle in degrees and quarter turns, shaded, blurred, noisy, and a JPEG."""
    picture = Image.fromarray(image).rotate(angle, Image.Resampling.BICUBIC, expand=bool(angle), fillcolor=ground)
    grey = np.rot90(np.asarray(picture), turns).astype(np.float32)
    height, width = grey.shape
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    across = np.linspace(0, 1, width, dtype=np.float32)[None, :]
    light = 1 - shade * np.clip(rng.uniform(-1, 1) * down + rng.uniform(-1, 1) * across, 0, 1)
    random = np.random.default_rng(rng.randrange(2**32))
    grey = cv2.GaussianBlur(grey * 0.88 * light + 18, (0, 0), max(blur, 0.1))
    grey += random.normal(0, noise, grey.shape).astype(np.float32)
    return as_jpeg(np.clip(grey, 0, 255).astype(np.uint8), quality)


def as_jpeg(image: np.ndarray, quality: int) -> np.ndarray:
    content = io.BytesIO()
    Image.fromarray(image).save(content, "JPEG", quality=quality)
    return np.array(Image.open(content))


def badly_scanned(image: np.ndarray, rng: Random) -> np.ndarray:
    """A scan with all faults that the program should bear, drawn at random."""
    return scanned(
        image, rng, angle=rng.uniform(-5, 5), turns=rng.choice((0, 0, 0, 2, 2, 1, 3)), shade=rng.uniform(0, 0.5),
        noise=rng.uniform(0, 9), blur=rng.uniform(0.2, 1.1), quality=rng.randint(35, 90), ground=rng.choice((255, 230, 90)),
    )  # fmt: skip


def write_pdf(path: Path, images: Iterable[np.ndarray], dpi: Sequence[int] | int = 150) -> Path:
    """A PDF with a page for each picture, as a scanner writes it."""
    first, *others = [Image.fromarray(image) for image in images]
    first.save(path, "PDF", save_all=True, append_images=others, resolution=dpi, quality=80)
    return path
