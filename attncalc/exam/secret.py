"""The secret of an exam. HMAC-SHA256 derives the variants and the codes of the papers from it.

`exam` stores the secret in a file next to the exam sheet. Its two values are random and independent, so that the codes,
which are printed, reveal nothing about the numbers. If the sheet contains the secret or the seed, the codes are derived
from the content of the paper. The file names its sheet, because two sheets with the same secret could have the same
numbers: the papers of one sheet would then reveal the other.

A secret that a person wrote has as many bits as its shortest description. A character costs the bits of its alphabet. A
piece that occurs earlier in the secret, or that keyboards suggest, costs COPY bits, even if it is long. Repetitions,
runs and leading zeros therefore add few bits.
"""

from __future__ import annotations

import errno
import hmac
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf, log2

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostic, Location, shorten, warn
from ..safe_files import SECRET, as_json, refuse_standard_output
from .sheet.model import Student
from .sheet_files import is_bundled, short_name

BYTES = 16
LARGEST = 10_000  # bytes of the file
KEPT = (
    "created: attncalc generates the papers from this random secret. Keep this file in this folder, and back it up: "
    "without the secret, nobody can make these papers again. Do not publish the secret: anyone who has the secret and "
    "the sheet can make the papers and their solutions"
)
SHARED = (
    "two sheets with the same secret can have the same numbers, so the papers of one can reveal the numbers of the "
    "other"
)
LOST = (
    "this file does not exist, but {folder} has papers of an exam; restore the file, or choose a different folder "
    "(--force replaces the papers and the key)"
)
TRIED = "there is no secret yet, so these variants are only a trial; with -o FOLDER, attncalc writes different variants"
_TEXT = """\
# The random secret of one exam sheet: `attncalc exam` generates the papers from it.
# Keep this file in this folder, and back it up: without the secret, nobody can make these papers again.
# Do not publish the secret: anyone who has the secret and the sheet can make the papers and their solutions.
{sheet}papers: {papers}
codes: {codes}
"""
_LINE = re.compile(r"(papers|codes): ([0-9a-f]{32})|(sheet): (\S.*)")
# No vowels, so that codes are not words; no letters that look like a different letter or a digit
LETTERS = "CDFHJKMNPQRTVWXY"
DIGITS = "2346789"
LENGTH = 4
LEAST_BITS = 64  # bits of a seed or a secret
COPY = 16.0  # bits that describe a copied piece: its source and its length
LONGEST = 1_000  # characters of a secret that count
# Alphabets of texts without punctuation: digits, hexadecimal digits, letters of one case, letters and digits, all
_ALPHABETS = (
    (10, r"[0-9]*"),
    (16, r"[0-9a-f]*|[0-9A-F]*"),
    (26, r"[a-z]*|[A-Z]*"),
    (36, r"[0-9a-z]*|[0-9A-Z]*"),
    (62, r"[0-9A-Za-z]*"),
)
_ANY = 95
_ROWS = ("01234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm")
_FAMILIAR = " ".join(word[::step] for row in _ROWS for word in (row, row.upper()) for step in (1, -1))


@dataclass(frozen=True, slots=True)
class Secret:
    """Two random values in hexadecimal digits, of 128 bits each."""

    papers: str
    codes: str


def sheet_name(path: str, source: str) -> str:
    """Return the name of a sheet in the secret at `path`: the relative path, which does not change if both files move.

    The name is empty for a sheet that is not a file, such as standard input.
    """
    if not secret_path(source):
        return ""
    if is_bundled(source):
        return f"{os.path.basename(source)} (bundled)"
    folder = os.path.realpath(os.path.dirname(path))
    sheet = os.path.join(os.path.realpath(os.path.dirname(source)), os.path.basename(source))
    with suppress(ValueError):  # on Windows, the two files may be on different drives
        sheet = os.path.relpath(sheet, folder)
    return as_json(sheet.replace(os.sep, "/"))[1:-1]


def secret_path(source: str) -> str:
    """Return the path of the secret of a sheet. It is next to the sheet; for a bundled sheet it is in the current
    folder. It is empty for standard input.
    """
    if source == "<stdin>" or (os.path.exists(source) and not os.path.isfile(source)):
        return ""
    return os.path.splitext(short_name(source))[0] + SECRET


def kept_secret(path: str, source: str) -> Secret | None:
    """Read the secret in a file for a sheet; None without a file. Raises AttncalcError for other content, and for the
    secret of another sheet. Warns if the sheets cannot be compared, because a name is missing.
    """
    refuse_standard_output(path, "a file", "--secret")
    if not path or not os.path.lexists(path):
        return None
    lines = read_bytes(path, LARGEST).decode("utf-8-sig", "replace").splitlines()
    values: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        match = _LINE.fullmatch(text)
        name, value = [group for group in match.groups() if group] if match else ("", "")
        if name and name not in values:
            values[name] = value
            if name == "sheet":
                _require_sheet(value, Location(path, number, 1), sheet_name(path, source))
        elif text and not text.startswith("#"):
            raise _damaged(path, number)
    if not {"papers", "codes"} <= values.keys():
        raise _damaged(path, len(lines) + 1)
    if "sheet" not in values:
        _require_sheet("", Location(path), sheet_name(path, source))
    return Secret(values["papers"], values["codes"])


def _require_sheet(kept: str, place: Location, sheet: str) -> None:
    """Raise AttncalcError for the secret of another sheet. Warn if a missing name prevents the check."""
    if kept == sheet and sheet:
        return
    if kept and sheet:
        says = (
            f"expected the sheet {shorten(kept)}, found {shorten(sheet)}: {SHARED}. For a different sheet, "
            f"choose a different secret with --secret FILE. If this sheet was renamed or moved, write `sheet: "
            f"{sheet}` in this line"
        )
        raise AttncalcError(says, place)
    remedy = (
        f"if this file is the secret of this sheet, add the line `sheet: {sheet}`"
        if sheet
        else "use this secret for only one sheet"
    )
    lacks = (
        "this secret does not contain the name of a sheet"
        if sheet
        else "this sheet is not a file, so the secret cannot contain its name"
    )
    warn([Diagnostic(f"warning: {lacks}, and {SHARED}; {remedy}", place)])


def _damaged(path: str, line: int) -> AttncalcError:
    """Return an error without the content of the file, because other people may read logs."""
    says = "expected the secret of an exam (papers: and codes:, each of 32 hexadecimal digits), found something else"
    return AttncalcError(f"{says}; restore the file from a backup", Location(path, line, 1))


def new_secret(path: str) -> Secret:
    """Return a new random secret for a file. Raises AttncalcError if it could not be written."""
    import secrets  # seldom needed

    if not path:
        says = "attncalc cannot store the secret next to this sheet; write --secret FILE"
        raise AttncalcError(says, Location("<stdin>"))
    folder = os.path.dirname(path) or "."
    if not os.access(folder, os.W_OK):
        raise _unkept(path, os.strerror(errno.EACCES if os.path.isdir(folder) else errno.ENOENT))
    return Secret(secrets.token_hex(BYTES), secrets.token_hex(BYTES))


@contextmanager
def keeping(secret: Secret, path: str, source: str) -> Iterator[None]:
    """Store a new secret during the block. If the block fails, remove the secret."""
    keep_secret(secret, path, source)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise


def keep_secret(secret: Secret, path: str, source: str) -> None:
    """Write the new secret of a sheet to a file that only its owner can read. Raises AttncalcError if this fails, or if
    another run has written a secret meanwhile.
    """
    import tempfile

    name = sheet_name(path, source)
    sheet = f"sheet: {name}\n" if name else ""
    text = _TEXT.format(sheet=sheet, papers=secret.papers, codes=secret.codes).encode()
    temporary = ""
    try:
        folder, start = os.path.dirname(path) or ".", f".{os.path.basename(path)[:50]}."
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=start)  # mkstemp sets the permissions 0600
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _place(temporary, path, text)
    except FileExistsError:
        says = "another run has just created this secret and generates different papers; run the command again"
        raise AttncalcError(says, Location(path)) from None
    except OSError as error:
        raise _unkept(path, error.strerror) from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _unkept(path: str, reason: str | None) -> AttncalcError:
    says = f"the secret cannot be stored here: {reason}; to choose a different file, write --secret FILE"
    return AttncalcError(says, Location(path))


def _place(temporary: str, path: str, text: bytes) -> None:
    """Move the file to its path atomically. Raises FileExistsError if the path exists."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError):  # the disk has no links
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text)


def _digest(key: bytes, *words: object) -> bytes:
    """Return 32 bytes that nobody can guess without the key. Equal words give equal bytes."""
    return hmac.new(key, "/".join(map(str, words)).encode(), "sha256").digest()


def secret_number(key: bytes, *words: object) -> int:
    """Return a number of 63 bits that nobody can guess without the key."""
    return int.from_bytes(_digest(key, *words)[:8], "big") >> 1


def _code(key: bytes, who: str, attempt: int = 0) -> str:
    """Return a code that begins with a letter and has a digit, so that no program reads it as a number or a word."""
    signs = LETTERS + DIGITS
    for k in range(1_000):
        random_bytes = _digest(key, "code", who, attempt, k)
        text = LETTERS[random_bytes[0] % len(LETTERS)] + "".join(signs[b % len(signs)] for b in random_bytes[1:LENGTH])
        if any(sign in DIGITS for sign in text):
            return text
    raise AssertionError("one of 1,000 codes contains a digit")


def new_code(key: bytes, student: Student, used_codes: set[str]) -> str:
    """Return an unused code, and add it to `used_codes`. The code of a student does not depend on later students."""
    attempt = 0
    while (text := _code(key, student.owner, attempt)) in used_codes:
        attempt += 1
    used_codes.add(text)
    return text


def bits_to_guess(text: str) -> int:
    """Return approximately how many bits a program must guess to find a text."""
    text = text[:LONGEST]
    letters = re.sub(r"[\W_]", "", text)
    alphabet = log2(next((size for size, signs in _ALPHABETS if re.fullmatch(signs, letters)), _ANY))
    costs = {character: alphabet if character.isalnum() else log2(_ANY) for character in {*text}}
    few = dict.fromkeys(costs, log2(max(1, len(costs))))
    return int(min(_shortest(text, costs), sum(costs.values()) + _shortest(text, few)))


def is_phrase(text: str) -> bool:
    """Return whether a text consists of words. The strength of words also depends on whether the phrase is well known.

    >>> is_phrase("To be or not to be"), is_phrase("5e81c70b3fa2964d"), is_phrase("hxqkvwzrtnmplcdgjs")
    (True, False, False)
    """
    words = re.findall(r"[^\W_]+", text)
    return len(words) > 1 and all(word.isalpha() and word[1:].islower() | (len(word) == 1) for word in words)


def _shortest(text: str, costs: dict[str, float]) -> float:
    """Return the bits of the shortest description of a text by single characters and copied pieces."""
    source, best, length = _FAMILIAR + text, [0.0, *[inf] * len(text)], 0
    for start, character in enumerate(text):
        best[start + 1] = min(best[start + 1], best[start] + costs[character])
        place, length = len(_FAMILIAR) + start, max(0, length - 1)
        # Find the longest piece from here that also occurs earlier. The two pieces may overlap
        while start + length < len(text) and source.find(source[place : place + length + 1], 0, place + length) >= 0:
            length += 1
        best[start + length] = min(best[start + length], best[start] + COPY)
    return best[-1]
