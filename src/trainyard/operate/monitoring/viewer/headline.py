"""The line above all panels: which alerts fire now."""

from __future__ import annotations

from typing import Any

from trainyard.edge.prometheus_api import Sample
from trainyard.errors import TrainyardError
from trainyard.monitoring.alert import SEVERITIES, alerts
from trainyard.operate.monitoring.viewer.source import Source
from trainyard.operate.monitoring.viewer.variables import Selection, filled
from trainyard.operate.monitoring.viewer.window import Window

# Prometheus writes this series for every alert; those without the label belong to no single cluster.
# https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/#inspecting-alerts-during-runtime
_FIRING = 'ALERTS{alertstate="firing", cluster=~"$cluster|"}'
_PLACES = ("node_name", "node", "gpu", "device", "queue", "partition", "mountpoint", "job", "instance")
_NODES = {"node_name", "node", "instance"}
_MOST_PLACES = 20


def headline(api: Source, selection: Selection, window: Window) -> dict[str, Any]:
    """Return the alerts that fire, the worst first, each with where; and whether there are any rules at all."""
    try:
        firing = api.query(filled(_FIRING, selection, window), window.end_s)
    except TrainyardError as error:
        return {"error": {"problem": error.problem, "hint": error.hint}}
    return {"firing": _by_alert(firing), "rules": None if firing else _rules(api)}


def _by_alert(firing: list[Sample]) -> list[dict[str, Any]]:
    known = {alert.id: alert for alert in alerts()}
    names = sorted({sample.labels.get("alertname", "") for sample in firing})
    found = [_alert(name, [one for one in firing if one.labels.get("alertname", "") == name]) for name in names]
    for one in found:
        one["about"] = known[one["name"]].remedy[0] if one["name"] in known else ""
    return sorted(found, key=lambda one: (_rank(one["severity"]), one["name"]))


def _alert(name: str, firing: list[Sample]) -> dict[str, Any]:
    severities = sorted((sample.labels.get("severity", "") for sample in firing), key=_rank)
    places = sorted({_place(sample) for sample in firing} - {""})
    return {
        "name": name,
        "severity": severities[0],
        "count": len(firing),
        "places": places[:_MOST_PLACES],
        "more": max(0, len(places) - _MOST_PLACES),
    }


def _place(sample: Sample) -> str:
    """Return the two labels that say most of where it is. A name of a node needs no word before it."""
    found = [(name, sample.labels[name]) for name in _PLACES if sample.labels.get(name)][:2]
    return ", ".join(value if name in _NODES else f"{name} {value}" for name, value in found)


def _rank(severity: str) -> int:
    order = tuple(SEVERITIES)
    return order.index(severity) if severity in order else len(order)


def _rules(api: Source) -> int | None:
    """Return how many rules could fire; None where that cannot be known."""
    try:
        groups = api.rules()
    except TrainyardError:
        return None
    return len([rule for group in groups for rule in group.get("rules", ()) if rule.get("type") == "alerting"])
