"""What has to exist, or to be allowed, beside all that is made: endpoints, a policy for the key, secrets, images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trainyard.bundle.by_hand.aws_command import assignment, aws, document
from trainyard.bundle.markdown import Pieces
from trainyard.platform_table import platform_of
from trainyard.render.secrets import secrets_of
from trainyard.spec.cluster import Spec
from trainyard.spec.network import ExistingNetwork

_PAGE = Pieces(Path(__file__).with_suffix(".md"))
# To attach a volume, and to read an object.
# https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
_USE = ["kms:DescribeKey", "kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"]
_GRANT = ["kms:CreateGrant"]
# The tag that pcluster build-image gives: pcluster/constants.py in https://github.com/aws/aws-parallelcluster
_TAG = "parallelcluster:version"
_GATEWAYS = ("s3", "dynamodb")


def what_has_to_exist(spec: Spec) -> Iterator[str]:
    """Yield what has to exist, or to be allowed, beside all that is made, with the commands for it."""
    existing = spec.network.existing
    if existing is not None and spec.network.internet == "none":
        yield from _PAGE.lines("endpoints", commands=endpoints(spec, existing))
    if spec.network.connected_ranges:
        yield from _PAGE.lines("connections", ranges=", ".join(spec.network.connected_ranges))
    # Elsewhere no node opens what the key encrypts, and images are not for ParallelCluster.
    if not (platform_of(spec).made_by_parallelcluster or spec.is_environment):
        return
    if spec.iam.kms_key is not None:
        yield from _PAGE.lines("key-policy", commands=_key_policy(spec))
    if secrets_of(spec):
        yield from _PAGE.lines("secrets", commands=_secrets(spec))
    if _images_of(spec):
        version, built_for = spec.parallelcluster.version, spec.image.built_for
        text = "say in `image.built_for` what it is" if built_for is None else f"`image.built_for` says {built_for}"
        yield from _PAGE.lines("images", version=version, built_for=text, commands=_images(spec))


def _key_policy(spec: Spec) -> Sequence[str]:
    """Return how to make a policy for it, which only AWS services can use to hand the key on."""
    key = spec.iam.kms_key
    use = {"Effect": "Allow", "Action": _USE, "Resource": key}
    grant = {
        "Effect": "Allow",
        "Action": _GRANT,
        "Resource": key,
        "Condition": {"Bool": {"kms:GrantIsForAWSResource": True}},
    }
    return [
        aws(
            spec.region, "iam create-policy", "--policy-name", f"{spec.name}-key", "--policy-document",
            document({"Version": "2012-10-17", "Statement": [use, grant]}), "--query", "Policy.Arn", "--output", "text",
        )
    ]  # fmt: skip


def _secrets(spec: Spec) -> Sequence[str]:
    """Return how to ask for each secret."""
    shown = ("--query", "Name", "--output", "text")
    return [aws(spec.region, "secretsmanager describe-secret", "--secret-id", arn, *shown) for arn in secrets_of(spec)]


def _images_of(spec: Spec) -> Sequence[str]:
    """Return the ids of all images that a spec names."""
    pools = (pool.ami for _, pool in spec.login_pools())
    named = (spec.image.ami, spec.head_node.ami, *pools, *(queue.ami for queue in spec.queues))
    return [ami for ami in dict.fromkeys(named) if ami is not None]


def _images(spec: Spec) -> Sequence[str]:
    """Return how to ask for the tag of every image."""
    query = f"Images[].[ImageId,Tags[?Key=='{_TAG}']|[0].Value]"
    return [
        aws(
            spec.region, "ec2 describe-images", "--image-ids", *_images_of(spec), "--query", query, "--output", "text",
        )
    ]  # fmt: skip


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
    services = [
        *((service, (*of_vpc, "Gateway", "--route-table-ids", "$ROUTE_TABLES")) for service in _GATEWAYS),
        *((service, (*of_vpc, "Interface", *place, "--private-dns-enabled")) for service in _with_interface(spec)),
    ]
    group = _security_group(spec, "ENDPOINT_SECURITY_GROUP", "endpoints", existing.vpc, ("tcp:443-443",))
    return [
        assignment("VPC_RANGE", vpc_range),
        *group,
        assignment("ROUTE_TABLES", tables),
        *(
            aws(spec.region, "ec2 create-vpc-endpoint", "--service-name", _name(spec, service), *arguments)
            for service, arguments in services
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
    creation = aws(
        spec.region, "ec2 create-security-group", "--group-name", f"{spec.name}-{what}",
        "--description", f"{what} of {spec.name}", "--vpc-id", vpc, "--query", "GroupId", "--output", "text",
    )  # fmt: skip
    yield assignment(variable, creation)
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
