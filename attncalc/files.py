"""Files are written whole or not at all, and what a person made is never silently replaced.

`write_file` and `write_folder` are the only ways in which commands write. A file is first written beside its place
under another name and then moved there, so that a full disk, a fault or Ctrl-C leaves what was there before, and
nothing else.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

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


class Staged:
    """A folder that files are written into one by one, under other names; all of them get their own at its end, or
    none.

        with Staged("feedback") as staged:
            staged.add("a.md", "…")

    No file gets the place of one of `apart`.
    """

    def __init__(self, path: str, apart: Iterable[str] = ()):
        require_folder(path)
        self.path = path
        self.apart = {os.path.realpath(one) for one in apart}
        self.made: list[str] = []
        self.written: dict[str, str] = {}

    def __enter__(self) -> Staged:
        self.made = _missing(self.path)
        os.makedirs(self.path, exist_ok=True)
        return self

    def add(self, name: str, content: str | bytes) -> None:
        """Writes one file, under another name for now. Raises AttncalcError where the disk is full."""
        target = os.path.join(self.path, name)
        if os.path.realpath(target) in self.apart:
            raise AttncalcError(Diagnostic("expected another name: one of the pages is called so", Location(target)))
        try:
            self.written[name] = _beside(target, content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise AttncalcError(
                Diagnostic(f"the folder cannot be written: {error.strerror}", Location(self.path))
            ) from None

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            _remove(list(self.written.values()), self.made)
            return
        for name in list(self.written):
            os.replace(self.written.pop(name), os.path.join(self.path, name))


def put(target: str, raw: bytes) -> None:
    """Puts a file in its place whole, whatever stood there. Raises OSError."""
    os.replace(_beside(target, raw), target)


def lock(handle: int) -> bool | None:
    """Whether an open file or folder is now locked for this process, until it is closed; None where the system cannot
    (Windows).

    A lock on the folder itself leaves no file behind, and a lock on a file leaves its text as it is.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
