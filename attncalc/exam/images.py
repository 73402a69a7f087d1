"""Images that an exam sheet names, for a question or as the logo. The first bytes must fit the ending of the name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostics, Location, listed, shorten
from ..problem.yaml_file.nodes import Mapping, Scalar, Yaml, kind, text_at
from ..processor_limit import DRAWN
from ..render.math.typst_formula import quoted
from ..render.typst_compiler import TypstFault, compiled
from .sheet_files import resolve_sheet_file

KINDS = {".png": b"\x89PNG\r\n\x1a\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff", ".pdf": b"%PDF-", ".svg": b""}
LARGEST = 10_000_000  # bytes
WIDEST = 16  # centimetres
_PAGE = """\
#set document(title: "Figure", date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image("figure.svg", alt: "Figure")"""


@dataclass(frozen=True)
class Figure:
    """An image: its bytes, its kind (png, jpg, svg, pdf), its width in centimetres (0 for the natural width) and its
    alt text.
    """

    name: str
    data: bytes
    width: float = 0
    alt: str = ""

    @property
    def kind(self) -> str:
        """`png`, `jpg`, `svg` or `pdf`."""
        ending = os.path.splitext(self.name)[1][1:].lower()
        return "jpg" if ending == "jpeg" else ending


def read_figure(node: Yaml, key: str, source: str, width: float, faults: Diagnostics) -> Figure:
    """Return the image of a file in the sheet's folder. Raises AttncalcError if it is missing, too large, or not an
    image.
    """
    file, alt = node, ""
    if isinstance(node, Mapping):
        node.reject_unknown(["file", "width", "alt"], f"{key}:", faults)
        file, alt = node.get("file") or Scalar("", node.place), text_at(node, "alt", faults)
    name = file.text.strip() if isinstance(file, Scalar) else ""
    ending = os.path.splitext(name)[1].lower()
    if ending not in KINDS:
        message = f"{key}: expected a picture ({', '.join(suffix[1:] for suffix in KINDS)}), found {kind(file)}"
        raise AttncalcError(message, file.place)
    path = resolve_sheet_file(source, name, key, file.place)
    if not os.path.isfile(path):
        raise AttncalcError(f"{key}: there is no file {shorten(name)!r} in the sheet's folder", file.place)
    if os.path.getsize(path) > LARGEST:
        raise AttncalcError(
            f"{key}: expected a picture of at most {LARGEST:,} bytes; {shorten(name)!r} is larger", file.place
        )
    data = read_bytes(path, LARGEST)
    is_svg = ending == ".svg" and b"<svg" in data[:100_000]
    if not is_svg and (ending == ".svg" or not data.startswith(KINDS[ending])):
        raise AttncalcError(
            f"{key}: {shorten(name)!r} ends in {ending}, but the file has a different format", file.place
        )
    return Figure(os.path.basename(name), data, width, alt)


def file_name(figure: Figure, latex: bool) -> str:
    """Return a file name made of the image's hash, so that equal images share a file. LaTeX gets an SVG as a PDF."""
    kind = "pdf" if latex and figure.kind == "svg" else figure.kind
    return f"figure-{sha256(figure.data).hexdigest()[:12]}.{kind}"


def file_content(figure: Figure, latex: bool) -> bytes:
    """Return the bytes of the image's file. LaTeX gets an SVG as a PDF. Raises AttncalcError for an SVG that cannot be
    read.
    """
    if not latex or figure.kind != "svg":
        return figure.data
    from ..render.pdf import by_typst

    return by_typst(_PAGE, {"figure.svg": figure.data})


def figure_files(figures: Iterable[Figure], latex: bool) -> dict[str, bytes]:
    """Return the bytes of each image's file, by name. Raises AttncalcError for images that take too much time or
    memory.
    """
    figures = tuple(figures)
    if figures:
        _require_drawable(figures)
    return {file_name(figure, latex): file_content(figure, latex) for figure in figures}


@lru_cache(maxsize=4)
def _require_drawable(figures: tuple[Figure, ...]) -> None:
    """Draw all images of a sheet once, within the limits of time and memory. Raises AttncalcError."""
    with TemporaryDirectory() as folder:
        names = [file_name(figure, False) for figure in figures]
        for name, figure in zip(names, figures, strict=True):
            Path(folder, name).write_bytes(figure.data)
        page = Path(folder, "page.typ")
        page.write_text("".join(f"#image({quoted(name)}, width: 5cm)\n" for name in names), encoding="utf-8")
        try:
            compiled(str(page), (Location(listed([figure.name for figure in figures], 3)), DRAWN), root=folder)
        except (TypstFault, AttncalcError) as error:
            if middle := len(figures) // 2:  # the half with the fault is drawn again, until the error names one image
                _require_drawable(figures[:middle])
                _require_drawable(figures[middle:])
            if isinstance(error, AttncalcError):
                raise
            raise AttncalcError(
                f"Typst cannot draw the picture: {error}; save the picture again, perhaps in a different format",
                Location(figures[0].name),
            ) from None
