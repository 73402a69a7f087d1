"""The entry point of `python -m attncalc` and of the installed command."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line. Ctrl-C ends the program without a traceback, also during the imports. Later
    `exit_on_signals` handles Ctrl-C.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Garbage collection would take 5 % of the time, and most objects are in use until the command ends
    gc.set_threshold(100_000, 20, 20)
    from .cli import main as run

    try:
        run()
    except SystemExit as end:
        _leave(end.code)
        raise


def _leave(code: object) -> None:
    """Run the exit handlers, and end the process without freeing its objects. To free them takes a seventh of a
    command's time. Under a profiler or debugger, or if the output cannot be written, return for a normal exit.
    """
    if not isinstance(code, int | None) or sys.getprofile() or sys.gettrace() or "multiprocessing" in sys.modules:
        return  # the normal exit ends worker processes too
    with suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        atexit._run_exitfuncs()
        os._exit(code or 0)


if __name__ == "__main__":
    main()
