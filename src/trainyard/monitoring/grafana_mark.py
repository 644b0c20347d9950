"""The mark that tells what was written into a Grafana apart from what somebody has made of it.

It is a tag of the dashboard, so it is where the dashboard is: a copy keeps it, a restored Grafana has it, and a bucket
that was lost forgets nothing.
"""

from __future__ import annotations

from typing import Any

from trainyard.monitoring.grafana_data_source import AMAZON_PLUGIN, CORE_PLUGIN
from trainyard.monitoring.grafana_digest import content_digest

TAG = "trainyard"
"""On every dashboard of ours: what to look for."""
_PREFIX = f"{TAG}:"
# Grafana keeps 50 characters of a tag.
# https://github.com/grafana/grafana/blob/v10.4.0/pkg/services/sqlstore/migrations/dashboard_mig.go
_DIGITS = 32


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
