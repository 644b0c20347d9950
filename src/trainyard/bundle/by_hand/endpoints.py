"""Making the VPC endpoints through which nodes reach AWS where no subnet reaches the internet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import assigned, aws
from trainyard.bundle.by_hand.network import nodes_subnet
from trainyard.bundle.by_hand.secrets import secrets_of
from trainyard.bundle.by_hand.security_group import security_group

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.spec.cluster import Spec


def endpoints(spec: Spec) -> Sequence[str]:
    """Return how to make them all. The VPC needs DNS resolution and DNS host names, as ParallelCluster does."""
    tables = aws(
        spec.region, "ec2 describe-route-tables", "--filters", "Name=vpc-id,Values=$VPC_ID",
        "--query", "RouteTables[].RouteTableId", "--output", "json",
    )  # fmt: skip
    of_vpc = ("--vpc-id", "$VPC_ID", "--vpc-endpoint-type")
    place = ("--subnet-ids", nodes_subnet(spec), "--security-group-ids", "$ENDPOINT_SECURITY_GROUP")
    made = [
        *((service, (*of_vpc, "Gateway", "--route-table-ids", "$ROUTE_TABLES")) for service in ("s3", "dynamodb")),
        *((service, (*of_vpc, "Interface", *place, "--private-dns-enabled")) for service in _with_interface(spec)),
    ]
    group = security_group(spec, "ENDPOINT_SECURITY_GROUP", "endpoints", ("tcp:443-443",))
    return [
        *group,
        assigned("ROUTE_TABLES", tables),
        *(
            aws(spec.region, "ec2 create-vpc-endpoint", "--service-name", _name(spec, service), *arguments)
            for service, arguments in made
        ),
    ]


def _with_interface(spec: Spec) -> Iterator[str]:
    """Yield the services that nodes reach through a network interface.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html
    """
    yield from ("logs", "cloudformation", "ec2")
    if secrets_of(spec):
        yield "secretsmanager"
    if spec.login_nodes is not None:
        yield from ("elasticloadbalancing", "autoscaling")
    # Session Manager. Only agents older than 3.3.40.0 want ec2messages too, which newer regions do not have.
    # https://docs.aws.amazon.com/systems-manager/latest/userguide/setup-create-vpc.html
    yield from ("ssm", "ssmmessages")
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        # https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-and-interface-VPC.html
        yield "aps-workspaces"


def _name(spec: Spec, service: str) -> str:
    in_china = spec.region.startswith("cn-") and service in ("cloudformation", "ec2")
    return f"{'cn.' if in_china else ''}com.amazonaws.{spec.region}.{service}"
