"""What somebody has changed in a dashboard, in words: which panels, which queries, and what else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.monitoring.grafana_digest import own_content
from trainyard.monitoring.grafana_mark import without_mark

_LONGEST_QUERY = 120
_WORDS = {"templating": "variables", "time": "time range", "fieldConfig": "units or thresholds", "gridPos": "place"}


def differences(existing: dict[str, Any], expected: dict[str, Any]) -> tuple[str, ...]:
    """Return how a dashboard in Grafana differs from the one that would be written there."""
    existing_content, expected_content = (own_content(without_mark(document)) for document in (existing, expected))
    others = sorted(
        key
        for key in {*existing_content, *expected_content} - {"panels"}
        if existing_content.get(key) != expected_content.get(key)
    )
    return (
        *_of_panels(_panels(existing_content), _panels(expected_content)),
        *(f"{_WORDS.get(key, key)}: changed" for key in others),
    )


def _panels(dashboard: dict[str, Any]) -> dict[Any, dict[str, Any]]:
    """Return the panels by their numbers, also those in rows that are folded."""
    panels: dict[Any, dict[str, Any]] = {}
    for panel in dashboard.get("panels", []):
        for panel_ in (panel, *panel.get("panels", [])):
            panels[panel_.get("id", len(panels))] = {key: value for key, value in panel_.items() if key != "panels"}
    return panels


def _of_panels(existing: dict[Any, dict[str, Any]], expected: dict[Any, dict[str, Any]]) -> Iterator[str]:
    for number, panel in existing.items():
        if number not in expected:
            yield f"panel {_title(panel)}: added"
        elif panel != expected[number]:
            yield from _of_panel(panel, expected[number])
    yield from (f"panel {_title(panel)}: removed" for number, panel in expected.items() if number not in existing)


def _of_panel(panel: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    name = _title(expected)
    queries, wanted_queries = _queries(panel), _queries(expected)
    for ref, query in queries.items():
        if ref not in wanted_queries:
            yield f"panel {name}: query {ref} added, {query}"
        elif query != wanted_queries[ref]:
            yield f"panel {name}: query {ref} is {query} instead of {wanted_queries[ref]}"
    yield from (f"panel {name}: query {ref} removed" for ref in wanted_queries if ref not in queries)
    same_queries = queries == wanted_queries
    keys = sorted(key for key in {*panel, *expected} if panel.get(key) != expected.get(key))
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
