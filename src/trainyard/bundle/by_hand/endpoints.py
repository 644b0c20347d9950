"""Making the VPC endpoints through which nodes reach AWS, in a VPC that exists and reaches no internet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.bundle.by_hand.aws_command import assigned, aws
from trainyard.render.secrets import secrets_of
from trainyard.spec.cluster import Spec
from trainyard.spec.network import ExistingNetwork

_GATEWAYS = ("s3", "dynamodb")


def endpoints(spec: Spec, existing: ExistingNetwork) -> Sequence[str]:
    """Return how to make them all. The VPC needs DNS resolution and DNS host names, as ParallelCluster does."""
    vpc_range = aws(
        spec.region, "ec2 describe-vpcs", "--vpc-ids", existing.vpc,
        "--query", "Vpcs[0].CidrBlock", "--output", "text",
    )  # fmt: skip
    tables = aws(
        spec.region, "ec2 describe-route-tables", "--filters", f"Name=vpc-id,Values={existing.vpc}",
        "--query", "RouteTables[].RouteTableId", "--output", "json",
    )  # fmt: skip
    of_vpc = ("--vpc-id", existing.vpc, "--vpc-endpoint-type")
    place = ("--subnet-ids", existing.private_subnets[0], "--security-group-ids", "$ENDPOINT_SECURITY_GROUP")
    made = [
        *((service, (*of_vpc, "Gateway", "--route-table-ids", "$ROUTE_TABLES")) for service in _GATEWAYS),
        *((service, (*of_vpc, "Interface", *place, "--private-dns-enabled")) for service in _with_interface(spec)),
    ]
    group = _security_group(spec, "ENDPOINT_SECURITY_GROUP", "endpoints", existing.vpc, ("tcp:443-443",))
    return [
        assigned("VPC_RANGE", vpc_range),
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
    if secrets_of(spec) or spec.monitoring.mode == "self-hosting":
        yield "secretsmanager"
    if spec.login_nodes is not None:
        yield from ("elasticloadbalancing", "autoscaling")
    # Session Manager. Only agents older than 3.3.40.0 want ec2messages too, which newer regions do not have.
    # https://docs.aws.amazon.com/systems-manager/latest/userguide/setup-create-vpc.html
    yield from ("ssm", "ssmmessages")
    if spec.monitoring.mode == "self-hosting":
        # Alerts. https://docs.aws.amazon.com/sns/latest/dg/sns-internetwork-traffic-privacy.html
        yield "sns"
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        # https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-and-interface-VPC.html
        yield "aps-workspaces"


def _name(spec: Spec, service: str) -> str:
    in_china = spec.region.startswith("cn-") and service in ("cloudformation", "ec2")
    return f"{'cn.' if in_china else ''}com.amazonaws.{spec.region}.{service}"


def _security_group(spec: Spec, variable: str, what: str, vpc: str, ports: Sequence[str]) -> Iterator[str]:
    """Yield how to make a security group that lets $VPC_RANGE in on each port, written as in tcp:443-443."""
    made = aws(
        spec.region, "ec2 create-security-group", "--group-name", f"{spec.name}-{what}",
        "--description", f"{what} of {spec.name}", "--vpc-id", vpc, "--query", "GroupId", "--output", "text",
    )  # fmt: skip
    yield assigned(variable, made)
    for port in ports:
        yield _let_in(spec, variable, port)


def _let_in(spec: Spec, variable: str, port: str) -> str:
    protocol, _, numbers = port.partition(":")
    first, _, last = numbers.partition("-")
    permission = f"IpProtocol={protocol},FromPort={first},ToPort={last},IpRanges=[{{CidrIp=$VPC_RANGE}}]"
    return aws(
        spec.region, "ec2 authorize-security-group-ingress", "--group-id", f"${variable}",
        "--ip-permissions", permission,
    )  # fmt: skip
