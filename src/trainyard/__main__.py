"""The start of the command line: the program ``trainyard``, and ``python -m trainyard``."""

import gc
import sys


def main() -> int:
    """Run the command line and return its exit status."""
    # Importing makes many objects and no garbage; looking for some takes a tenth of a check. The default is 700.
    gc.set_threshold(50_000)
    from trainyard.cli import main as run  # noqa: PLC0415  after the line above

    try:
        return run()
    finally:
        # What the program leaves is freed by its end; the interpreter need not look through it for garbage before.
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
