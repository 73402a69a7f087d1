"""Writes complete files or nothing, and never replaces a user's file without permission.

Commands write only with `write_file`, `write_folder` and `Together`. A file is written under a temporary name and then
renamed. After a full disk, an error or Ctrl-C, the previous files are unchanged. A file that another run has locked is
not replaced.

A file that the command reads is an input. It is identified by its path and by its inode, so a link and its target are
the same file. Nothing is recorded for programs that call functions of attncalc.
"""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from .errors import AttncalcError, Diagnostic, Location
from .output_journal import WAIT, Placement, is_at, lock, settle

# -- the files that a command reads, so that no output replaces one of them --------------------------------------------

Identity = str | tuple[int, int]


@dataclass(slots=True)
class _Inputs:
    """The files that were read, and the paths of those that the command may replace."""

    read: set[Identity] = field(default_factory=set)
    replaceable: set[str] = field(default_factory=set)


_INPUTS: ContextVar[_Inputs | None] = ContextVar("inputs", default=None)


@contextmanager
def noting_inputs() -> Iterator[None]:
    """Record the files that this thread reads, until the end of the block."""
    before = _INPUTS.set(_Inputs())
    try:
        yield
    finally:
        _INPUTS.reset(before)


def note_input(path: str) -> None:
    if inputs := _INPUTS.get():
        inputs.read |= _identities(path)


def allow_replacing(path: str) -> None:
    """Allow the command to replace a file that it reads, because its purpose is to change this file."""
    if inputs := _INPUTS.get():
        inputs.replaceable.add(os.path.realpath(path))


def refuse_input(path: str) -> None:
    """Raise AttncalcError if the output file is an input that may not be replaced."""
    inputs = _INPUTS.get()
    if inputs and os.path.realpath(path) not in inputs.replaceable and _identities(path) & inputs.read:
        raise AttncalcError(Diagnostic("expected a different file; this one is the input", Location(path)))


def _identities(path: str) -> set[Identity]:
    """Return the path and the inode of a regular file. Return nothing for pipes, devices and missing files."""
    with suppress(OSError, ValueError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):
            return {os.path.realpath(path), (status.st_dev, status.st_ino)}
    return set()


# -- outputs -----------------------------------------------------------------------------------------------------------


# Control characters, and characters that change the text direction: written as \uXXXX in JSON and in tables.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)

# The first bytes of binary files, by the ending of their names
_SIGNS = {".pdf": b"%PDF", ".png": b"\x89PNG"} | dict.fromkeys((".xlsx", ".ods", ".docx", ".odt", ".zip"), b"PK")
_TEXTS = (".csv", ".html", ".json", ".md", ".tex", ".txt", ".typ", ".xml", ".yaml", ".yml")
SECRET = ".secret"  # the ending of the file with an exam's secret


def escape(text: str) -> str:
    """Replace control characters and changes of the text direction by \\uXXXX."""
    return INVISIBLE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def as_json(data: object, indent: int | None = 1) -> str:
    """Return JSON with unescaped letters of every script, without characters that control a terminal or an editor."""
    import json

    return escape(json.dumps(data, ensure_ascii=False, indent=indent))


def write_file(path: str, content: str | bytes, force: bool) -> None:
    """Write a complete file or nothing. An existing file is replaced only with `force`, and an input is never replaced.

    Devices and pipes are also written, unless no program reads the pipe. Raises AttncalcError.
    """
    refuse_unwritable(path, force)
    raw = content if isinstance(content, bytes) else content.encode()
    refuse_other_format(path, raw)
    special = os.path.exists(path) and not os.path.isfile(path)
    target = os.path.realpath(path)
    try:
        if special:
            _write_device(path, raw)
        elif together := _TOGETHER.get():
            together.add(target, raw, force)
        else:
            with Hold(path):
                replace_file(target, raw, force)
    except OSError as error:
        raise _unwritable_file(path, error) from None


def refuse_standard_output(path: str, expected: str, asked_by: str) -> None:
    """Raise AttncalcError if the path is `-` (standard output), because the output needs a file or a folder."""
    if path == "-":
        message = (
            f"expected {expected}, found `-` (standard output), which accepts only one text; for {expected} with the "
            "name `-`, write ./-"
        )
        raise AttncalcError(Diagnostic(message, Location(asked_by)))


def refuse_unwritable(path: str, force: bool, asked_by: str = "--output") -> None:
    """Raise AttncalcError for a folder, `-`, an input, a locked or write-protected file, and without `force` for any
    existing file. First the moves of a killed run in the folder are undone.
    """
    refuse_standard_output(path, "a file", asked_by)
    _settle(os.path.dirname(os.path.realpath(path)), path)
    if os.path.isdir(path) or not path:
        raise AttncalcError(
            Diagnostic(f"expected a file, found {'a folder' if path else 'nothing'}", Location(path or asked_by))
        )
    Hold(path).require()
    refuse_input(path)
    if os.path.isfile(path) and not force:
        raise _existing(path)
    if os.path.isfile(path) and os.path.realpath(path).endswith(SECRET):
        message = "this file could be the secret of an exam, which nobody can create again; choose a different name"
        raise AttncalcError(Diagnostic(message, Location(path)))
    if os.path.isfile(path) and not os.access(path, os.W_OK):
        raise AttncalcError(Diagnostic("the file cannot be written: it is write-protected", Location(path)))


def require_folder(path: str, asked_by: str = "--output") -> None:
    """Raise AttncalcError for a file, `-`, and a missing folder whose name ends like a file's name. First the moves of
    a killed run in the folder are undone.
    """
    refuse_standard_output(path, "a folder", asked_by)
    if os.path.isdir(path):
        _settle(path, path)
        Hold(os.path.join(path, "attncalc")).require()
    ending = os.path.splitext(path.rstrip("/"))[1].lower()
    if os.path.isdir(path):
        return
    if os.path.exists(path) or not path:
        description = "a file" if path else "nothing"
    elif ending in _SIGNS or ending in _TEXTS:
        description = f"a file name that ends in {ending}"
    else:
        return
    raise AttncalcError(Diagnostic(f"expected a folder, found {description}", Location(path or asked_by)))


def refuse_used_folder(path: str, new_folders: Collection[str] = ()) -> None:
    """Raise AttncalcError if a folder has entries other than `new_folders` and hidden files."""
    with os.scandir(path) as entries:
        names = [entry.name for entry in entries if not entry.name.startswith(".")]
    if any(os.path.join(os.path.abspath(path), name) not in new_folders for name in names):
        message = "the folder is not empty; use --force to replace files of the same name"
        raise AttncalcError(Diagnostic(message, Location(path)))


def _settle(folder: str, place: str) -> None:
    """Undo the moves of killed runs in a folder. Raises AttncalcError if another run is moving files there."""
    try:
        settle(folder)
    except OSError as error:
        raise _unwritable(place, error) from None


def refuse_other_format(path: str, raw: bytes = b"") -> None:
    """Raise AttncalcError if the name has the ending of a binary format, such as .pdf, and the content has another
    format.
    """
    ending = os.path.splitext(path)[1].lower()
    if not raw.startswith(_SIGNS.get(ending, b"")):
        raise AttncalcError(Diagnostic(f"cannot write this output as a {ending} file", Location(path)))


def write_folder(path: str, files: Mapping[str, str | bytes], force: bool) -> None:
    """Write all files into a folder or none of them. The other files of an existing folder stay, and so do its
    permissions.

    Files with the same name are replaced only with `force`. Raises AttncalcError.
    """
    require_folder(path)
    there = sorted(name for name in files if os.path.lexists(os.path.join(path, name)))
    if there and not force:
        exist, them = (
            (f"and {len(there) - 1} more already exist", "them") if len(there) > 1 else ("already exists", "it")
        )
        raise AttncalcError(Diagnostic(f"{there[0]} {exist}; use --force to overwrite {them}", Location(path)))
    with Together([f"{path}/"]) as together:
        for name, content in files.items():
            together.add(os.path.join(path, name), content, force)


class Together:
    """A block at whose end all files written in it get their final names together. After an error, no file does.

        with Together(["marks.csv", "feedback/"]) as together:
            write_file("marks.csv", "…", force=True)
            together.add("feedback/ada.md", "…")

    Each file is first written under a temporary name. If a file cannot be renamed, or the program is killed, the
    previous files are restored. A path that ends in / is a folder, which is created at the start. Raises AttncalcError
    at the start if a path cannot be written, and at the end if the folder `unused` has files.
    """

    def __init__(self, places: Iterable[str] = (), unused: str | None = None):
        self._places = list(places)
        self._unused = unused
        self._new_folders: list[str] = []
        self._placement = Placement()
        self._targets: set[str] = set()

    def __enter__(self) -> Together:
        try:
            for place in self._places:
                self._require(place)
        except BaseException:
            self._clear()
            raise
        self._before = _TOGETHER.set(self)
        return self

    def add(self, path: str, content: str | bytes, force: bool = True) -> None:
        """Write one file under a temporary name. An existing link is replaced, and its target stays. Without `force`,
        the end of the block raises AttncalcError if the file exists.

        Raises AttncalcError if the disk is full, or if another file in the block has this path.
        """
        if not os.path.islink(path):
            refuse_input(path)
        target = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if target in self._targets:
            raise AttncalcError(
                Diagnostic("expected a different name: one of the pages already has this name", Location(path))
            )
        self._targets.add(target)
        try:
            self._placement.write(target, content if isinstance(content, bytes) else content.encode(), not force)
        except OSError as error:
            raise _unwritable(os.path.dirname(path) or path, error) from None

    def other_files(self, folder: str, known: Iterable[str]) -> list[str]:
        """Return the names of the files in a folder that the block does not write, and that are not known. Hidden files
        are left out.
        """
        home, expected = os.path.realpath(folder), self._targets | {os.path.realpath(path) for path in known}
        with os.scandir(home) as entries:
            names = [entry.name for entry in entries if entry.is_file() and not entry.name.startswith(".")]
        return sorted(name for name in names if os.path.join(home, name) not in expected)

    def __exit__(self, kind: object, *_: object) -> None:
        _TOGETHER.reset(self._before)
        try:
            if kind is None:
                self._replace()
                self._new_folders = []
        finally:
            self._clear()

    def _clear(self) -> None:
        self._placement.close()
        remove_empty(self._new_folders)

    def _replace(self) -> None:
        """Lock the paths, and move all files to them."""
        with ExitStack() as holds:
            named = {f"{place}attncalc" if place.endswith("/") else place for place in self._places}
            held = {os.path.realpath(place) for place in named} | {
                target_path for target_path in self._targets if Hold(target_path).has_note
            }
            for target in sorted(held):
                holds.enter_context(Hold(target))
            try:
                for folder in sorted({os.path.dirname(target) for target in self._targets}):
                    settle(folder)
                if self._unused is not None:
                    refuse_used_folder(self._unused, self._new_folders)
                self._placement.replace_all()
            except FileExistsError as error:
                raise _existing(error.filename) from None
            except OSError as error:
                raise _unwritable_file(error.filename or "", error) from None

    def _require(self, place: str) -> None:
        """Create the folder of a path, and check that a file can be written there."""
        folder = place if place.endswith("/") else os.path.dirname(os.path.realpath(place))
        try:
            if place.endswith("/"):
                require_folder(place)
                self._new_folders = [*missing_folders(place), *self._new_folders]
                os.makedirs(place, exist_ok=True)
            settle(folder)
            self._placement.open(folder)
        except OSError as error:
            raise _unwritable(place, error) from None


_TOGETHER: ContextVar[Together | None] = ContextVar("together", default=None)


def _unwritable(place: str, error: OSError) -> AttncalcError:
    what = "folder" if place.endswith("/") or os.path.isdir(place) else "file"
    return AttncalcError(Diagnostic(f"the {what} cannot be written: {error.strerror}", Location(place.rstrip("/"))))


def _existing(path: str) -> AttncalcError:
    return AttncalcError(Diagnostic("the file already exists; use --force to overwrite it", Location(path)))


def _unwritable_file(path: str, error: OSError) -> AttncalcError:
    if isinstance(error, FileExistsError):
        return _existing(path)
    reason = error.strerror if os.path.isdir(os.path.dirname(os.path.realpath(path))) else "this folder does not exist"
    return AttncalcError(Diagnostic(f"the file cannot be written: {reason}", Location(path)))


def replace_file(target: str, raw: bytes, force: bool = True) -> None:
    """Replace a file atomically, with its content on the disk. Raises OSError, also for a file that exists if `force`
    is not set.
    """
    placement = Placement()
    try:
        placement.write(target, raw, not force)
        placement.replace_one()
    finally:
        placement.close()


@dataclass(slots=True)
class _HoldState:
    """The state of a file's lock in this process: thread lock, handle, and number of holders."""

    turn: Any = field(default_factory=RLock)
    handle: int = -1
    count: int = 0


_HELD: dict[str, _HoldState] = {}  # by the paths of the hidden files


class Hold:
    """A lock on a file for one thread of one process. During the block, a hidden file next to the file is locked.

        with Hold("class.csv"):
            ...

    The same thread may lock the file again, and other threads wait. Another process waits up to WAIT seconds, and then
    raises AttncalcError. If the hidden file has a note, it raises AttncalcError with the note at once.
    """

    def __init__(self, path: str):
        folder, name = os.path.split(os.path.realpath(path))
        self.path = path
        self._note = os.path.join(folder, f".{name if len(os.fsencode(name)) < 240 else _short_name(name)}.lock")

    @property
    def _state(self) -> _HoldState:
        return _HELD.setdefault(self._note, _HoldState())

    @property
    def has_note(self) -> bool:
        return os.path.lexists(self._note)

    def __enter__(self) -> Hold:
        state = self._state
        state.turn.acquire()
        try:
            if not state.count:
                state.handle = self._acquire_lock()
            state.count += 1
        except BaseException:
            state.turn.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        state = self._state
        state.count -= 1
        if not state.count:
            with suppress(OSError):  # Windows does not remove an open file
                os.unlink(self._note)
            os.close(state.handle)
        state.turn.release()

    def require(self) -> None:
        if self.has_note:
            with self:
                pass

    @contextmanager
    def for_process(self) -> Iterator[None]:
        """Lock the file for this process. Its threads can take turns."""
        with self:
            self._state.count += 1
        try:
            yield
        finally:
            with self:
                self._state.count -= 1

    def note(self, text: str) -> None:
        """Write a note for other processes into the hidden file. A space precedes it, because Windows locks the first
        byte.
        """
        os.lseek(self._state.handle, 0, os.SEEK_SET)
        os.write(self._state.handle, f" {text}\n".encode())

    def _acquire_lock(self) -> int:
        end = time.monotonic() + WAIT
        while True:
            try:
                handle = os.open(self._note, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
                is_ours = lock(handle)
            except OSError as error:
                if not (isinstance(error, PermissionError) and self.has_note):
                    raise _unwritable_file(self.path, error) from None
                message = (
                    f"another person's run of attncalc left the file {self._note}; remove it if that run has ended"
                )
                raise AttncalcError(Diagnostic(message, Location(self.path))) from None
            if is_ours:
                if is_at(handle, self._note):
                    with suppress(OSError):  # removes the note of a killed run
                        os.ftruncate(handle, 0)
                    return handle
                os.close(handle)
                continue
            held = _read_note(handle)
            if held or time.monotonic() > end:
                message = "another run of attncalc is writing to this file" + (f": {held}" if held else "")
                raise AttncalcError(Diagnostic(message, Location(self.path)))
            time.sleep(0.01)


def _short_name(name: str) -> str:
    """Return a hash of a name that is too long for a suffix."""
    import hashlib

    return hashlib.sha256(os.fsencode(name)).hexdigest()


def _read_note(handle: int) -> str:
    """Return the note in another process's lock file, and close the handle."""
    with suppress(OSError), open(handle, "rb") as file:
        file.seek(1)
        return file.read(200).decode("utf-8", "replace").partition("\n")[0]
    return ""


def is_ordinary(path: str) -> bool:
    """Return whether the path is a regular file, or no file yet. False for devices and pipes."""
    return os.path.isfile(path) or not os.path.exists(path)


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder or in this folder or its subfolders. Links are resolved, and on some file
    systems small and capital letters are the same.
    """
    place = os.path.realpath(path)
    while not is_same(place, folder):
        if (parent := os.path.dirname(place)) == place:
            return False
        place = parent
    return True


def _write_device(path: str, raw: bytes) -> None:
    """Write to a device or pipe. Raises OSError if no program reads from the pipe."""
    try:
        handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "no program is reading from this pipe") from None
        raise
    with os.fdopen(handle, "wb") as file:
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        file.write(raw)


def missing_folders(path: str) -> list[str]:
    """Return the folders of a path that do not exist, the innermost first."""
    folders = []
    path = os.path.abspath(path)
    while not os.path.lexists(path):
        folders.append(path)
        path = os.path.dirname(path)
    return folders


def remove_empty(folders: list[str]) -> None:
    """Remove the empty folders in the list."""
    for folder in folders:
        with suppress(OSError):
            os.rmdir(folder)


def is_same(path: str, other: str) -> bool:
    """Return whether two paths, which may not exist, lead to the same file."""
    there = os.path.exists(path) and os.path.exists(other)
    return os.path.samefile(path, other) if there else os.path.realpath(path) == os.path.realpath(other)


# -- CSV whose cells no spreadsheet evaluates as formulas --------------------------------------------------------------


LONGEST = 2_000  # characters of a cell
# Texts that a spreadsheet may evaluate, also if it splits cells at a semicolon
_FORMULA_START = re.compile(r"(?:^|(?<=[;\t]))(?=\s*[=+\-@|%＝＋－＠])")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def safe_cell(text: str) -> str:
    """Return a cell in one line that every spreadsheet shows as text. An apostrophe precedes a possible formula.
    Numbers are unchanged.
    """
    clean = " ".join(
        "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text[:LONGEST]).split()
    )
    return clean if _NUMBER.fullmatch(clean) else _FORMULA_START.sub("'", clean)


def as_csv(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as CSV. `safe_cell` changes every cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([safe_cell(cell) for cell in row] for row in rows)
    return out.getvalue()
