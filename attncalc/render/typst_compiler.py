"""Typst's compiler. A long page, or a page with a user's template or picture, is compiled in a separate process with
limits. The reason is that Typst ends its process if memory is too small, and that no signal stops Typst.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .. import processor_limit
from ..errors import AttncalcError, Location
from ..processor_limit import MEMORY, RENDERED, TIME, Purpose
from .math.typst_formula import quoted

# An error message quotes the faulty line, because authors of templates do not see the line numbers of the page
_SOURCE = """
import json, sys
import typst
try:
    import resource
    seconds, size = map(int, sys.argv[1:3])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except ImportError:
    pass
try:
    sys.stdout.buffer.write(typst.compile(sys.argv[3], **json.loads(sys.argv[4])))
except typst.TypstError as error:
    lines = [line.partition(" │ ")[2].strip() for line in getattr(error, "diagnostic", "").splitlines()]
    quoted = next((f", found {line[:80]}" for line in lines if line), "")
    sys.stdout.buffer.write((error.message + quoted).encode("utf-8", "replace"))
    sys.exit(3)
"""
_FAULT = 3  # the exit code for a message of Typst
_OUT_OF_TIME = (-24, -9)  # the signals XCPU and KILL, by which the system enforces the limit of time
_FEW_THREADS = {"RAYON_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"}  # each thread takes memory

Limit = tuple[Location, Purpose]  # the user's file and what is done with it, for a message


def limit_of(template: Path | None) -> Limit | None:
    """Return the limit of pages by a user's folder of templates; None without a folder."""
    return (Location(str(template)), RENDERED) if template else None


class TypstFault(Exception):
    """A message of Typst about a page."""


def compiled(page: str, limit: Limit | None = None, **options: Any) -> bytes:
    """Return the output of Typst for a page, such as a PDF. `options` are options of Typst. Raises TypstFault for an
    error in the page, and AttncalcError if `limit` is given and exceeded.
    """
    if limit is not None:
        return _apart(page, limit, options)
    import typst

    try:
        made: bytes = typst.compile(page, **options)
    except typst.TypstError as error:
        raise TypstFault(" ".join(error.message.split())) from None
    return made


def queried(page: str, selector: str, **options: Any) -> list[list[float]]:
    """Return the numbers that a label such as `<room>` marks in a page without user templates, in order."""
    import json

    import typst

    values: list[list[float]] = json.loads(typst.query(page, selector, field="value", **options))
    return values


def _apart(page: str, limit: Limit, options: Mapping[str, object]) -> bytes:
    import json
    import subprocess

    bounds = [str(max(1, int(processor_limit.MOST_SECONDS))), str(processor_limit.MOST_MEMORY)]
    command = [sys.executable, "-c", _SOURCE, *bounds, page, json.dumps(options)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, **_FEW_THREADS})
    if done.returncode == _FAULT:
        raise TypstFault(" ".join(done.stdout.decode("utf-8", "replace").split()))
    if done.returncode in _OUT_OF_TIME:
        raise processor_limit.exceeded(TIME, *limit)
    if done.returncode and any(word in done.stderr for word in (b"alloc", b"MemoryError", b"ThreadPool")):
        raise processor_limit.exceeded(MEMORY, *limit)
    if done.returncode:  # some versions of Typst crash if elements are nested too deeply
        raise TypstFault("Typst ended without a message")
    return done.stdout


# -- several PDFs as one, without alt texts: a hundred times faster than compiling the pages again ---------------------

_PAGES = re.compile(rb"/Type\s*/Pages\b[^>]*?/Count\s+(\d+)")


def page_count(pdf: bytes) -> int:
    """Return the number of pages of a PDF that Typst wrote."""
    count = _PAGES.search(pdf)
    if count is None:
        raise AttncalcError("Typst's PDF states its number of pages; this one does not")
    return int(count[1])


def joined(pdfs: Sequence[bytes], title: str, double_sided: bool = False) -> bytes:
    """Return the PDFs as one PDF. With `double_sided`, each PDF begins on a new sheet of paper."""
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
