"""Making security groups: who may come in, and on which ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import assigned, aws

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.spec.cluster import Spec

WHOLE_VPC = "IpRanges=[{CidrIp=$VPC_RANGE}]"


def security_group(
    spec: Spec, variable: str, what: str, ports: Sequence[str], sources: Sequence[str] = (WHOLE_VPC,)
) -> Iterator[str]:
    """Yield how to make a security group that lets each source in on each port, written as in tcp:988-988."""
    made = aws(
        spec.region, "ec2 create-security-group", "--group-name", f"{spec.name}-{what}",
        "--description", f"{what} of {spec.name}", "--vpc-id", "$VPC_ID", "--query", "GroupId", "--output", "text",
    )  # fmt: skip
    yield assigned(variable, made)
    for source in sources:
        for port in ports:
            yield _let_in(spec, variable, port, source)


def _let_in(spec: Spec, variable: str, port: str, source: str) -> str:
    protocol, _, numbers = port.partition(":")
    first, _, last = numbers.partition("-")
    permission = f"IpProtocol={protocol},FromPort={first},ToPort={last},{source}"
    return aws(
        spec.region, "ec2 authorize-security-group-ingress", "--group-id", f"${variable}",
        "--ip-permissions", permission,
    )  # fmt: skip
