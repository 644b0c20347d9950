"""Selectors of labels as addresses have them: app=web,tier!=cache,gpu.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SET = re.compile(r"(\S+)\s+(in|notin)\s+\(([^)]*)\)")
_PARTS = re.compile(r",(?![^(]*\))")


def is_chosen(one: Mapping[str, Any], selector: str) -> bool:
    """Return whether an object has the labels that a selector wants; an empty one takes all."""
    labels = one["metadata"].get("labels") or {}
    return all(_holds(part.strip(), labels) for part in _PARTS.split(selector) if part.strip())


def _holds(part: str, labels: Mapping[str, str]) -> bool:
    if found := _SET.fullmatch(part):
        values = [value.strip() for value in found[3].split(",")]
        return (labels.get(found[1]) in values) == (found[2] == "in")
    if "!=" in part:
        key, _, value = part.partition("!=")
        return labels.get(key.strip()) != value.strip()
    if "=" in part:
        key, _, value = part.replace("==", "=").partition("=")
        return labels.get(key.strip()) == value.strip()
    return part[1:].strip() not in labels if part.startswith("!") else part in labels
