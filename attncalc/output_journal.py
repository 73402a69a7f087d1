"""Moves several files to their paths together: all files or none, even if the program is killed meanwhile.

A run keeps a journal in each folder to which it writes: a locked hidden file. The journal's random number is a part of
the names of temporary files. The first line of a journal names all journals of the run, by relative paths, so that they
also work in a moved or copied folder. While files are moved, the second line lists the moves in this folder, and the
copies of the previous files. The moves are final when the first journal has no second line; it is removed last.

A journal without a lock belongs to a killed run. The next run that writes into the folder undoes moves that are not
final, and removes the temporary files. If the first journal is missing, somebody moved a part of the files.
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

from .errors import AttncalcError, Location

MARK = ".attncalc-journal-"
WAIT = 10  # seconds to wait for another run that is moving files
MOVED = (
    "an interrupted run left files here, and later a part of its files was moved or copied; check whether the files "
    "fit together, and remove the hidden files with {} in their names"
)
LARGEST_JOURNAL = 50_000_000
_DIGEST = re.compile("[0-9a-f]{64}")
_JOURNAL = re.compile(re.escape(MARK) + "[0-9a-f]{16}")


class Move(NamedTuple):
    """The move of a file to its path: its temporary name, the name of the previous file's copy (or ""), and its
    SHA-256.
    """

    temporary: str
    before: str
    digest: str


Table = dict[str, Move]  # the moves in a folder, by the names of its files


class Placement:
    """The temporary files of a run until they are moved or removed. The methods raise OSError."""

    def __init__(self) -> None:
        self._name = MARK + os.urandom(8).hex()
        self._journals: dict[str, int] = {}  # open handles, by the paths of the journals
        self._temporaries: dict[str, str] = {}  # paths of temporary files, by the paths of the final files
        self._new: set[str] = set()  # paths of files that replace no file

    def open(self, folder: str) -> str:
        """Create a locked journal in a folder, and return its path."""
        path = os.path.join(os.path.realpath(folder), self._name)
        while path not in self._journals:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            if lock(handle) and is_at(handle, path):
                self._journals[path] = handle
            else:  # another run may remove the journal before the lock
                os.close(handle)
                time.sleep(0.001)
        return path

    def write(self, target: str, raw: bytes, is_new: bool = False) -> None:
        """Write a file into its folder under a temporary name. If it is new, it replaces no file."""
        import tempfile  # imported here, because few commands write files

        folder, name = os.path.split(target)
        self.open(folder)
        handle, temporary = tempfile.mkstemp(_suffix(self._name), temporary_prefix(name), folder)
        self._temporaries[target] = temporary
        self._new |= {target} if is_new else set()
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(temporary, _mode(target))

    def replace_all(self) -> None:
        """Move all files to their paths, or none. Raises OSError with the path that could not be written. The next run
        restores files that this run could not restore.
        """
        at, is_complete, tables = "", False, self._tables()
        try:
            for at in [*tables][:1]:
                _write(self._journals[at], at, [*tables])
            for at in reversed(tables):  # the first journal is completed last: until then no run undoes a move
                _write(self._journals[at], at, [*tables], tables[at])
            for at, temporary in self._temporaries.items():
                if os.path.lexists(at):
                    _link_or_copy(at, f"{temporary}~")
            for at, temporary in self._temporaries.items():
                self._replace(temporary, at)
            is_complete = True
        except OSError as error:
            raise OSError(error.errno, error.strerror, at) from None
        finally:
            if is_complete or _restore(tables).is_done:
                self.close()
            else:
                self._unlock()

    def replace_one(self) -> None:
        """Move the only file to its path, after its content is on the disk."""
        ((target, temporary),) = self._temporaries.items()
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        self._replace(temporary, target)

    def _replace(self, temporary: str, target: str) -> None:
        if target in self._new and os.path.lexists(target):  # somebody else made it meanwhile
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        os.replace(temporary, target)

    def close(self) -> None:
        """Remove the journals and the temporary files."""
        paths = [*self._journals]
        for path in paths[:1]:
            _finish(self._journals[path])
        self._unlock()
        for path in reversed(paths):
            _remove(path)

    def _unlock(self) -> None:
        while self._journals:  # Windows does not remove an open file
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
    """Undo the moves of killed runs in a folder if they are not final, and report them on standard error. Remove the
    temporary files. Raises OSError if another run moves files for longer than WAIT seconds.
    """
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder or ".")
    for name in sorted(names):
        if _JOURNAL.fullmatch(name):
            _settle_run(os.path.join(os.path.realpath(folder), name))


def _settle_run(path: str) -> None:
    """If the run of a journal was killed, undo its moves, and remove its files."""
    with _dead(path) as is_dead:
        journal = _read(path) if is_dead else NO_MOVES
        if journal is None:  # no move has begun
            _remove(path)  # before the lock ends, or a new run could open this journal
        elif journal.paths:
            _undo(path, journal)
    if is_dead and os.name == "nt" and not _has_moves(_read(path)):  # Windows does not remove an open file
        _unlink(path)


def _undo(path: str, journal: Journal) -> None:
    """Undo the moves of a killed run. If this succeeds, remove the journals of the run."""
    first = journal.paths[0]
    if not os.path.lexists(first):
        if not os.path.lexists(path):  # the run has just ended: it removes its first journal last
            return
        raise AttncalcError(MOVED.format(_suffix(os.path.basename(path))[1:]), Location(os.path.dirname(path)))
    with _dead(first) if first != path else nullcontext(True) as is_dead:
        tables = {name: other.table or {} for name in journal.paths if (other := _read(name)) is not None}
        if _has_moves(_read(first)):
            restored = _restore(tables)
            if not (is_dead and restored.is_done):
                return
            with open(first, "rb+") as file:
                _finish(file.fileno())
            _report(os.path.dirname(path), restored)
        if is_dead:
            for name in reversed(journal.paths):
                _remove(name)


@contextmanager
def _dead(path: str) -> Iterator[bool]:
    """Lock a journal, and yield whether its run was killed. Yield False for a journal of a running process or of
    another user. Wait for a run that is moving files.
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
                raise OSError(errno.EBUSY, "another run of attncalc is writing files to this folder", path)
            time.sleep(0.01)
        yield is_dead and is_at(handle, path) and _is_ours(handle)
    finally:
        os.close(handle)


def lock(handle: int) -> bool:
    """Lock an open file or folder for this process until it is closed. Return whether this succeeded. The content of a
    file does not change.
    """
    from filelock import lock_descriptor  # imported here, because few commands lock files

    return lock_descriptor(handle, blocking=False)


def is_at(handle: int, path: str) -> bool:
    """Return whether the open file still has this path. Another run may have removed it."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False))
    return False


def _is_ours(handle: int) -> bool:
    return not hasattr(os, "getuid") or os.fstat(handle).st_uid == os.getuid()


def _write(handle: int, path: str, paths: list[str], table: Table | None = None) -> None:
    """Write a journal. Its first byte is a space, because Windows locks this byte."""
    import json

    folder = os.path.dirname(path)
    lines = [[_relative(other, folder) for other in paths], *([] if table is None else [table])]
    os.lseek(handle, 0, os.SEEK_SET)
    with os.fdopen(os.dup(handle), "wb") as file:
        file.write(b" " + b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def _relative(path: str, folder: str) -> str:
    try:
        return os.path.relpath(path, folder)
    except ValueError:  # on another drive
        return path


def _finish(handle: int) -> None:
    """Remove the second line of a journal."""
    os.lseek(handle, 1, os.SEEK_SET)
    with os.fdopen(os.dup(handle), "rb") as file:
        size = 1 + len(file.readline(LARGEST_JOURNAL))
    os.ftruncate(handle, min(size, os.fstat(handle).st_size))


class Journal(NamedTuple):
    """The paths of all journals of a run, and the moves in one folder: None if they are final or have not begun."""

    paths: list[str]
    table: Table | None


NO_MOVES = Journal([], {})


def _has_moves(journal: Journal | None) -> bool:
    return journal is not None and journal.table is not None


def _read(path: str) -> Journal | None:
    """Return the content of a journal: None if incomplete, NO_MOVES if it is not a valid journal of this folder."""
    import json

    try:
        with open(path, "rb") as file:
            is_ours = _is_ours(file.fileno())
            file.seek(1)
            first, _, second = file.read(LARGEST_JOURNAL).partition(b"\n")
            names = json.loads(first)
            moves = json.loads(second) if second.endswith(b"\n") else None
    except (OSError, ValueError):
        return None
    with suppress(TypeError, KeyError, AttributeError, RecursionError):
        paths = [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in names]
        table = None if moves is None else {name: Move(*move) for name, move in moves.items()}
        if (
            is_ours
            and path in paths
            and {os.path.basename(other) for other in paths} == {os.path.basename(path)}
            and all(map(_is_move, table or {}, (table or {}).values()))
        ):
            return Journal(paths, table)
    return NO_MOVES


def _is_move(name: str, move: Move) -> bool:
    """Return whether a move stays in its folder, and has the file names that this program uses."""
    return (
        os.path.basename(name) == name not in ("", ".", "..")
        and os.path.basename(move.temporary) == move.temporary
        and move.temporary.startswith(temporary_prefix(name))
        and move.before in ("", f"{move.temporary}~")
        and _DIGEST.fullmatch(move.digest) is not None
    )


class Restored(NamedTuple):
    """The restored files, and files that somebody changed after they were moved. `is_done` is False after an error."""

    names: list[str]
    changed: list[str]
    is_done: bool


def _restore(tables: Mapping[str, Table]) -> Restored:
    """Restore the previous version of each moved file. A file that somebody changed meanwhile stays as it is."""
    names, changed, is_done = [], [], True
    for path, table in tables.items():
        folder = os.path.dirname(path)
        for name, move in table.items():
            target, before = os.path.join(folder, name), os.path.join(folder, move.before)
            if os.path.lexists(os.path.join(folder, move.temporary)) or move.before and not os.path.lexists(before):
                continue  # not moved, or already restored
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
        parts.append(f"the earlier files have been restored: {_listed(restored.names)}")
    if restored.changed:
        parts.append(f"files changed since then were kept: {_listed(restored.changed)}")
    if parts and sys.stderr is not None:
        print(f"{folder}: a run ended before it had written all its files; {'; '.join(parts)}", file=sys.stderr)


def _listed(names: list[str]) -> str:
    return ", ".join(map(ascii, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _remove(path: str) -> None:
    """Remove the journal of a run that has ended, and the temporary files of this run in the same folder."""
    folder, name = os.path.split(path)
    suffix = _suffix(name)
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)
    for other in names:
        if other.startswith(".") and other.rstrip("~").endswith(suffix):
            _unlink(os.path.join(folder, other))
    _unlink(path)  # last, because it lists the other files


def _suffix(name: str) -> str:
    """Return the suffix of a run's temporary files."""
    return f".{name.removeprefix(MARK)}"


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def temporary_prefix(name: str) -> str:
    return f".{name[:50]}."


def _link_or_copy(target: str, other: str) -> None:
    """Make a hard link to a file, or a copy if the file system has no links."""
    try:
        os.link(target, other, follow_symlinks=False)
    except OSError:
        import shutil

        shutil.copy2(target, f"{other}~", follow_symlinks=False)
        os.replace(f"{other}~", other)  # only a complete copy gets this name, because it may be restored


def _digest(path: str) -> str | None:
    import hashlib  # imported here, because few commands write files

    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mode(target: str) -> int:
    """Return the permissions of the existing file, or the permissions of a new file."""
    with suppress(OSError):
        if (status := os.lstat(target)) and stat.S_ISREG(status.st_mode):
            return stat.S_IMODE(status.st_mode) & 0o777
    return 0o666 & ~umask()


def umask() -> int:
    """Return the permission bits that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
