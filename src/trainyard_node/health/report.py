"""What the checks found, as text for people, as JSON and as the one line that Slurm writes down."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trainyard_node.health.outcome import STATUSES, Outcome, failures, is_healthy, worst_by_check
from trainyard_node.record import one_line


def as_text(outcomes: Sequence[Outcome]) -> str:
    """Return the verdict, and below it a line for each outcome, the worst first, with what to do."""
    worst_first = sorted(outcomes, key=lambda outcome: -STATUSES.index(outcome.status))
    return "\n".join([_verdict(outcomes), *(line for outcome in worst_first for line in _lines(outcome))])


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Return them as one JSON object."""
    values = {"schema": 1, "healthy": is_healthy(outcomes), "outcomes": [outcome._asdict() for outcome in outcomes]}
    return json.dumps(values, indent=2)


def reason(outcomes: Sequence[Outcome]) -> str:
    """Return why the node is unhealthy, on one line of bearable length, or nothing where it is healthy."""
    return one_line("; ".join(failure.in_words() for failure in failures(outcomes)))


def _verdict(outcomes: Sequence[Outcome]) -> str:
    worst = list(worst_by_check(outcomes).values())
    counts = {status: worst.count(status) for status in STATUSES}
    if counts["failed"]:
        return f"unhealthy: {counts['failed']} of {len(worst)} checks failed"
    doubts = [f"{counts[status]} {words}" for status, words in (("warning", "warn"), ("unknown", "could not tell"))]
    shown_doubts = [text for text in doubts if not text.startswith("0 ")]
    return f"healthy: none of {len(worst)} checks failed" + "".join(f", {text}" for text in shown_doubts)


def _lines(outcome: Outcome) -> list[str]:
    head = f"{outcome.status:8} {outcome.check:16} "
    device = f"{outcome.device}: " if outcome.device else ""
    indent = " " * len(head)
    more = [text for text in (outcome.remedy, outcome.source) if text and outcome.status not in {"ok", "absent"}]
    return [f"{head}{device}{outcome.message}", *(f"{indent}{text}" for text in more)]
