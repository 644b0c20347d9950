"""IAM policies of the nodes, no more than they use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainyard.render.stand_ins import Ids
    from trainyard.spec.cluster import Spec


def node_policies(spec: Spec) -> list[dict[str, str]]:
    """Return what every node needs: Session Manager, the way in that needs no open port."""
    return [{"Policy": f"arn:{_partition(spec.region)}:iam::aws:policy/AmazonSSMManagedInstanceCore"}]


def head_node_policies(spec: Spec, ids: Ids) -> list[dict[str, str]]:
    """Return what the head node needs besides: it sends the cluster's metrics."""
    managed_prometheus = spec.monitoring.mode in ("amp-only", "amp+amg")
    sends_metrics = [{"Policy": ids.of("AMPRemoteWritePolicyArn")}] if managed_prometheus else []
    return [*node_policies(spec), *sends_metrics]


def _partition(region: str) -> str:
    # https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
    partitions = {
        "cn-": "aws-cn",
        "us-gov-": "aws-us-gov",
        "eusc-": "aws-eusc",
        "us-iso-": "aws-iso",
        "us-isob-": "aws-iso-b",
    }
    return next((partition for prefix, partition in partitions.items() if region.startswith(prefix)), "aws")
