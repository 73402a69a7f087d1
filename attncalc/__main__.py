"""`python -m attncalc`, and what the installed command runs."""

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
    # a command makes much that it keeps; searching it for garbage takes a twentieth of the time
    gc.set_threshold(100_000, 20, 20)
    from .cli import main as run

    try:
        run()
    except SystemExit as end:
        _leave(end.code)
        raise


def _leave(code: object) -> None:
    """Ends the process at once: to take it apart, object by object, takes a seventh of the time of a command.

    What was promised at exit is done before. The usual end is left to whoever watches the process (a profiler, a
    debugger, coverage), and to output that cannot be written.
    """
    if not isinstance(code, int | None) or sys.getprofile() or sys.gettrace() or "multiprocessing" in sys.modules:
        return  # processes that share work are ended in the order that Python keeps
    with suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        atexit._run_exitfuncs()
        os._exit(code or 0)


if __name__ == "__main__":
    main()
