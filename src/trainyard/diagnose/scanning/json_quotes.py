"""Lines with JSON in them as a signature expects them: quotes without their backslashes."""

from __future__ import annotations

_ESCAPES = ((b'\\"', b'"'), (b"\\n", b" "), (b"\\t", b" "), (b"\\u0027", b"'"), (b"\\u003c", b"<"), (b"\\u003e", b">"))


def unescaped(data: bytes) -> bytes | None:
    """Return lines without what JSON puts before quotes and in place of some characters; None where there is none.

    Lines stay as many as they are. What is quoted twice loses one backslash less than it has, and is found as well:
    two backslashes before a quote become one, which goes with the second turn.
    """
    # One byte is found far faster than two.
    if b"\\" not in data or (b'\\"' not in data and b"\\n" not in data):
        return None
    for _ in range(2):
        data = data.replace(b'\\\\"', b'\\"')
        for escape, plain in _ESCAPES:
            data = data.replace(escape, plain)
    return data
