"""`python -m attncalc`, and what the installed command runs."""

from __future__ import annotations

import signal


def main() -> None:
    """The command line. Ctrl-C ends it without a traceback also while it is still being imported; `stoppable` takes over from there."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .cli import main as run

    run()


if __name__ == "__main__":
    main()
