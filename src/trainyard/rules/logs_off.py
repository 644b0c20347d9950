"""Nodes whose logs go with them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_ABOUT_KEEPING = ("keep_logs", "log_retention_days")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield logs that are switched off, and what was written about keeping them."""
    if spec.monitoring.logs:
        return
    problem = "logs is false: a node that fails to start is ended, and its logs with it"
    yield Problem(("monitoring", "logs"), problem)
    for key in _ABOUT_KEEPING:
        if key in spec.monitoring.written:
            yield Problem(("monitoring", key), f"{key} has no effect where logs is false", "remove the key", "error")


RULE = Rule(
    severity="warning",
    title="Logs switched off",
    rationale=(
        "ParallelCluster ends nodes that fail to start, and a cluster that fails to be created is rolled back. What "
        "CloudWatch has is then all that tells why."
    ),
    remedy="leave logs on; log_retention_days bounds what they cost, and log_rotation: false keeps them on the nodes",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html",
    bad="""\
monitoring: {logs: false}
""",
    good="""\
monitoring: {logs: true, log_retention_days: 7}
""",
    check=check,
)
