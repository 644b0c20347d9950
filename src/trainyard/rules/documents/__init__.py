"""Rules about files of other tools that no rule about specs has a twin of. One file a rule.

Anything may stand anywhere in such a file: what they look at is asked for here, and what does not fit is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.document.node import Document


def mapping_at(document: Document, *path: str) -> Mapping[str, Any]:
    """Return the mapping at a path of keys; empty where there is none."""
    mapping: Mapping[str, Any] = document.value if isinstance(document.value, dict) else {}
    for key in path:
        mapping = mapping_in(mapping, key)
    return mapping


def mapping_in(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the mapping below a key; empty where something else stands there."""
    member = mapping.get(key)
    return member if isinstance(member, dict) else {}


def image_moves(image: str) -> bool:
    """Return whether the same name may stand for another image tomorrow."""
    _, _, tag = image.rpartition("/")[2].partition(":")
    return "@" not in image and tag in ("", "latest")
