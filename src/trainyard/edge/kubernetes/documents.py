"""Parts of documents that came from a Kubernetes API, where anything may stand that somebody has written there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

Document = dict[str, Any]


def part(document: Any, *keys: str) -> Document:
    """Return a mapping inside a document; an empty one where there is none."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def parts(document: Any, *keys: str) -> list[Document]:
    """Return the mappings of a list inside a document."""
    value = part(document, *keys[:-1]).get(keys[-1])
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(document: Any, *keys: str) -> str:
    """Return a text inside a document; an empty one where there is none."""
    value = part(document, *keys[:-1]).get(keys[-1])
    return value if isinstance(value, str) else ""


def number(document: Any, *keys: str) -> int:
    """Return a whole number inside a document, also one written as a quantity; zero where there is none.

    https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    """
    value = part(document, *keys[:-1]).get(keys[-1])
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 19:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def labels(document: Document) -> Document:
    """Return the labels of an object."""
    return part(document, "metadata", "labels")


def seconds(written: str | None) -> float | None:
    """Return a time as seconds since 1970; None for what is no time."""
    try:
        return None if not written else datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError):
        return None
