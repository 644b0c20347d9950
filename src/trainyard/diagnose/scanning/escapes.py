"""Lines without what colours them in a terminal, which programs put before times and hosts."""

from __future__ import annotations

import re

# https://ecma-international.org/publications-and-standards/standards/ecma-48/: control sequences, and system commands
# such as the title of a window.
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\)|[@-Z\\^_])")


def without_escapes(line: bytes) -> bytes:
    """Return a line without its escape sequences."""
    return _ESCAPES.sub(b"", line) if b"\x1b" in line else line
