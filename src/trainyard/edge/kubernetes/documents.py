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
    found = part(document, *keys[:-1]).get(keys[-1])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def text(document: Any, *keys: str) -> str:
    """Return a text inside a document; an empty one where there is none."""
    found = part(document, *keys[:-1]).get(keys[-1])
    return found if isinstance(found, str) else ""


def number(document: Any, *keys: str) -> int:
    """Return a whole number inside a document, also one written as a quantity; zero where there is none.

    https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    """
    found = part(document, *keys[:-1]).get(keys[-1])
    if isinstance(found, str) and found.isascii() and found.isdecimal() and len(found) < 19:
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def labels(document: Document) -> Document:
    """Return the labels of an object."""
    return part(document, "metadata", "labels")


def seconds(written: str | None) -> float | None:
    """Return a time as seconds since 1970; None for what is no time."""
    try:
        return None if not written else datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError):
        return None
