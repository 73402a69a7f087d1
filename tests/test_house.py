"""Files stay short enough to be read in one sitting."""

from __future__ import annotations

from source import texts

MOST_LINES = 350
WHOLE = {"attncalc.verify"}  # one file that others can read and run alone


def test_no_file_is_long():
    long = {name: text.count("\n") for name, text in texts().items() if text.count("\n") > MOST_LINES}
    assert set(long) == WHOLE, long
