"""What a series is called."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LABEL = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
# A name is read, not searched.
_LONGEST = 120


def series_name(legend: str, labels: Mapping[str, str]) -> str:
    """Return the legend with its labels filled in; without a legend, all labels."""
    name = _LABEL.sub(lambda found: labels.get(found[1], ""), legend).strip() if legend else _all(labels)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _all(labels: Mapping[str, str]) -> str:
    told = ", ".join(f"{name}={value}" for name, value in sorted(labels.items()) if name != "__name__")
    return told or labels.get("__name__", "")
