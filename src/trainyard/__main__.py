"""The start of the command line: the program ``trainyard``, and ``python -m trainyard``."""

import gc
import signal
import sys
from typing import NoReturn


def main() -> int:
    """Run the command line and return its exit status."""
    # Until the command begins there is nothing to leave in good order, and a traceback would help nobody.
    is_foreground = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_foreground:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Imports and rendering make many objects and no garbage; looking for it takes a tenth of a check. It is 700 else.
    gc.set_threshold(150_000)
    from trainyard.cli import main as run  # noqa: PLC0415  after the line above
    from trainyard.stop_request import interrupt, note_what_is_dropped  # noqa: PLC0415  as above

    note_what_is_dropped()
    if is_foreground:
        signal.signal(signal.SIGINT, interrupt)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # and not ignored, as by nohup
            signal.signal(number, _end)
    try:
        return run()
    finally:
        if is_foreground:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to end
        # What the program leaves is freed by its end; the interpreter need not look through it for garbage before.
        gc.freeze()


def _end(number: int, _frame: object) -> NoReturn:
    """Leave, so that files and folders that were temporary go."""
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
