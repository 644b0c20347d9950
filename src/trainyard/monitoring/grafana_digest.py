"""Tells whether a dashboard in Grafana is still what was put there, whatever Grafana has added to it.

Grafana keeps a dashboard as the JSON that it was given, and sets its own number, its version and its uid in it:
https://github.com/grafana/grafana/blob/v10.4.0/pkg/services/dashboards/models.go
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

# id and version: Grafana's own numbers, other in each Grafana. restoredFrom: which version somebody went back to.
# iteration, gnetId, __inputs, __requires and __elements: of exports and of copies from grafana.com.
_OF_GRAFANA = frozenset(
    {"id", "version", "restoredFrom", "iteration", "gnetId", "__inputs", "__requires", "__elements"}
)
# What somebody chose last, and the choices that there were at that time.
_CHOSEN = frozenset({"current", "options"})


def content_digest(document: dict[str, Any]) -> str:
    """Return the SHA-256 of what a dashboard shows: the same as long as nobody has edited it.

    ``document`` is the dashboard itself: ``dashboard`` in the answer of ``GET /api/dashboards/uid/<uid>``.
    The order of keys, 1 for 1.0, and keys without a value make no difference.
    """
    content = json.dumps(own_content(document), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def own_content(document: dict[str, Any]) -> dict[str, Any]:
    """Return a dashboard without what Grafana adds, to be compared, or shown as a difference."""
    plain: dict[str, Any] = _plain({key: value for key, value in document.items() if key not in _OF_GRAFANA})
    variables = plain.get("templating", {}).get("list", [])
    return (
        {**plain, "templating": {"list": [_without_choice(variable) for variable in variables]}} if variables else plain
    )


def _without_choice(variable: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in variable.items() if key not in _CHOSEN}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
