"""Explaining ids: of rules and load errors, of preflights, of what is wrong with nodes and metrics, and of alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from trainyard.bench.case import kinds as of_benchmarks
from trainyard.checking.explanation import Explanation, explanation_among
from trainyard.checking.explanation import explanations as of_checking
from trainyard.deploy.preflights import NamedPreflight, all_preflights
from trainyard.deploy.preflights.running import NOT_RUN
from trainyard.deploy.told import kinds as of_told
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.alert_told import title, told
from trainyard.operate.monitoring.verify.explained import kinds as of_metrics
from trainyard.operate.nodes.explained import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Severity
    from trainyard.monitoring.alert import Alert

__all__ = ["Explanation", "explain_id", "explanations", "findings"]


def explain_id(id_: str) -> Explanation:
    """Return the explanation of an id. Raises InputError with the nearest id where there is none."""
    return explanation_among(explanations(), id_)


def explanations() -> Iterator[Explanation]:
    """Yield every explanation: of findings, and then of alerts."""
    yield from findings()
    yield from map(_of_alert, alerts())


def findings() -> Iterator[Explanation]:
    """Yield those of findings: rules first, then preflights, nodes, metrics, benchmarks, and unreadable input."""
    for one in of_checking():
        if one.kind == "rule":
            yield one
    yield from map(_of_preflight, (*all_preflights(), NOT_RUN))
    yield from (_of_kind(id_, "node finding", dict(kind)) for id_, kind in (*kinds().items(), *of_told().items()))
    yield from (_of_kind(id_, "metrics finding", dict(kind)) for id_, kind in of_metrics().items())
    yield from (_of_kind(id_, "benchmark finding", dict(kind)) for id_, kind in of_benchmarks().items())
    yield from (one for one in of_checking() if one.kind != "rule")


def _of_kind(id_: str, what: str, kind: dict[str, str]) -> Explanation:
    severity = cast("Severity", kind.pop("severity"))
    return Explanation(id_, what, severity, **kind)


def _of_alert(alert: Alert) -> Explanation:
    """Return what its section of docs/alerts.md says."""
    held = "at once" if alert.for_ == "0m" else f"after {alert.for_}"
    asked = f"It fires {held} of: {' '.join(alert.expr.split())}"
    remedy = "\n".join(f"{number}. {step}" for number, step in enumerate(alert.remedy, 1))
    rationale = f"{told(alert.description)} {' '.join(alert.why.split())} {asked}"
    return Explanation(
        alert.id, "alert", alert.severity, title(alert.summary), rationale, remedy, " ".join(alert.sources)
    )


def _of_preflight(named: NamedPreflight) -> Explanation:
    preflight = named.preflight
    rationale = preflight.rationale
    if preflight.permissions:
        rationale += f" It asks for {_listed(preflight.permissions)}."
    return Explanation(
        named.id, "preflight", preflight.severity, preflight.title, rationale, preflight.remedy, preflight.source
    )


def _listed(permissions: tuple[str, ...]) -> str:
    *most, last = permissions
    return f"{', '.join(most)} and {last}" if most else last
