"""Explaining ids: of rules and load errors, preflights, what is wrong with nodes and metrics, alerts, and failures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainyard.bench.case import kinds as of_benchmarks
from trainyard.checking.explanation import Explanation, explanation_among, explanation_of
from trainyard.checking.explanation import explanations as explanations_of_checking
from trainyard.deploy.preflight_runner import NOT_RUN
from trainyard.deploy.preflights import Preflight, all_preflights
from trainyard.deploy.release_notice import kinds as of_release
from trainyard.diagnose.cause import CONFIDENCES, causes, signatures
from trainyard.monitoring.alert import alerts, readable_template, title
from trainyard.monitoring.alert_panel import alert_panel
from trainyard.operate.monitoring.verify.finding_kinds import kinds as of_metrics
from trainyard.operate.nodes.finding_kinds import kinds
from trainyard.training.run_check import kinds as of_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.diagnose.cause import Cause, Signature
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
    of_checking = list(explanations_of_checking())
    yield from (explanation for explanation in of_checking if explanation.kind == "rule")
    yield from map(_of_preflight, all_preflights())
    others = {
        "preflight": (NOT_RUN,),
        "node finding": (*kinds().values(), *of_release().values()),
        "metrics finding": of_metrics().values(),
        "benchmark finding": of_benchmarks().values(),
        "run finding": of_runs().values(),
    }
    for word, kinds_of_word in others.items():
        yield from (explanation_of(kind, word) for kind in kinds_of_word)
    yield from (explanation for explanation in of_checking if explanation.kind != "rule")


def _of_alert(alert: Alert) -> Explanation:
    """Return what its section of docs/alerts.md says."""
    held = "at once" if alert.for_ == "0m" else f"after {alert.for_}"
    expression = f"It fires {held} of: {' '.join(alert.rule.split())}"
    remedy = "\n".join(f"{number}. {step}" for number, step in enumerate(alert.remedy, 1))
    seen = f"It is seen in {alert_panel(alert).title()}."
    rationale = f"{readable_template(alert.description)} {' '.join(alert.why.split())} {seen} {expression}"
    return Explanation(
        alert.id, "alert", alert.severity, title(alert.summary), rationale, remedy, " ".join(alert.sources)
    )


def _of_cause(cause: Cause) -> Explanation:
    """Return what its row of docs/failures.md says."""
    return Explanation(cause.id, "cause", cause.severity, cause.title, cause.explanation, cause.remedy, cause.source)


def _of_signature(signature: Signature, cause: Cause) -> Explanation:
    pattern_text = f"It finds {signature.pattern} in a line, such as: {signature.matches[0]}"
    rationale = (
        f"{pattern_text} It tells of {cause.id}, and is {signature.confidence}: {CONFIDENCES[signature.confidence]}."
    )
    title = f"A line that tells of this: {cause.title}"
    return Explanation(signature.id, "signature", cause.severity, title, rationale, cause.remedy, cause.source)


def _of_preflight(preflight: Preflight) -> Explanation:
    explanation = explanation_of(preflight, "preflight")
    if not preflight.permissions:
        return explanation
    return replace(explanation, rationale=f"{preflight.rationale} It asks for {_listed(preflight.permissions)}.")


def _listed(permissions: tuple[str, ...]) -> str:
    *most, last = permissions
    return f"{', '.join(most)} and {last}" if most else last
