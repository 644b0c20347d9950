"""Standard output and standard error."""

from __future__ import annotations

import sys


def out(text: str) -> None:
    """Write a result."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def err(text: str) -> None:
    """Write one line about what happens. Nobody may be listening any more."""
    try:
        sys.stderr.write("trainyard: " + text.replace("\n", " ") + "\n")
        sys.stderr.flush()
    except OSError:
        return
