"""Several files get their places together, even where the program is killed between two of them.

In each folder that gets files a journal lies meanwhile: a hidden file that says which files are moved, and under which
names lies what was there before. As long as the first of the journals is there, nothing is settled; the next run that
writes into one of these folders then puts everything back. A folder's journal names files of that folder alone.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

MARK = ".attncalc-journal-"
WAIT = 10  # seconds for another run that moves its files just now
LARGEST_JOURNAL = 50_000_000
_DIGEST = re.compile("[0-9a-f]{64}")


class Move(NamedTuple):
    """Move of a file into its place: its temporary name, the name of the previous file's copy (or ""), and
    its SHA-256.
    """

    temporary: str
    before: str
    digest: str


Table = dict[str, Move]  # by the names of a folder's files


def replace_all(written: Mapping[str, str]) -> None:
    """Move files to their places, all or none; `written` has their names for now, by their places. Raises OSError with
    the place that could not be written; what could not be put back then is put back by the next run.
    """
    tables: dict[str, Table] = {}
    for target, temporary in written.items():
        folder, name = os.path.split(target)
        before = f"{os.path.basename(temporary)}~" if os.path.lexists(target) else ""
        tables.setdefault(folder, {})[name] = Move(os.path.basename(temporary), before, _digest(temporary) or "")
    mark = MARK + os.urandom(8).hex()
    journals = {os.path.join(folder, mark): table for folder, table in tables.items()}
    handles: list[int] = []
    at, is_complete = "", False
    try:
        for at, table in journals.items():
            handles.append(_write(at, [*journals], table))
        for at, temporary in written.items():
            if os.path.lexists(at):
                _link_or_copy(at, f"{temporary}~")
        for at, temporary in written.items():
            os.replace(temporary, at)
        is_complete = True
    except OSError as error:
        raise OSError(error.errno, error.strerror, at) from None
    finally:
        if is_complete or _restore(journals):
            _remove_journals(handles, journals)
        _close(handles)


def roll_back(folder: str) -> None:
    """Undo the unfinished moves of killed runs in a folder and report them on standard error. Raises OSError if another
    run is active for longer than WAIT seconds.
    """
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)
    for name in sorted(names):
        if name.startswith(MARK):
            _roll_back_run(os.path.join(os.path.realpath(folder), name))


def _roll_back_run(path: str) -> None:
    if (journal := _read(path)) is None:
        return
    handles: list[int] = []
    try:
        with suppress(FileNotFoundError):
            handles.append(os.open(journal[0][0], os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)))
            _wait(handles[0], path)
        journals = {name: read[1] for name in journal[0] if (read := _read(name)) is not None}
        if journal[0][0] not in journals:  # all were in their places
            _remove_journals([], {path: journal[1]})
        elif _restore(journals):
            _remove_journals(handles, journals)
            _report(os.path.dirname(path), sorted(name for table in journals.values() for name in table))
    finally:
        _close(handles)


def _report(folder: str, names: list[str]) -> None:
    message = "a run was ended before all its files were in place; what was there before is there again"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    if sys.stderr is not None:
        print(f"{folder}: {message}: {', '.join(map(ascii, names[:3]))}{more}", file=sys.stderr)


def _wait(handle: int, path: str) -> None:
    from filelock import lock_descriptor  # here, since few commands write several files

    end = time.monotonic() + WAIT
    while not lock_descriptor(handle, blocking=False):
        if time.monotonic() > end:
            raise OSError(errno.EBUSY, "another run of attncalc puts its files there", path)
        time.sleep(0.01)


def _write(path: str, journals: list[str], table: Table) -> int:
    """Write a locked journal and return its handle. An incomplete journal is ignored."""
    import json

    from filelock import lock_descriptor

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        lock_descriptor(handle, blocking=False)
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(b" " + json.dumps({"journals": journals, "files": table}).encode())  # the first byte is locked
    except BaseException:
        os.close(handle)
        _unlink(path)
        raise
    return handle


def _read(path: str) -> tuple[list[str], Table] | None:
    """Return a journal's paths of all journals and its table of moves; None if it is invalid or belongs to another
    user.
    """
    import json

    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        with open(path, "rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            file.seek(1)
            data = json.loads(file.read(LARGEST_JOURNAL))
        journals, table = data["journals"], {name: Move(*move) for name, move in data["files"].items()}
        names = {os.path.basename(name) for name in journals}
        if path in journals and names == {os.path.basename(path)} and all(map(_is_move, table, table.values())):
            return journals, table
    return None


def _is_move(name: str, move: Move) -> bool:
    """True if a move stays in its folder and affects only files of this program."""
    return (
        os.path.basename(name) == name not in ("", ".", "..")
        and os.path.basename(move.temporary) == move.temporary
        and move.temporary.startswith(temporary_prefix(name))
        and move.before in ("", f"{move.temporary}~")
        and _DIGEST.fullmatch(move.digest) is not None
    )


def _restore(journals: Mapping[str, Table]) -> bool:
    """Restore the previous files unless somebody changed them since. Return whether all could be restored."""
    is_done = True
    for path, table in journals.items():
        folder = os.path.dirname(path)
        for name, move in table.items():
            target, before = os.path.join(folder, name), os.path.join(folder, move.before)
            try:
                if _digest(target) != move.digest:
                    continue
                if not move.before:
                    os.unlink(target)
                elif os.path.lexists(before):
                    os.replace(before, target)
            except OSError:
                is_done = False
    return is_done


def _remove_journals(handles: list[int], journals: Mapping[str, Table]) -> None:
    """Remove the journals and temporary files. Once the first journal is empty, nothing is rolled back."""
    for handle in handles[:1]:
        os.ftruncate(handle, 0)
    _close(handles)  # Windows removes no open file
    for path, table in journals.items():
        for move in table.values():
            for name in (move.temporary, f"{move.temporary}~", f"{move.temporary}~~"):
                _unlink(os.path.join(os.path.dirname(path), name))
        _unlink(path)


def _close(handles: list[int]) -> None:
    while handles:
        os.close(handles.pop())


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def temporary_prefix(name: str) -> str:
    """Return the prefix of a file's temporary names."""
    return f".{name[:50]}."


def _link_or_copy(target: str, other: str) -> None:
    """Link a file to another name; copy it if the disk has no links."""
    try:
        os.link(target, other, follow_symlinks=False)
    except OSError:
        import shutil

        shutil.copy2(target, f"{other}~", follow_symlinks=False)
        os.replace(f"{other}~", other)  # whole, since it may be put back


def _digest(path: str) -> str | None:
    """Return the SHA-256 of a file; None if there is none, or for a link."""
    import hashlib  # here, since few commands write

    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
