"""What practice in a browser imports is in the folder for a web space."""

from __future__ import annotations

import subprocess
import sys

from attncalc.practice.static_site import EXCLUDED

IMPORTS = """
import sys
import attncalc.practice.operations
print(*(name for name in sys.modules if name.startswith("attncalc.") or name.partition(".")[0] in ("click", "jinja2")))
"""


def test_law_no_module_that_is_left_out_is_imported():
    names = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True).stdout.split()
    parts = {name: {part + end for part in name.split(".") for end in ("", ".py")} for name in names}
    assert len(names) > 100 and not [name for name in names if parts[name] & EXCLUDED]
    assert not [name for name in names if not name.startswith("attncalc.")]
