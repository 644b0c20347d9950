"""Making a security group: which ports the whole VPC may reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.bundle.by_hand.aws_command import assigned, aws
from trainyard.spec.cluster import Spec


def security_group(spec: Spec, variable: str, what: str, vpc: str, ports: Sequence[str]) -> Iterator[str]:
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
