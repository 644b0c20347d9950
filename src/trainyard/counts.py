"""How every message says a count."""

from __future__ import annotations


def count_text(count: int, noun: str, many: str | None = None) -> str:
    """Return a count with its noun, which ends with an s unless its plural is given: ``1 node``, ``2,000 nodes``."""
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"
