"""A command as the shell calls it, in this process: what it says on both streams and the code it ends with."""

from __future__ import annotations

import gc
import io
import sys
from unittest import mock

from attncalc.cli import main


def called(*words: object, stdin: bytes = b"") -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `attncalc WORDS`."""
    given, out, err = (io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8", newline="") for raw in (stdin, b"", b""))
    kept = gc.get_threshold()
    code = None
    with mock.patch.multiple(sys, argv=["attncalc", *map(str, words)], stdin=given, stdout=out, stderr=err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    gc.set_threshold(*kept)
    return int(code or 0), _text(out), _text(err)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode("utf-8")
