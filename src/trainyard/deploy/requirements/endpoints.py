"""The services that nodes have to reach to come up, also where there is no internet."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.requirements.secrets import wanted_secrets
from trainyard.spec.cluster import Spec


def services_needed(spec: Spec) -> Iterator[str]:
    """Yield what the name of each endpoint has behind the region.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html
    https://docs.aws.amazon.com/AmazonECS/latest/developerguide/vpc-endpoints.html
    https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html
    """
    if spec.platform == "batch":
        yield from ("s3", "ecs", "ecs-agent", "ecs-telemetry", "ecr.api", "ecr.dkr", "logs")
        if any(one.kind in ("lustre", "openzfs") for one in spec.file_systems):
            yield "fsx"  # nodes ask it for the addresses of what they mount
        return
    if spec.platform == "eks":
        yield from ("s3", "ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth")
        return
    yield from ("s3", "dynamodb", "cloudformation", "ec2")
    if spec.monitoring.logs:
        yield "logs"
    if any(True for _ in wanted_secrets(spec)):
        yield "secretsmanager"
    if spec.login_nodes is not None:
        yield from ("elasticloadbalancing", "autoscaling")
