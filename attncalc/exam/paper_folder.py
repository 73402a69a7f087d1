"""A folder of papers. All files are written, or none. The hashes in manifest.json identify files of this program. Other
files and changed files are replaced only with `force`, and never removed.

Papers are built in a staging folder, which is hidden, next to the target, and locked during the run. The next run
removes the staging folder of a killed run: a folder with this kind of name and lock file, whose lock is free. A new
paper with the code of an earlier paper must have the same numbers, because scripts are marked by the code.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import AttncalcError, Diagnostic, Location, listed, shorten
from ..output_journal import is_at, lock, settle, umask
from ..problem.yaml_file.nodes import Mapping
from ..problem.yaml_file.writer import flow
from ..problem.yaml_file.yaml_reader import read_yaml
from ..safe_files import Together, as_json, missing_folders, remove_empty, replace_file, require_folder

MARK = ".attncalc-exam-"
LOCK, PAPERS = "lock", "papers"
BUSY = "another run of attncalc is writing to this folder; try again later"
LONGEST = 50  # characters of the target's name in the name of the staging folder
Data = dict[str, Any]  # data of a key, which somebody may have changed
Printed = dict[str, set[tuple[str, str]]]  # by question: names of givens or letters of options, with their contents
SHOWN = 3  # codes that a message lists


@contextmanager
def workplace(folder: str, tell: Callable[[str], None]) -> Iterator[str]:
    """Yield a temporary folder for the build. Afterwards it is always removed, and new parent folders are removed if
    they are empty.
    """
    parent, name = os.path.split(os.path.abspath(folder))
    require_folder(folder)
    new_parents = missing_folders(parent)
    try:
        os.makedirs(parent, exist_ok=True)
        temporary, handle = _make_staging_folder(parent, name)
    except OSError as error:
        raise AttncalcError(f"the folder cannot be written: {error.strerror}", Location(folder)) from None
    try:
        _remove_stale_folders(parent, name, temporary, folder, tell)
        papers = os.path.join(temporary, PAPERS)
        os.mkdir(papers)
        yield papers
    except OSError as error:
        raise AttncalcError(f"the papers cannot be written: {error.strerror}", Location(folder)) from None
    finally:
        _remove_staging_folder(temporary)
        os.close(handle)
        remove_empty(new_parents)  # they are empty only after a failure


def _make_staging_folder(parent: str, name: str) -> tuple[str, int]:
    """Return a new folder, and the handle of its lock file."""
    while True:
        temporary = tempfile.mkdtemp(dir=parent, prefix=f".{name[:LONGEST]}{MARK}{time.time_ns():020}-")
        with suppress(FileNotFoundError):  # another run may remove the folder before it is locked
            path = os.path.join(temporary, LOCK)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            if lock(handle) and is_at(handle, path):
                os.write(handle, _lock_text(name))
                return temporary, handle
            os.close(handle)


def _remove_staging_folder(path: str) -> None:
    """Remove a staging folder. The lock file is removed last, because it identifies the folder."""
    shutil.rmtree(os.path.join(path, PAPERS), ignore_errors=True)
    with suppress(OSError):
        os.unlink(os.path.join(path, LOCK))
        os.rmdir(path)


def _lock_text(name: str) -> bytes:
    return f"attncalc exam: papers of {name} are built here\n".encode()


def _remove_stale_folders(parent: str, name: str, own_path: str, folder: str, tell: Callable[[str], None]) -> None:
    """Remove the folders of killed runs. Raises AttncalcError if an earlier run is still at work."""
    start = f".{name[:LONGEST]}{MARK}"
    for other in sorted(entry for entry in os.listdir(parent) if entry.startswith(start)):
        path = os.path.join(parent, other)
        if path == own_path or os.path.islink(path):
            continue
        if not os.path.exists(os.path.join(path, LOCK)):
            with suppress(OSError):
                os.rmdir(path)  # succeeds only for an empty folder, whose run was killed at its start or end
            continue
        with suppress(FileNotFoundError, NotADirectoryError), open(os.path.join(path, LOCK), "rb") as file:
            text = file.read(1_000)
            is_begun = not text and os.listdir(path) == [LOCK]  # its run was killed before it wrote a file
            if text != _lock_text(name) and not is_begun:
                continue
            if not lock(file.fileno()):
                if path < own_path:
                    raise AttncalcError(BUSY, Location(folder))
                continue
            if not is_at(file.fileno(), os.path.join(path, LOCK)):
                continue  # its run has just ended
            _remove_staging_folder(path)
            tell(f"{path}: removed, because an interrupted run left this folder")


MANIFEST = "manifest.json"
KIND = "attncalc exam"
LARGEST_MANIFEST = 20_000_000

Hashes = dict[str, str]


def publish(built: str, folder: str, force: bool) -> tuple[int, int]:
    """Move the built files to their folder. Return the number of written files, and the number of files that were
    already right.
    """
    hashes = {name: _hash(os.path.join(built, name)) for name in sorted(os.listdir(built))}
    _write_manifest(built, hashes)
    with suppress(OSError):
        os.chmod(built, 0o777 & ~umask())
    if not os.path.exists(folder):
        try:
            os.rename(built, folder)
            return len(hashes) + 1, 0
        except OSError:
            pass  # another program made the folder meanwhile
    with _lock_folder(folder):
        return _merge(built, folder, hashes, force)


def _merge(built: str, folder: str, hashes: Hashes, force: bool) -> tuple[int, int]:
    settle(folder)
    old_hashes = manifest_hashes(folder)
    present_hashes = {
        name: _hash(path) for name in {*hashes, *old_hashes} if os.path.lexists(path := os.path.join(folder, name))
    }
    foreign = sorted(
        name
        for name in present_hashes
        if name in hashes
        and present_hashes[name] != hashes[name]
        and present_hashes[name] not in old_hashes.get(name, ())
    )
    if foreign and not force:
        changed_by_hand = "this file was changed, or attncalc did not write it; use --force to replace it"
        raise AttncalcError(Diagnostic(changed_by_hand, Location(os.path.join(folder, name))) for name in foreign)
    changed = [name for name in hashes if present_hashes.get(name) != hashes[name]]
    stale = [name for name in old_hashes if name not in hashes and present_hashes.get(name) in old_hashes[name]]
    if stale and not force:
        more = f" and {len(stale) - 1} more" if len(stale) > 1 else ""
        message = f"earlier papers do not belong to this sheet any more: {stale[0]}{more}; use --force to remove them"
        raise AttncalcError(message, Location(folder))
    if not changed and not stale and _manifest_is(folder, hashes):
        return 0, len(hashes) + 1
    with Together([f"{folder}/"]) as together:
        for name in changed:
            with open(os.path.join(built, name), "rb") as file:
                together.add(os.path.join(folder, name), file.read())
        # The manifest still lists the files to remove, so that an interrupted run can be repeated
        together.add(os.path.join(folder, MANIFEST), _manifest(hashes, {name: old_hashes[name] for name in stale}))
    for name in stale:
        os.unlink(os.path.join(folder, name))
    if stale:
        _write_manifest(folder, hashes)
    return len(changed) + 1, len(hashes) - len(changed)


def manifest_hashes(folder: str) -> dict[str, set[str]]:
    """Return the hashes of the files that this program wrote into the folder, by name."""
    path = os.path.join(folder, MANIFEST)
    if not os.path.lexists(path):
        return {}
    try:
        with open(path, "rb") as file:
            data = json.loads(file.read(LARGEST_MANIFEST))
        if data["kind"] != KIND:
            raise KeyError("kind")
        hashes: dict[str, set[str]] = {}
        for name, file_hash in [
            *data["files"].items(),
            *((name, file_hash) for name, hs in data.get("before", {}).items() for file_hash in hs),
        ]:
            if os.path.basename(name) == name and name not in (".", "..", MANIFEST):
                hashes.setdefault(name, set()).add(str(file_hash))
        return hashes
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        message = "expected the manifest of an exam, found something else; choose a different folder"
        raise AttncalcError(message, Location(path)) from None


def _manifest_is(folder: str, hashes: Hashes) -> bool:
    with open(os.path.join(folder, MANIFEST), "rb") as file:
        return file.read(LARGEST_MANIFEST) == _manifest(hashes)


def _manifest(hashes: Hashes, before: dict[str, set[str]] | None = None) -> bytes:
    data: dict[str, object] = {"format": 1, "kind": KIND, "files": hashes}
    if before:
        data["before"] = {name: sorted(file_hashes) for name, file_hashes in sorted(before.items())}
    return (as_json(data) + "\n").encode()


def _write_manifest(folder: str, hashes: Hashes) -> None:
    replace_file(os.path.join(folder, MANIFEST), _manifest(hashes))


def _hash(path: str) -> str:
    """Return the hash of a file; `no file` for a folder or a link."""
    if os.path.islink(path) or not os.path.isfile(path):
        return "no file"
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _lock_folder(folder: str) -> Iterator[None]:
    """Lock the folder against other runs, if the system can lock folders."""
    if os.name == "nt":  # Windows does not open folders
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        if not lock(handle):
            raise AttncalcError(BUSY, Location(shorten(folder, 200)))
        yield
    finally:
        os.close(handle)


def refuse_other_numbers(key: bytes, folder: str) -> None:
    """Raise AttncalcError if the key of a folder has the code of a new paper, with other numbers."""
    path = os.path.join(folder, "key.json")
    new = _records(key)
    changed = []
    with suppress(OSError):
        with open(path, "rb") as file:
            old = _records(file.read())
        changed = [code for code in old if code in new and _is_changed(old[code], new[code])]
    if changed:
        papers, codes = ("the paper", "its code") if len(changed) == 1 else ("the papers", "their codes")
        message = f"{papers} {listed(changed, SHOWN)} in {folder} would keep {codes} but get different numbers"
        remedy = (
            "write to a different folder, or use --force to replace the papers and the key, even if papers "
            "are already printed"
        )
        raise AttncalcError(f"{message}; {remedy}", Location(path))


def refuse_other_places(key: bytes, folder: str) -> None:
    """Raise AttncalcError if the key of a folder has the code of a new paper, with fields at other positions."""
    path = os.path.join(folder, "key.json")
    new, old = _scanned(key), {}
    with suppress(OSError), open(path, "rb") as file:
        old = _scanned(file.read())
    changed = [code for code in old if code in new and old[code] != new[code]]
    if changed:
        papers = "the paper" if len(changed) == 1 else "the papers"
        message = f"{papers} {listed(changed, SHOWN)} in {folder} would have their fields in different positions"
        remedy = "write to a different folder, or use --force if no paper has been printed yet"
        raise AttncalcError(
            f"{message}, so papers that are already printed could not be scanned; {remedy}", Location(path)
        )


def _scanned(key: bytes) -> dict[str, Data]:
    """Return the fields in a key, by code; empty for a key without fields, and for another file."""
    try:
        return dict(json.loads(key)["scan"]["papers"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def _records(key: bytes) -> dict[str, Data]:
    """Return the records of a key, by code; empty for another file, which is never replaced."""
    try:
        return {str(record["code"]): record for record in json.loads(key)["variants"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def _is_changed(old: Data, new: Data) -> bool:
    """Return whether a question that both papers contain lacks a number or an option of the old paper."""
    if (old.get("problem"), old.get("own")) == (new["problem"], new["own"]):
        return False
    before, after = _printed(old), _printed(new)
    return any(not before[question] <= after[question] for question in before if question in after)


def _printed(record: Data) -> Printed:
    """Return the numbers and options of each question of a paper."""
    printed: Printed = defaultdict(set)
    with suppress(AttncalcError, AttributeError, KeyError, TypeError):
        for question, name, text in (*_givens(record.get("problem") or ""), *_options(record.get("own") or [])):
            printed[question].add((name, text))
    return printed


def _givens(problem: str) -> Iterator[tuple[str, str, str]]:
    tree = read_yaml(problem, "") if problem else None
    parts = tree.get("parts") if isinstance(tree, Mapping) else None
    for part, body in parts.items() if isinstance(parts, Mapping) else ():
        given = body.get("given") if isinstance(body, Mapping) else None
        for name, value in given.items() if isinstance(given, Mapping) else ():
            yield part.text.partition("_")[0], name.text, flow(value)


def _options(questions: list[Data]) -> Iterator[tuple[str, str, str]]:
    """Yield the question, the letter and the text or matrix of each option."""
    for question in questions:
        for option in question.get("choices", ()):
            yield question["name"], option["letter"], as_json(option.get("text", option.get("matrix")))
