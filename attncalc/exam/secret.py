"""The secret of an exam, and what is drawn from it by HMAC-SHA256: the variants of the papers and the codes on them.

`exam` keeps it in a file next to the exam sheet. The two values are random and independent of each other, so that the
codes, which everybody sees, say nothing of the numbers. If the sheet itself holds the secret or the seed, the codes are
drawn from what else is printed on the paper.
"""

from __future__ import annotations

import errno
import hmac
import os
import re
from contextlib import suppress
from dataclasses import dataclass

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostic, Location
from ..safe_files import escape
from .sheet.model import Student

ENDING = ".secret"
BYTES = 16
LEAST_BITS = 64  # of a seed or a secret that a person wrote
LARGEST = 10_000  # bytes of the file
KEPT = (
    "created: the papers are drawn from this random secret. Keep the file where it is and back it up: without it "
    "nobody can make these papers again. Do not publish it: whoever has it and the sheet can make the papers and their "
    "solutions"
)
TRIED = "there is no secret yet, so these variants are for trial; with -o others are drawn"
_TEXT = """\
# The random secret of the exam sheet {name}: `attncalc exam` draws the papers from it.
# Keep this file where it is and back it up: without it nobody can make these papers again.
# Do not publish it: whoever has it and the sheet can make the papers and their solutions.
papers: {papers}
codes: {codes}
"""
_LINE = re.compile(r"(papers|codes): ([0-9a-f]{32})")
# The signs of a seed: digits, hexadecimal digits, small letters, letters and digits; others count as any of 95
_ALPHABETS = ((10, r"[0-9]*"), (16, r"[0-9a-f]*"), (26, r"[a-z]*"), (36, r"[0-9a-z]*"), (62, r"[0-9A-Za-z]*"))
_ANY = 95
LETTERS = "CDFHJKMNPQRTVWXY"  # no vowels, so no words; none that is taken for another sign or for a digit
DIGITS = "2346789"
LENGTH = 4


@dataclass(frozen=True, slots=True)
class Secret:
    """Two random values in hexadecimal digits, of 128 bits each."""

    papers: str
    codes: str


def secret_path(source: str) -> str:
    """Return the path of a sheet's secret; empty for a sheet from standard input."""
    if source == "<stdin>" or (os.path.exists(source) and not os.path.isfile(source)):
        return ""
    return os.path.splitext(source)[0] + ENDING


def kept_secret(path: str) -> Secret | None:
    """Read the secret in a file; None without a file. Raises AttncalcError for other content."""
    if not path or not os.path.lexists(path):
        return None
    lines = read_bytes(path, LARGEST).decode("utf-8-sig", "replace").splitlines()
    values: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        match = _LINE.fullmatch(text)
        if match and match[1] not in values:
            values[match[1]] = match[2]
        elif text and not text.startswith("#"):
            raise _damaged(path, number)
    if len(values) < 2:
        raise _damaged(path, len(lines) + 1)
    return Secret(**values)


def _damaged(path: str, line: int) -> AttncalcError:
    """Return an error without the file's content, since others read logs."""
    says = "expected the secret of an exam (papers: and codes:, each of 32 hexadecimal digits), found something else"
    return AttncalcError(Diagnostic(f"{says}; put a copy of the file back", Location(path, line, 1)))


def new_secret(path: str) -> Secret:
    """Return a new random secret for a file. Raises AttncalcError if it could not be written."""
    import secrets  # seldom needed

    if not path:
        says = (
            "this sheet has no folder in which its secret can be kept; expected --secret FILE, the place of the secret"
        )
        raise AttncalcError(Diagnostic(says, Location("<stdin>")))
    folder = os.path.dirname(path) or "."
    if not os.access(folder, os.W_OK):
        raise _unkept(path, os.strerror(errno.EACCES if os.path.isdir(folder) else errno.ENOENT))
    return Secret(secrets.token_hex(BYTES), secrets.token_hex(BYTES))


def keep_secret(secret: Secret, path: str, name: str) -> None:
    """Write a new secret of the sheet `name` to a file that only its owner can read. Raises AttncalcError on failure,
    or if another run has written one meanwhile.
    """
    import tempfile

    text = _TEXT.format(name=escape(" ".join(name.split())), papers=secret.papers, codes=secret.codes).encode()
    temporary = ""
    try:
        folder, start = os.path.dirname(path) or ".", f".{os.path.basename(path)[:50]}."
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=start)  # with the permissions 0600
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _place(temporary, path, text)
    except FileExistsError:
        says = "another run has created this secret meanwhile, and draws other papers; run the command again"
        raise AttncalcError(Diagnostic(says, Location(path))) from None
    except OSError as error:
        raise _unkept(path, error.strerror) from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _unkept(path: str, reason: str | None) -> AttncalcError:
    says = f"the secret cannot be kept here: {reason}; --secret FILE names another place for it"
    return AttncalcError(Diagnostic(says, Location(path)))


def _place(temporary: str, path: str, text: bytes) -> None:
    """Place the file atomically. Raises FileExistsError if there is one already."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError):  # a disk without links
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text)


def bits(text: str) -> int:
    """Return the maximum entropy of a text in bits, by its character set."""
    size = next((size for size, signs in _ALPHABETS if re.fullmatch(signs, text)), _ANY)
    count: int = size ** min(len(text), 1_000)
    return count.bit_length() - 1


def _digest(key: bytes, *words: object) -> bytes:
    """Return 32 bytes that nobody can guess without the key; equal words give equal bytes."""
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
    raise AssertionError("a digit comes up")


def new_code(key: bytes, student: Student, used_codes: set[str]) -> str:
    """Return an unused code and add it to `used_codes`; codes of earlier students do not depend on later ones."""
    attempt = 0
    while (text := _code(key, student.owner, attempt)) in used_codes:
        attempt += 1
    used_codes.add(text)
    return text
