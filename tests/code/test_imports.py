"""No module needs itself: the imports of the package make no circle, those inside functions, for types alone and by
name included.
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter

import grimp

from attncalc.cli import COMMANDS
from attncalc.cli.document_options import PAGES, PICTURES
from attncalc.cli.schema import SCHEMAS
from attncalc.gradebook.feedback import FORMS
from attncalc.lessons import FILES
from attncalc.lms.registry import SYSTEMS
from attncalc.mistakes import catalogue
from tests.support.source import texts

# What is imported by a name that is put together while the program runs, by the file that does it: file -> modules.
BY_NAME = {
    "attncalc.lessons": {f"attncalc.lessons.{file}" for file in FILES.values()},
    "attncalc.mistakes.catalogue": {f"attncalc.mistakes.catalogue.{file}" for file in catalogue.FILES},
    "attncalc.cli": {f"attncalc.cli.{name}" for name in COMMANDS},
    "attncalc.cli.document_options": {f"attncalc.render.{name}" for name in ("terminal", *PAGES, *PICTURES)},
    "attncalc.gradebook.feedback": {f"attncalc.render.{form}" for form in FORMS},
    "attncalc.lms.quiz_export": {f"attncalc.lms.{name}" for name in SYSTEMS},
    "attncalc.cli.schema": {f"attncalc.{module}" for module, _ in SCHEMAS.values()},
    "attncalc": set(),  # the functions of the package, named for programs; nothing inside imports them from there
}


def graph() -> dict[str, set[str]]:
    """Each module with all that it imports."""
    found = grimp.build_graph("attncalc", exclude_type_checking_imports=False, cache_dir=None)
    return {name: found.find_modules_directly_imported_by(name) | BY_NAME.get(name, set()) for name in found.modules}


def test_no_module_needs_itself():
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        raise AssertionError("a circle of imports: " + " <- ".join(error.args[1])) from None


def test_imports_by_name_are_known():
    by_name = {name for name, text in texts().items() if re.search(r"\bimport_module\(", text)}
    assert by_name == set(BY_NAME), (
        "each module that imports others by a name put together while it runs stands in BY_NAME"
    )
