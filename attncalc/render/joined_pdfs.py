"""Several PDFs as one file without alt texts: embedding pages is a hundred times as fast as setting them again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import AttncalcError
from .math.typst_formula import quoted
from .typst_compiler import TypstFault, compiled

_PAGES = re.compile(rb"/Type\s*/Pages\b[^>]*?/Count\s+(\d+)")


def page_count(pdf: bytes) -> int:
    """Return the number of pages of a PDF that Typst wrote."""
    count = _PAGES.search(pdf)
    if count is None:
        raise AttncalcError("Typst's PDF states its number of pages; this one does not")
    return int(count[1])


def joined(pdfs: Sequence[bytes], title: str, double_sided: bool = False) -> bytes:
    """Return the PDFs as one; `double_sided` lets each begin on a sheet of its own."""
    lines = [f"#set document(title: {quoted(title)}, date: none)", '#set page(paper: "a4", margin: 0pt)']
    with TemporaryDirectory() as folder:
        for k, pdf in enumerate(pdfs):
            Path(folder, f"{k}.pdf").write_bytes(pdf)
            count = page_count(pdf)
            lines += [f'#page(image("{k}.pdf", page: {page}, width: 100%))' for page in range(1, count + 1)]
            lines += ["#page[]"] * (double_sided and count % 2 and k + 1 < len(pdfs))
        path = Path(folder, "joined.typ")
        path.write_text("\n".join(lines), encoding="utf-8")
        try:
            return compiled(str(path), root=folder, ignore_system_fonts=True)
        except TypstFault as error:
            raise AttncalcError(f"Typst cannot join the pages: {error}") from None
