"""Files are written whole or not at all, and what a person made is never silently replaced.

`write_file`, `write_folder` and `Together` are the only ways in which commands write. A file is first written next to
its place under another name and then moved there, so that a full disk, a fault or Ctrl-C leaves what was there before,
and nothing else.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar

from .errors import AttncalcError, Diagnostic, Location

# Control characters, and those that turn the direction of what follows: written as \uXXXX in JSON and in tables.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)

# How files begin that are not text, by the ending of their names; what else ends so is no folder's name
_SIGNS = {".pdf": b"%PDF", ".png": b"\x89PNG"} | dict.fromkeys((".xlsx", ".ods", ".docx", ".odt", ".zip"), b"PK")
_TEXTS = (".csv", ".html", ".json", ".md", ".tex", ".txt", ".typ", ".xml", ".yaml", ".yml")


def escaped(text: str) -> str:
    """A text in which every character can be seen: control characters and changes of direction as \\uXXXX."""
    return UNSEEN.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def as_json(data: object, indent: int | None = 1) -> str:
    """JSON with letters of every script as they are, and nothing in it that a terminal or an editor obeys."""
    import json

    return escaped(json.dumps(data, ensure_ascii=False, indent=indent))


def write_file(path: str, content: str | bytes, force: bool, read: tuple[str, ...] = ()) -> None:
    """Writes a file whole or not at all. A file that is there is replaced only with `force`, and one of `read` never.

    Devices and pipes are written to; a pipe that nobody reads is refused. Raises AttncalcError.
    """
    refuse_unwritable(path, force, read)
    raw = content if isinstance(content, bytes) else content.encode()
    refuse_other_format(path, raw)
    special = os.path.exists(path) and not os.path.isfile(path)
    target = os.path.realpath(path)
    try:
        if special:
            _into_device(path, raw)
        elif together := _TOGETHER.get():
            together.add(path, raw)
        else:
            put(target, raw)
    except OSError as error:
        reason = error.strerror if os.path.isdir(os.path.dirname(target)) else "there is no such folder"
        raise AttncalcError(Diagnostic(f"the file cannot be written: {reason}", Location(path))) from None


def refuse_unwritable(path: str, force: bool, read: tuple[str, ...] = (), asked_by: str = "--output") -> None:
    """Raises AttncalcError for a folder, for one of `read`, and without `force` for a file that is there."""
    if os.path.isdir(path) or not path:
        raise AttncalcError(
            Diagnostic(f"expected a file, found {'a folder' if path else 'nothing'}", Location(path or asked_by))
        )
    if any(os.path.isfile(path) and is_same(path, one) for one in read):
        raise AttncalcError(Diagnostic("expected another file; this one is the input", Location(path)))
    if os.path.isfile(path) and not force:
        raise AttncalcError(Diagnostic("the file is there already; --force replaces it", Location(path)))


def require_folder(path: str, asked_by: str = "--output") -> None:
    """Raises AttncalcError for a file, and for a name that ends as a file's does where no such folder is there."""
    ending = os.path.splitext(path.rstrip("/"))[1].lower()
    if os.path.isdir(path):
        return
    if os.path.exists(path) or not path:
        found = "a file" if path else "nothing"
    elif ending in _SIGNS or ending in _TEXTS:
        found = f"the name of a file that ends in {ending}"
    else:
        return
    raise AttncalcError(Diagnostic(f"expected a folder, found {found}", Location(path or asked_by)))


def refuse_other_format(path: str, raw: bytes = b"") -> None:
    """Raises AttncalcError where a name ends as that of a workbook or a PDF, and what is written is none."""
    ending = os.path.splitext(path)[1].lower()
    if not raw.startswith(_SIGNS.get(ending, b"")):
        raise AttncalcError(Diagnostic(f"expected another ending: this output is no {ending} file", Location(path)))


def write_folder(path: str, files: Mapping[str, str | bytes], force: bool) -> None:
    """Writes all files into a folder or none of them; a folder that is there keeps its other files and its permissions.

    Files of the same name are replaced only with `force`. Raises AttncalcError.
    """
    require_folder(path)
    there = sorted(name for name in files if os.path.lexists(os.path.join(path, name)))
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise AttncalcError(Diagnostic(f"{there[0]}{more} already exist; --force replaces them", Location(path)))
    made = _missing(path)
    written: dict[str, str] = {}
    try:
        os.makedirs(path, exist_ok=True)
        for name, content in files.items():
            written[name] = _beside(
                os.path.join(path, name), content if isinstance(content, bytes) else content.encode()
            )
        for name in files:
            os.replace(written.pop(name), os.path.join(path, name))
    except BaseException as error:
        _remove(list(written.values()), made)
        if isinstance(error, OSError):
            raise AttncalcError(Diagnostic(f"the folder cannot be written: {error.strerror}", Location(path))) from None
        raise


class Together:
    """All files that are written inside get their places together at its end, or none of them does.

        with Together(["marks.csv", "feedback/"]) as together:
            write_file("marks.csv", "…", force=True)
            together.add("feedback/ada.md", "…")

    Each file is written under another name first. Then all of them are renamed; if one cannot be, those that were get
    their earlier content back. A place that ends in / is a folder, which is made at the start. Raises AttncalcError at
    the start where something cannot be written.
    """

    def __init__(self, places: Iterable[str] = ()):
        self._places = list(places)
        self._made: list[str] = []
        self._written: dict[str, str] = {}  # names for now, by their places

    def __enter__(self) -> Together:
        try:
            for place in self._places:
                self._require(place)
        except BaseException:
            _remove([], self._made)
            raise
        self._before = _TOGETHER.set(self)
        return self

    def add(self, path: str, content: str | bytes) -> None:
        """Writes one file, under another name for now. Raises AttncalcError where the disk is full, and where another
        file has this place.
        """
        target = os.path.realpath(path)
        if target in self._written:
            raise AttncalcError(Diagnostic("expected another name: one of the pages is called so", Location(path)))
        try:
            self._written[target] = _beside(target, content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise _unwritable(os.path.dirname(path) or path, error) from None

    def __exit__(self, kind: object, *_: object) -> None:
        _TOGETHER.reset(self._before)
        try:
            if kind is None:
                _replace_all(self._written)
                self._made = []
        finally:
            _remove(list(self._written.values()), self._made)

    def _require(self, place: str) -> None:
        """Makes a folder, and tries whether a file can be written there."""
        folder = place if place.endswith("/") else os.path.dirname(os.path.realpath(place))
        try:
            if place.endswith("/"):
                require_folder(place)
                self._made = [*_missing(place), *self._made]
                os.makedirs(place, exist_ok=True)
            os.unlink(_beside(os.path.join(folder, "attncalc"), b""))
        except OSError as error:
            raise _unwritable(place, error) from None


_TOGETHER: ContextVar[Together | None] = ContextVar("together", default=None)


def _unwritable(place: str, error: OSError) -> AttncalcError:
    what = "folder" if place.endswith("/") or os.path.isdir(place) else "file"
    return AttncalcError(Diagnostic(f"the {what} cannot be written: {error.strerror}", Location(place.rstrip("/"))))


def _replace_all(written: dict[str, str]) -> None:
    """Moves files to their places, all or none, and empties the table of their names."""
    kept: dict[str, str] = {}  # what was there, under other names
    moved: list[str] = []
    try:
        for target, temporary in written.items():
            if os.path.lexists(target):
                kept[target] = f"{temporary}~"
                _keep(target, kept[target])
        for target, temporary in written.items():
            os.replace(temporary, target)
            moved.append(target)
    except BaseException as error:
        for target in moved:
            with suppress(OSError):  # what cannot be moved back keeps its other name
                if target in kept:
                    os.replace(kept.pop(target), target)
                else:
                    os.unlink(target)
        if isinstance(error, OSError):
            at = next((target for target in written if target not in moved), "")
            raise AttncalcError(Diagnostic(f"the file cannot be written: {error.strerror}", Location(at))) from None
        raise
    finally:
        _remove(list(kept.values()), [])
    written.clear()


def _keep(target: str, other: str) -> None:
    """Gives a file another name as well; a copy has it where the disk has no links."""
    try:
        os.link(target, other, follow_symlinks=False)
    except OSError:
        import shutil

        shutil.copy2(target, other)


def put(target: str, raw: bytes) -> None:
    """Puts a file in its place whole, whatever stood there. Raises OSError."""
    os.replace(_beside(target, raw), target)


def lock(handle: int) -> bool:
    """Whether an open file or folder is now locked for this process, until it is closed.

    A lock on the folder itself leaves no file behind, and a lock on a file leaves its text as it is.
    """
    from filelock import lock_descriptor  # here, since few commands lock

    return lock_descriptor(handle, blocking=False)


class Hold:
    """A file kept for one process: a hidden file next to it is locked as long as that process lives and holds it, and
    says what holds it. It is gone afterwards.

        with Hold("class.csv", wait=10):
            ...

    A thread that holds it may hold it again. Where another process holds the file for longer than `wait` seconds, this
    raises AttncalcError with what the note of that process says.
    """

    def __init__(self, path: str, wait: float = 0):
        folder, name = os.path.split(os.path.realpath(path))
        self.path, self.wait = path, wait
        self._note = os.path.join(folder, f".{name}.lock")
        self._handle = self._depth = 0

    def __enter__(self) -> Hold:
        if not self._depth:
            self._handle = self._locked()
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            with suppress(OSError):  # Windows removes no open file
                os.unlink(self._note)
            os.close(self._handle)

    def note(self, text: str) -> None:
        """Writes what others read who want the file meanwhile. The first byte is the lock's on Windows."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, f" {text}\n".encode())

    def _locked(self) -> int:
        end = time.monotonic() + self.wait
        while True:
            try:
                handle = os.open(self._note, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            except PermissionError:  # another person's, whose note is not ours to read
                handle = -1
            except OSError as error:
                said = f"the file cannot be written: {error.strerror}"
                raise AttncalcError(Diagnostic(said, Location(self.path))) from None
            if handle >= 0 and lock(handle):
                if self._is_there(handle):
                    os.ftruncate(handle, 0)  # the note of one that was killed
                    return handle
                os.close(handle)
                continue
            held = _noted(handle)
            if time.monotonic() > end:
                said = "another run of attncalc writes into this file" + (f": {held}" if held else "")
                raise AttncalcError(Diagnostic(said, Location(self.path)))
            time.sleep(0.01)

    def _is_there(self, handle: int) -> bool:
        """Whether the locked file is still the one of this name; whoever held it before may have removed it."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(handle), os.stat(self._note))
        return False


def _noted(handle: int) -> str:
    """What stands in the file of a lock that another process holds; the handle is closed."""
    if handle < 0:
        return ""
    with suppress(OSError), open(handle, "rb") as file:
        file.seek(1)
        return file.read(200).decode("utf-8", "replace").partition("\n")[0]
    return ""


def is_ordinary(path: str) -> bool:
    """Whether a path is that of a file, or of one that can be made: no device, and no pipe."""
    return os.path.isfile(path) or not os.path.exists(path)


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is in a folder or below it, wherever links lead."""
    home = os.path.realpath(folder)
    return os.path.commonpath([home, os.path.realpath(path)]) == home


def _beside(target: str, raw: bytes) -> str:
    """A new file beside its place, under a name of its own."""
    import tempfile  # here, since few commands write files

    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=f".{os.path.basename(target)[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(temporary, 0o666 & ~umask())
    except BaseException:
        _remove([temporary], [])
        raise
    return temporary


def _into_device(path: str, raw: bytes) -> None:
    """Without waiting for a reader: opening a pipe that nobody reads would wait for ever."""
    try:
        handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads this pipe") from None
        raise
    with os.fdopen(handle, "wb") as file:
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        file.write(raw)


def _missing(path: str) -> list[str]:
    """The folders on the way to a path that are not there yet, the innermost first."""
    found = []
    path = os.path.abspath(path)
    while not os.path.lexists(path):
        found.append(path)
        path = os.path.dirname(path)
    return found


def _remove(files: list[str], folders: list[str]) -> None:
    for remove, names in ((os.unlink, files), (os.rmdir, folders)):
        _each(remove, names)


def _each(remove: Callable[[str], None], names: list[str]) -> None:
    for name in names:
        with suppress(OSError):
            remove(name)


def is_same(path: str, other: str) -> bool:
    """Whether two paths lead to the same place, be it there already or not."""
    there = os.path.exists(path) and os.path.exists(other)
    return os.path.samefile(path, other) if there else os.path.realpath(path) == os.path.realpath(other)


def umask() -> int:
    """What is taken from the permissions of a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
