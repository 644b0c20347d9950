"""What somebody has changed in a dashboard, in words: which panels, which queries, and what else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.monitoring.grafana_digest import own_content
from trainyard.monitoring.grafana_mark import unmarked

_LONGEST_QUERY = 120
_WORDS = {"templating": "variables", "time": "time range", "fieldConfig": "units or thresholds", "gridPos": "place"}


def differences(theirs: dict[str, Any], ours: dict[str, Any]) -> tuple[str, ...]:
    """Return how a dashboard in Grafana differs from the one that would be written there."""
    there, wanted = (own_content(unmarked(one)) for one in (theirs, ours))
    others = sorted(key for key in {*there, *wanted} - {"panels"} if there.get(key) != wanted.get(key))
    return (*_of_panels(_panels(there), _panels(wanted)), *(f"{_WORDS.get(key, key)}: changed" for key in others))


def _panels(dashboard: dict[str, Any]) -> dict[Any, dict[str, Any]]:
    """Return the panels by their numbers, also those in rows that are folded."""
    found: dict[Any, dict[str, Any]] = {}
    for panel in dashboard.get("panels", []):
        for one in (panel, *panel.get("panels", [])):
            found[one.get("id", len(found))] = {key: value for key, value in one.items() if key != "panels"}
    return found


def _of_panels(there: dict[Any, dict[str, Any]], wanted: dict[Any, dict[str, Any]]) -> Iterator[str]:
    for number, panel in there.items():
        if number not in wanted:
            yield f"panel {_title(panel)}: added"
        elif panel != wanted[number]:
            yield from _of_panel(panel, wanted[number])
    yield from (f"panel {_title(panel)}: removed" for number, panel in wanted.items() if number not in there)


def _of_panel(panel: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    name = _title(wanted)
    queries, wanted_queries = _queries(panel), _queries(wanted)
    for ref, query in queries.items():
        if ref not in wanted_queries:
            yield f"panel {name}: query {ref} added, {query}"
        elif query != wanted_queries[ref]:
            yield f"panel {name}: query {ref} is {query} instead of {wanted_queries[ref]}"
    yield from (f"panel {name}: query {ref} removed" for ref in wanted_queries if ref not in queries)
    same_queries = queries == wanted_queries
    keys = sorted(key for key in {*panel, *wanted} if panel.get(key) != wanted.get(key))
    words = [_WORDS.get(key, key) for key in keys if key != "targets" or same_queries]
    if words:
        yield f"panel {name}: {', '.join(words)} changed"


def _queries(panel: dict[str, Any]) -> dict[str, str]:
    return {str(target.get("refId", "")): _short(target.get("expr", "")) for target in panel.get("targets", [])}


def _title(panel: dict[str, Any]) -> str:
    return f"{panel.get('title', '') or panel.get('id')!r}"


def _short(query: Any) -> str:
    text = " ".join(str(query).split())
    return f"`{text if len(text) <= _LONGEST_QUERY else text[: _LONGEST_QUERY - 1] + '…'}`"
