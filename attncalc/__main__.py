"""The entry point of `python -m attncalc` and of the installed command."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line. Ctrl-C ends it without a traceback even during imports; `exit_on_signals` takes over from
    there.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # most objects of a command live to its end; searching them for garbage takes 5 % of the time
    gc.set_threshold(100_000, 20, 20)
    from .cli import main as run

    try:
        run()
    except SystemExit as end:
        _leave(end.code)
        raise


def _leave(code: object) -> None:
    """End the process at once; taking it apart, object by object, takes a seventh of a command's time.

    Exit handlers run first. The usual end is kept under a profiler, a debugger or coverage, and for output that cannot
    be written.
    """
    if not isinstance(code, int | None) or sys.getprofile() or sys.gettrace() or "multiprocessing" in sys.modules:
        return  # Python ends worker processes in its own order
    with suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        atexit._run_exitfuncs()
        os._exit(code or 0)


if __name__ == "__main__":
    main()
