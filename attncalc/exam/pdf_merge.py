"""Merge all papers into one PDF for the printer: pages unchanged, each paper on a sheet of its own."""

from __future__ import annotations

import os
import re

from ..errors import AttncalcError
from ..render.math.typst import quoted

_PAGES = re.compile(rb"/Type\s*/Pages\b[^>]*?/Count\s+(\d+)")


def pages(pdf: bytes) -> int:
    """Return the number of pages of a PDF that Typst wrote."""
    count = _PAGES.search(pdf)
    if count is None:
        raise AttncalcError("Typst's PDF says how many pages it has; this one does not")
    return int(count[1])


def merge_pdfs(folder: str, names: list[str], title: str) -> bytes:
    """Return the PDFs of a folder as one, double-sided. Embedding pages is a hundred times as fast as setting them
    again, but the file has no alt texts; the single papers have.
    """
    import typst

    lines = [f"#set document(title: {quoted(title)}, date: none)", '#set page(paper: "a4", margin: 0pt)']
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            count = pages(file.read())
        lines += [f"#page(image({quoted(name)}, page: {k}, width: 100%))" for k in range(1, count + 1)]
        lines += ["#page[]"] * (count % 2 and name != names[-1])
    path = os.path.join(folder, ".print.typ")
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        return typst.compile(path, root=folder, ignore_system_fonts=True)
    except typst.TypstError as error:
        raise AttncalcError(f"Typst cannot join the papers: {' '.join(error.message.split())}") from None
    finally:
        os.unlink(path)
