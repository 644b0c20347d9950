"""The services that nodes have to reach to come up, also where there is no internet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.deploy.wanted.secrets import wanted_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec


def services_needed(spec: Spec) -> Iterator[str]:
    """Yield the last part of the name of each endpoint.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html
    """
    yield from ("s3", "dynamodb", "cloudformation", "ec2")
    if spec.monitoring.logs:
        yield "logs"
    if any(True for _ in wanted_secrets(spec)):
        yield "secretsmanager"
    if spec.login_nodes is not None:
        yield from ("elasticloadbalancing", "autoscaling")
