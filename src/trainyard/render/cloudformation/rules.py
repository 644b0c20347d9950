"""The parameters of rules.yaml."""

from __future__ import annotations

from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def needs_rules(spec: Spec) -> bool:
    """Return whether Amazon's Prometheus is to evaluate rules. One on an instance reads them from its own files."""
    return needs_monitoring(spec) and spec.monitoring.mode != "self-hosting"


def rules_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return them."""
    del spec
    return {"PrometheusWorkspaceArn": ids.of("AMPWorkspaceArn")}
