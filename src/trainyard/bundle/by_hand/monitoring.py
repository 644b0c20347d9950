"""Making the managed Prometheus and Grafana workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.bundle.by_hand.aws_command import assigned, aws, document, shell_name
from trainyard.bundle.by_hand.role import role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference-Prometheus-Compatible-Apis.html
_QUERY = ["aps:QueryMetrics", "aps:GetLabels", "aps:GetSeries", "aps:GetMetricMetadata"]


def remote_write(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return how to make a Prometheus workspace and the policy that lets the head node write to it."""
    workspace = aws(spec.region, "amp create-workspace", "--alias", spec.name, "--query", "arn", "--output", "text")
    policy = aws(
        spec.region, "iam create-policy", "--policy-name", f"{spec.name}-amp-remote-write",
        "--policy-document", document(_allow(["aps:RemoteWrite"])), "--query", "Policy.Arn", "--output", "text",
    )  # fmt: skip
    grafana = _grafana(spec) if spec.monitoring.mode == "amp+amg" else ()
    return [assigned("AMP_WORKSPACE", workspace), assigned(shell_name(stand_in.output), policy), *grafana]


def _grafana(spec: Spec) -> Iterator[str]:
    """Yield how to make a Grafana workspace with a role of its own: through the API, Grafana makes none.

    https://docs.aws.amazon.com/grafana/latest/APIReference/API_CreateWorkspace.html
    """
    name = f"{spec.name}-grafana"
    yield "# Grafana; IAM Identity Center must be switched on in the account before:"
    yield assigned("GRAFANA_ROLE", role(spec, name, "grafana.amazonaws.com"))
    yield aws(
        spec.region, "iam put-role-policy", "--role-name", name, "--policy-name", "query",
        "--policy-document", document(_allow(_QUERY)),
    )  # fmt: skip
    yield aws(
        spec.region, "grafana create-workspace", "--workspace-name", spec.name, "--account-access-type",
        "CURRENT_ACCOUNT", "--authentication-providers", "AWS_SSO", "--permission-type", "CUSTOMER_MANAGED",
        "--workspace-role-arn", "$GRAFANA_ROLE", "--workspace-data-sources", "PROMETHEUS",
    )  # fmt: skip


def _allow(actions: Sequence[str]) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": "$AMP_WORKSPACE"}
    return {"Version": "2012-10-17", "Statement": [statement]}
