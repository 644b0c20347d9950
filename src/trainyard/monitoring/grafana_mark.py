"""The mark that tells what was written into a Grafana apart from what somebody has made of it.

It is a tag of the dashboard, so it is where the dashboard is: a copy keeps it, a restored Grafana has it, and a bucket
that was lost forgets nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from trainyard.monitoring.grafana_data_source import AMAZON_PLUGIN, CORE_PLUGIN

TAG = "trainyard"
"""On every dashboard of ours: what to look for."""
_PREFIX = f"{TAG}:"
# Grafana keeps 50 characters of a tag.
# https://github.com/grafana/grafana/blob/v10.4.0/pkg/services/sqlstore/migrations/dashboard_mig.go
_DIGITS = 32
# id and version: Grafana's own numbers, other in each Grafana. restoredFrom: which version somebody went back to.
# iteration, gnetId, __inputs, __requires and __elements: of exports and of copies from grafana.com.
_OF_GRAFANA = frozenset(
    {"id", "version", "restoredFrom", "iteration", "gnetId", "__inputs", "__requires", "__elements"}
)
# What somebody chose last, and the choices that there were at that time.
_CHOSEN = frozenset({"current", "options"})
_LONGEST_QUERY = 120
_WORDS = {"templating": "variables", "time": "time range", "fieldConfig": "units or thresholds", "gridPos": "place"}


def with_mark(document: dict[str, Any]) -> dict[str, Any]:
    """Return a dashboard as it is to be written: with what it is as a tag."""
    tagged = {**document, "tags": [*(tag for tag in _other_tags(document) if tag != TAG), TAG]}
    return {**tagged, "tags": [*tagged["tags"], _PREFIX + fingerprint(tagged)]}


def mark(document: dict[str, Any]) -> str | None:
    """Return what a dashboard was when it was written; None where nobody has marked it."""
    digests = [tag.removeprefix(_PREFIX) for tag in _tags(document) if tag.startswith(_PREFIX)]
    return digests[0] if digests else None


def fingerprint(document: dict[str, Any]) -> str:
    """Return what tells this content from any other, whatever mark it has.

    A workspace that moves to version 12 gives every data source of Prometheus another type, and writes it into all
    dashboards: that is nobody's edit.
    https://docs.aws.amazon.com/grafana/latest/userguide/prometheus-manually-adding.html
    """
    return content_digest(without_mark(document))[:_DIGITS]


def without_mark(document: dict[str, Any]) -> dict[str, Any]:
    """Return a dashboard without its mark, and with the data source's type of version 10."""
    plain: dict[str, Any] = _with_core_plugin({**document, "tags": _other_tags(document)})
    return plain


def _tags(document: dict[str, Any]) -> list[str]:
    return [tag for tag in document.get("tags") or [] if isinstance(tag, str)]


def _other_tags(document: dict[str, Any]) -> list[str]:
    return [tag for tag in _tags(document) if not tag.startswith(_PREFIX)]


def _with_core_plugin(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_core_plugin(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_with_core_plugin(member) for member in value]
    return CORE_PLUGIN if value == AMAZON_PLUGIN else value


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
