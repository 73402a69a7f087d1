"""Several files get their places together, even where the program is killed between two of them.

A run has a journal in each folder that gets files, from before its first temporary file to after its last: a hidden
file that the run locks, and whose random number is in the names of its temporary files. While files are moved, each
journal says which, and under which names lies what was there before. As long as the first journal says so, nothing is
settled. A journal that nobody locks is of a killed run: the next run that writes into the folder puts back what is not
settled, and removes the temporary files. A folder's journal names files of that folder alone.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import NamedTuple

MARK = ".attncalc-journal-"
WAIT = 10  # seconds for another run that writes just now
LARGEST_JOURNAL = 50_000_000
_DIGEST = re.compile("[0-9a-f]{64}")
_JOURNAL = re.compile(re.escape(MARK) + "[0-9a-f]{16}")


class Move(NamedTuple):
    """Move of a file into its place: its temporary name, the name of the previous file's copy (or ""), and
    its SHA-256.
    """

    temporary: str
    before: str
    digest: str


Table = dict[str, Move]  # by the names of a folder's files


class Placement:
    """The temporary files of a run, until they have their places or are removed. Its functions raise OSError."""

    def __init__(self) -> None:
        self._name = MARK + os.urandom(8).hex()
        self._journals: dict[str, int] = {}  # handles by paths
        self._temporaries: dict[str, str] = {}  # by the places of their files

    def open(self, folder: str) -> str:
        """Begin a journal in a folder, and return its path."""
        path = os.path.join(os.path.realpath(folder), self._name)
        while path not in self._journals:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            if lock(handle) and is_at(handle, path):
                self._journals[path] = handle
            else:  # another run takes it for that of a killed one, and removes it
                os.close(handle)
                time.sleep(0.001)
        return path

    def write(self, target: str, raw: bytes) -> None:
        """Write a file next to its place, under another name for now."""
        import tempfile  # here, since few commands write files

        folder, name = os.path.split(target)
        self.open(folder)
        handle, temporary = tempfile.mkstemp(_suffix(self._name), temporary_prefix(name), folder)
        self._temporaries[target] = temporary
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(temporary, _mode(target))

    def replace_all(self) -> None:
        """Move all files to their places, all or none. Raises OSError with the place that could not be written; what
        could not be put back then is put back by the next run.
        """
        at, is_complete, tables = "", False, self._tables()
        try:
            for at in reversed(tables):  # nothing is undone before the first one is written
                _write(self._journals[at], [*tables], tables[at])
            for at, temporary in self._temporaries.items():
                if os.path.lexists(at):
                    _link_or_copy(at, f"{temporary}~")
            for at, temporary in self._temporaries.items():
                os.replace(temporary, at)
            is_complete = True
        except OSError as error:
            raise OSError(error.errno, error.strerror, at) from None
        finally:
            if is_complete or _restore(tables).is_done:
                self.close()
            else:
                self._unlock()

    def replace_one(self) -> None:
        """Move the only file to its place, durably."""
        ((target, temporary),) = self._temporaries.items()
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)

    def close(self) -> None:
        """Remove the journals and the temporary files. Once the first journal is empty, nothing is undone."""
        paths = [*self._journals]
        for path in paths[:1]:
            os.ftruncate(self._journals[path], 0)
        self._unlock()
        for path in paths:
            _remove(path)

    def _unlock(self) -> None:
        while self._journals:  # Windows removes no open file
            os.close(self._journals.popitem()[1])

    def _tables(self) -> dict[str, Table]:
        tables: dict[str, Table] = {path: {} for path in self._journals}
        for target, temporary in self._temporaries.items():
            name = os.path.basename(temporary)
            before = f"{name}~" if os.path.lexists(target) else ""
            tables[self.open(os.path.dirname(target))][os.path.basename(target)] = Move(
                name, before, _digest(temporary) or ""
            )
        return tables


def settle(folder: str) -> None:
    """Undo the unfinished moves of killed runs in a folder, report them on standard error, and remove the temporary
    files. Raises OSError if another run moves its files for longer than WAIT seconds.
    """
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder or ".")
    for name in sorted(names):
        if _JOURNAL.fullmatch(name):
            _settle_run(os.path.join(os.path.realpath(folder), name))


def _settle_run(path: str) -> None:
    """Undo the moves of a journal's run if it was killed, and remove what is left of it."""
    with _dead(path) as is_dead:
        journal = _read(path) if is_dead else NO_MOVES
        if journal is None:  # nothing was moved yet, or all was
            _remove(path)  # while it is locked, since a run that begins could open it anew
        elif journal.paths:
            _undo(path, journal)
    if is_dead and os.name == "nt" and _read(path) is None:  # Windows removes no open file
        _unlink(path)


def _undo(path: str, journal: Journal) -> None:
    """Undo the moves of a killed run, and remove its journals where that succeeds."""
    first = journal.paths[0]
    with _dead(first) if first != path else nullcontext(True) as is_dead:
        tables = {name: other.table for name in journal.paths if (other := _read(name)) is not None}
        if first not in tables:  # all files are in their places
            _remove(path)
            return
        restored = _restore(tables)
        if is_dead and restored.is_done:
            os.truncate(first, 0)
            _report(os.path.dirname(path), restored)
            for name in tables:
                _remove(name)


@contextmanager
def _dead(path: str) -> Iterator[bool]:
    """Lock the journal of a killed run; yield False for one of a living run, and of another person. A run that moves
    files is waited for.
    """
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        yield False
        return
    try:
        end = time.monotonic() + WAIT
        while not (is_dead := lock(handle)) and _read(path) is not None:
            if time.monotonic() > end:
                raise OSError(errno.EBUSY, "another run of attncalc is writing files there", path)
            time.sleep(0.01)
        yield is_dead and is_at(handle, path) and _is_ours(handle)
    finally:
        os.close(handle)


def lock(handle: int) -> bool:
    """Lock an open file or folder for this process until it is closed. Return whether that succeeded.

    A lock on the folder itself leaves no file behind, and a lock on a file leaves its text as it is.
    """
    from filelock import lock_descriptor  # here, since few commands lock

    return lock_descriptor(handle, blocking=False)


def is_at(handle: int, path: str) -> bool:
    """True if an open file still has this name; another run may have removed it."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False))
    return False


def _is_ours(handle: int) -> bool:
    return not hasattr(os, "getuid") or os.fstat(handle).st_uid == os.getuid()


def _write(handle: int, paths: list[str], table: Table) -> None:
    """Write a journal. The first byte is the lock's on Windows."""
    import json

    with os.fdopen(os.dup(handle), "wb") as file:
        file.write(b" " + json.dumps({"journals": paths, "files": table}).encode())


class Journal(NamedTuple):
    """The paths of all journals of a run, and the moves in the folder of one of them."""

    paths: list[str]
    table: Table


NO_MOVES = Journal([], {})


def _read(path: str) -> Journal | None:
    """Return what a journal says; None if it is not complete, and nothing for what is no journal of this folder."""
    import json

    try:
        with open(path, "rb") as file:
            is_ours = _is_ours(file.fileno())
            file.seek(1)
            data = json.loads(file.read(LARGEST_JOURNAL))
    except (OSError, ValueError):
        return None
    with suppress(TypeError, KeyError, AttributeError, RecursionError):
        paths, table = data["journals"], {name: Move(*move) for name, move in data["files"].items()}
        names = {os.path.basename(name) for name in paths}
        if (
            is_ours
            and path in paths
            and names == {os.path.basename(path)}
            and all(map(_is_move, table, table.values()))
        ):
            return Journal(paths, table)
    return NO_MOVES


def _is_move(name: str, move: Move) -> bool:
    """True if a move stays in its folder and affects only files of this program."""
    return (
        os.path.basename(name) == name not in ("", ".", "..")
        and os.path.basename(move.temporary) == move.temporary
        and move.temporary.startswith(temporary_prefix(name))
        and move.before in ("", f"{move.temporary}~")
        and _DIGEST.fullmatch(move.digest) is not None
    )


class Restored(NamedTuple):
    """The files that were put back, and those that somebody changed after they were moved."""

    names: list[str]
    changed: list[str]
    is_done: bool


def _restore(tables: Mapping[str, Table]) -> Restored:
    """Put back what was there before each file that was moved, unless somebody changed it since."""
    names, changed, is_done = [], [], True
    for path, table in tables.items():
        folder = os.path.dirname(path)
        for name, move in table.items():
            target, before = os.path.join(folder, name), os.path.join(folder, move.before)
            if os.path.lexists(os.path.join(folder, move.temporary)) or move.before and not os.path.lexists(before):
                continue  # not moved, or put back already
            try:
                if _digest(target) != move.digest:
                    changed += [name] if os.path.lexists(target) else []
                    continue
                if move.before:
                    os.replace(before, target)
                else:
                    os.unlink(target)
                names.append(name)
            except OSError:
                is_done = False
    return Restored(sorted(names), sorted(changed), is_done)


def _report(folder: str, restored: Restored) -> None:
    parts = []
    if restored.names:
        parts.append(f"the earlier files are restored: {_listed(restored.names)}")
    if restored.changed:
        parts.append(f"files changed since then are kept: {_listed(restored.changed)}")
    if parts and sys.stderr is not None:
        print(f"{folder}: a run ended before all its files were in place; {'; '.join(parts)}", file=sys.stderr)


def _listed(names: list[str]) -> str:
    return ", ".join(map(ascii, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _remove(path: str) -> None:
    """Remove the journal of a run that has ended, and its temporary files in this folder."""
    folder, name = os.path.split(path)
    suffix = _suffix(name)
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)
    for other in names:
        if other.startswith(".") and other.rstrip("~").endswith(suffix):
            _unlink(os.path.join(folder, other))
    _unlink(path)  # last, since it names the others


def _suffix(name: str) -> str:
    """Return the end of the names of a run's temporary files."""
    return f".{name.removeprefix(MARK)}"


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def temporary_prefix(name: str) -> str:
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
    import hashlib  # here, since few commands write

    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mode(target: str) -> int:
    """Return the permissions of the existing file, else those of a new one."""
    with suppress(OSError):
        if (status := os.lstat(target)) and stat.S_ISREG(status.st_mode):
            return stat.S_IMODE(status.st_mode) & 0o777
    return 0o666 & ~umask()


def umask() -> int:
    """Return the permission bits that are removed from new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
