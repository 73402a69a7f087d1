"""The papers that stand in a folder already: a new paper with the same code must print the same numbers, since answers
are marked by the code.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..errors import AttncalcError, Location, listed
from ..problem.yaml_file.nodes import Mapping
from ..problem.yaml_file.writer import flow
from ..problem.yaml_file.yaml_reader import read_yaml
from ..safe_files import as_json

Printed = dict[str, set[tuple[str, str]]]  # by question: names of givens or letters of options, and what they are
SHOWN = 3  # codes in a message


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
        papers = "the paper" if len(changed) == 1 else "the papers"
        message = f"{papers} {listed(changed, SHOWN)} in {folder} would get different numbers under the same code"
        remedy = (
            "write to a different folder, or use --force to replace the papers and the key, even if papers "
            "are already printed"
        )
        raise AttncalcError(f"{message}; {remedy}", Location(path))


def _records(key: bytes) -> dict[str, dict[str, Any]]:
    """Return the records of a key by code; empty for another file, which is not replaced in any case."""
    try:
        return {str(record["code"]): record for record in json.loads(key)["variants"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def _is_changed(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether a question of both papers lacks something that the old paper has."""
    if (old.get("problem"), old.get("own")) == (new["problem"], new["own"]):
        return False
    before, after = _printed(old), _printed(new)
    return any(not before[question] <= after[question] for question in before if question in after)


def _printed(record: dict[str, Any]) -> Printed:
    """Return the numbers and options of each question of a paper."""
    printed: Printed = defaultdict(set)
    with suppress(AttncalcError, AttributeError, KeyError, TypeError):
        for question, name, text in (*_givens(record.get("problem") or ""), *_options(record.get("own") or [])):
            printed[question].add((name, text))
    return printed


def _givens(problem: str) -> Iterator[tuple[str, str, str]]:
    """Yield the question, the name and the text of each given."""
    tree = read_yaml(problem, "") if problem else None
    parts = tree.get("parts") if isinstance(tree, Mapping) else None
    for part, body in parts.items() if isinstance(parts, Mapping) else ():
        given = body.get("given") if isinstance(body, Mapping) else None
        for name, value in given.items() if isinstance(given, Mapping) else ():
            yield part.text.partition("_")[0], name.text, flow(value)


def _options(questions: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Yield the question, the letter and the text or matrix of each option."""
    for question in questions:
        for option in question.get("choices", ()):
            yield question["name"], option["letter"], as_json(option.get("text", option.get("matrix")))
