"""Pages of scanned files as grey pictures: PDFs by pypdfium2, and PNG, JPEG and TIFF by Pillow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import AttncalcError, Location
from ..processor_limit import Purpose

Grey = npt.NDArray[np.uint8]
DPI = 180  # resolution at which a page of a PDF is drawn
LONGEST = 2200  # pixels of a side
SHORTEST = 200
MOST_PIXELS = 100_000_000  # pixels of a picture, as of A4 at 900 dpi
MOST_BYTES = 4_000_000_000
MOST_PAGES = 5_000  # of a file
FORMATS = ("PNG", "JPEG", "TIFF")
SCANNED = Purpose("a scan that can be read", "scan this page again with 150 to 300 dpi, in grey")
_ENCRYPTED = "the PDF is encrypted; save it without a password, and run `attncalc scan` again"
_DAMAGED = "this page is damaged and cannot be read"


def page_count(path: str) -> int:
    """Return the number of pages of a scanned file. Raises AttncalcError with the file."""
    place = Location(path)
    if os.path.isdir(path):
        raise AttncalcError(
            "expected a PDF or a picture, found a folder; to read its files, write a pattern such as scans/*.pdf", place
        )
    try:
        size = os.path.getsize(path)
        if not size or size > MOST_BYTES:
            found_size = f"one of {size:,} bytes" if size else "an empty file"
            raise AttncalcError(f"expected a file of at most {MOST_BYTES:,} bytes, found {found_size}", place)
        with open(path, "rb") as file:
            is_pdf = b"%PDF-" in file.read(1024)
    except OSError as error:
        raise AttncalcError(f"this file cannot be read: {error.strerror}", place) from None
    count = len(_document(path)) if is_pdf else _frames(path)
    if count > MOST_PAGES:
        raise AttncalcError(
            f"expected at most {MOST_PAGES:,} pages, found {count:,}; split it into several files", place
        )
    return count


def page_image(path: str, page: int) -> Grey:
    """Return the picture of page `page`, counted from 1. `page_count` has already read the file. Raises AttncalcError
    with the page.
    """
    with open(path, "rb") as file:
        is_pdf = b"%PDF-" in file.read(1024)
    return _pdf_page(path, page) if is_pdf else _picture(path, page)


@lru_cache(maxsize=1)
def _document(path: str) -> Any:
    """Return an open PDF. The last PDF stays open, because its pages are read one after another."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        is_encrypted = getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD or "assword" in str(error)
        message = _ENCRYPTED if is_encrypted else "the PDF is damaged and cannot be read"
        raise AttncalcError(message, Location(path)) from None


def close_files() -> None:
    """Close the PDF that is still open in this process."""
    _document.cache_clear()


def _pdf_page(path: str, number: int) -> Grey:
    import pypdfium2

    place = Location(f"{path}: page {number}")
    try:
        page = _document(path)[number - 1]
        width, height = page.get_size()
        if not (0 < width < 1e5 and 0 < height < 1e5):
            raise AttncalcError(
                f"expected a page of about A4 size, found one of {width:.0f} by {height:.0f} points", place
            )
        scale = min(DPI / 72, LONGEST / max(width, height))
        grey: Grey = page.render(scale=scale, grayscale=True).to_numpy().copy()
        page.close()
    except pypdfium2.PdfiumError:
        raise AttncalcError(_DAMAGED, place) from None
    return _require_size(grey, place)


@contextmanager
def _opened(path: str, place: Location) -> Iterator[Any]:
    import warnings

    from PIL import Image

    bomb = f"expected a picture of at most {MOST_PIXELS:,} pixels, found more; scan it with 300 dpi"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path, formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise AttncalcError(bomb, place)
                yield picture
    except Image.UnidentifiedImageError:
        message = "expected a PDF, or a picture in PNG, JPEG or TIFF; this file has a different format"
        raise AttncalcError(message, place) from None
    except Image.DecompressionBombError:
        raise AttncalcError(bomb, place) from None
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, KeyError, IndexError, OverflowError):
        raise AttncalcError(_DAMAGED, place) from None  # Pillow raises many errors on a damaged file


def _frames(path: str) -> int:
    with _opened(path, Location(path)) as picture:
        return int(getattr(picture, "n_frames", 1))


def _picture(path: str, number: int) -> Grey:
    from PIL import Image

    place = Location(f"{path}: page {number}")
    with _opened(path, place) as picture:
        if number > 1:
            picture.seek(number - 1)
            if picture.width * picture.height > MOST_PIXELS:
                raise Image.DecompressionBombError
        picture.draft("L", (LONGEST, LONGEST))  # a large JPEG is decoded at a smaller size
        return _require_size(_grey(picture), place)


def _grey(picture: Any) -> Grey:
    from PIL import Image

    if picture.mode.startswith("I;16"):
        wide = np.asarray(picture)
        picture = Image.fromarray((wide >> 8).astype(np.uint8))
    elif picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        layers = picture.convert("RGBA")
        paper = Image.new("RGBA", layers.size, "white")
        picture = Image.alpha_composite(paper, layers)
    picture = picture.convert("L")
    longest = max(picture.size)
    if longest > LONGEST:
        size = tuple(max(1, round(side * LONGEST / longest)) for side in picture.size)
        picture = picture.resize(size, Image.Resampling.BOX, reducing_gap=2.0)
    return np.array(picture)


def _require_size(grey: Grey, place: Location) -> Grey:
    height, width = grey.shape
    if min(height, width) < SHORTEST:
        raise AttncalcError(
            f"expected a scanned page, found a picture of {width} by {height} pixels, which is too small", place
        )
    return grey
