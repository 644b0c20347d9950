"""Explaining ids: of rules and load errors, preflights, what is wrong with nodes and metrics, alerts, and failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from trainyard.bench.case import kinds as of_benchmarks
from trainyard.checking.explanation import Explanation, explanation_among
from trainyard.checking.explanation import explanations as of_checking
from trainyard.deploy.preflights import NamedPreflight, all_preflights
from trainyard.deploy.preflights.running import NOT_RUN
from trainyard.deploy.release_notice import kinds as of_told
from trainyard.diagnose.cause import CONFIDENCES, causes, signatures
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.alert_text import title, told
from trainyard.operate.monitoring.verify.finding_kinds import kinds as of_metrics
from trainyard.operate.nodes.finding_kinds import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.diagnose.cause import Cause, Signature
    from trainyard.finding import Severity
    from trainyard.monitoring.alert import Alert

__all__ = ["Explanation", "explain_id", "explanations", "findings"]


def explain_id(id_: str) -> Explanation:
    """Return the explanation of an id, also of a signature. Raises InputError with the nearest where there is none."""
    if id_ in signatures():
        return _of_signature(*signatures()[id_])
    return explanation_among(explanations(), id_)


def explanations() -> Iterator[Explanation]:
    """Yield every explanation but those of signatures: of findings, then of alerts, and then of what logs tell of."""
    yield from findings()
    yield from map(_of_alert, alerts())
    yield from map(_of_cause, causes().values())


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


def _of_cause(cause: Cause) -> Explanation:
    """Return what its row of docs/failures.md says."""
    return Explanation(cause.id, "cause", cause.severity, cause.title, cause.explanation, cause.remedy, cause.source)


def _of_signature(signature: Signature, cause: Cause) -> Explanation:
    found = f"It finds {signature.pattern} in a line, such as: {signature.matches[0]}"
    rationale = f"{found} It tells of {cause.id}, and is {signature.confidence}: {CONFIDENCES[signature.confidence]}."
    title = f"A line that tells of this: {cause.title}"
    return Explanation(signature.id, "signature", cause.severity, title, rationale, cause.remedy, cause.source)


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
