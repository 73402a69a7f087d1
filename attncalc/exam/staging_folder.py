"""Staging folder of an exam: hidden, next to the target on the same disk, and locked during the run.

What a run leaves that was killed is removed by the next: a folder of this name whose lock file says so, and whose lock
nobody holds.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..errors import AttncalcError, Diagnostic, Location
from ..safe_files import lock, require_folder

MARK = ".attncalc-exam-"
LOCK, PAPERS = "lock", "papers"
BUSY = "another run writes into this folder; try again when it has ended"
LONGEST = 50  # characters of the folder's name in ours


@contextmanager
def workplace(folder: str, tell: Callable[[str], None]) -> Iterator[str]:
    """Yield a temporary folder for the build; it is removed afterwards in any case."""
    parent, name = os.path.split(os.path.abspath(folder))
    require_folder(folder)
    try:
        os.makedirs(parent, exist_ok=True)
        temporary = tempfile.mkdtemp(dir=parent, prefix=f".{name[:LONGEST]}{MARK}{time.time_ns():020}-")
    except OSError as error:
        raise AttncalcError(Diagnostic(f"the folder cannot be written: {error.strerror}", Location(folder))) from None
    handle = -1
    try:
        handle = _lock_folder(temporary, name)
        _remove_stale_folders(parent, name, temporary, folder, tell)
        papers = os.path.join(temporary, PAPERS)
        os.mkdir(papers)
        yield papers
    except OSError as error:
        raise AttncalcError(Diagnostic(f"the papers cannot be written: {error.strerror}", Location(folder))) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if handle >= 0:
            os.close(handle)


def _lock_folder(temporary: str, name: str) -> int:
    handle = os.open(os.path.join(temporary, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    os.write(handle, _lock_text(name))
    lock(handle)
    return handle


def _lock_text(name: str) -> bytes:
    return f"attncalc exam: papers of {name} are built here\n".encode()


def _remove_stale_folders(parent: str, name: str, own_path: str, folder: str, tell: Callable[[str], None]) -> None:
    """Remove the folders of killed runs. Raises AttncalcError if an earlier run is still at work."""
    start = f".{name[:LONGEST]}{MARK}"
    for other in sorted(entry for entry in os.listdir(parent) if entry.startswith(start)):
        path = os.path.join(parent, other)
        if path == own_path or os.path.islink(path):
            continue
        with suppress(FileNotFoundError, NotADirectoryError), open(os.path.join(path, LOCK), "rb") as file:
            is_exam_folder = file.read(1_000) == _lock_text(name)
            if not is_exam_folder:
                continue
            if not lock(file.fileno()):
                if path < own_path:
                    raise AttncalcError(Diagnostic(BUSY, Location(folder)))
                continue
            shutil.rmtree(path, ignore_errors=True)
            tell(f"{path}: removed; a run that was killed had left it")
