"""Making the instance for a self-hosted Prometheus and Grafana, behind a load balancer. It installs neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import assigned, aws
from trainyard.bundle.by_hand.network import choice_of_subnet, nodes_subnet
from trainyard.bundle.by_hand.role import role
from trainyard.bundle.by_hand.security_group import security_group
from trainyard.render.parallelcluster.policies import _partition

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.spec.cluster import Spec

# Grafana's own: https://grafana.com/docs/grafana/latest/setup-grafana/configure-grafana/#http_port
_GRAFANA_PORT = 3000
# https://docs.aws.amazon.com/linux/al2023/ug/ec2.html
_IMAGE = "resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
# https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
_TLS = "ELBSecurityPolicy-TLS13-1-2-2021-06"


def monitoring_instance(spec: Spec) -> Sequence[str]:
    """Return how to make it, with all that stands between it and a browser."""
    return [*_profile(spec), *_security_groups(spec), *_instance(spec), *_load_balancer(spec), *_listener(spec)]


def _profile(spec: Spec) -> Iterator[str]:
    """Yield how to let Session Manager in, which is the way to the instance that needs no open port."""
    name = f"{spec.name}-monitoring"
    session_manager = f"arn:{_partition(spec.region)}:iam::aws:policy/AmazonSSMManagedInstanceCore"
    profile = ("--instance-profile-name", name)
    yield role(spec, name, "ec2.amazonaws.com")
    yield aws(spec.region, "iam attach-role-policy", "--role-name", name, "--policy-arn", session_manager)
    yield aws(spec.region, "iam create-instance-profile", *profile)
    yield aws(spec.region, "iam add-role-to-instance-profile", *profile, "--role-name", name)


def _security_groups(spec: Spec) -> Iterator[str]:
    port = 80 if spec.monitoring.certificate is None else 443
    ranges = [f"IpRanges=[{{CidrIp={cidr}}}]" for cidr in spec.access.allow_from]
    if not ranges:
        yield "# The load balancer lets nobody in: access.allow_from is empty."
    balancer = "MONITORING_BALANCER_SECURITY_GROUP"
    yield from security_group(spec, balancer, "monitoring-balancer", [f"tcp:{port}-{port}"], ranges)
    grafana = [f"tcp:{_GRAFANA_PORT}-{_GRAFANA_PORT}"]
    only_through_it = [f"UserIdGroupPairs=[{{GroupId=${balancer}}}]"]
    yield from security_group(spec, "MONITORING_SECURITY_GROUP", "monitoring", grafana, only_through_it)


def _instance(spec: Spec) -> Iterator[str]:
    name = f"{spec.name}-monitoring"
    tags = f"{{Key=Name,Value={name}}},{{Key=trainyard:cluster,Value={spec.name}}}"
    made = aws(
        spec.region, "ec2 run-instances", "--image-id", _IMAGE, "--instance-type", "t3.medium",
        "--subnet-id", nodes_subnet(spec),
        "--security-group-ids", "$MONITORING_SECURITY_GROUP", "--iam-instance-profile", f"Name={name}",
        "--metadata-options", "HttpTokens=required", "--block-device-mappings",
        "DeviceName=/dev/xvda,Ebs={Encrypted=true,VolumeType=gp3}",
        "--tag-specifications", f"ResourceType=instance,Tags=[{tags}]",
        "--query", "Instances[0].InstanceId", "--output", "text",
    )  # fmt: skip
    yield "sleep 15   # until EC2 sees the new profile"
    yield assigned("MONITORING_INSTANCE", made)
    yield aws(spec.region, "ec2 wait instance-running", "--instance-ids", "$MONITORING_INSTANCE")


def _load_balancer(spec: Spec) -> Iterator[str]:
    existing = spec.network.existing
    subnets = list(existing.public_subnets[:2]) if existing is not None else []
    if len(subnets) < 2:
        subnets = ["$MONITORING_SUBNET_1", "$MONITORING_SUBNET_2"]
        zones = (spec.network.availability_zone, spec.network.secondary_availability_zone)
        for variable, zone in zip(subnets, zones, strict=True):
            yield from choice_of_subnet(spec, variable.removeprefix("$"), zone, public=True)
    made = aws(
        spec.region, "elbv2 create-load-balancer", "--name", _short_name(spec), "--type", "application",
        "--scheme", "internet-facing", "--subnets", *subnets,
        "--security-groups", "$MONITORING_BALANCER_SECURITY_GROUP",
        "--query", "LoadBalancers[0].LoadBalancerArn", "--output", "text",
    )  # fmt: skip
    yield assigned("MONITORING_BALANCER", made)


def _listener(spec: Spec) -> Iterator[str]:
    target = aws(
        spec.region, "elbv2 create-target-group", "--name", _short_name(spec), "--target-type", "instance",
        "--protocol", "HTTP", "--port", str(_GRAFANA_PORT), "--vpc-id", "$VPC_ID",
        # https://grafana.com/docs/grafana/latest/developers/http_api/other/#health-api
        "--health-check-path", "/api/health", "--query", "TargetGroups[0].TargetGroupArn", "--output", "text",
    )  # fmt: skip
    group, balancer = ("--target-group-arn", "$MONITORING_TARGETS"), "$MONITORING_BALANCER"
    certificate = spec.monitoring.certificate
    plain = ("--protocol", "HTTP", "--port", "80")
    secure = ("--protocol", "HTTPS", "--port", "443", "--certificates", f"CertificateArn={certificate}")
    yield assigned("MONITORING_TARGETS", target)
    yield aws(spec.region, "elbv2 register-targets", *group, "--targets", "Id=$MONITORING_INSTANCE")
    yield aws(
        spec.region, "elbv2 create-listener", "--load-balancer-arn", balancer,
        *(plain if certificate is None else (*secure, "--ssl-policy", _TLS)),
        "--default-actions", "Type=forward,TargetGroupArn=$MONITORING_TARGETS",
    )  # fmt: skip
    yield aws(
        spec.region, "elbv2 describe-load-balancers", "--load-balancer-arns", balancer,
        "--query", "LoadBalancers[0].DNSName", "--output", "text",
    )  # fmt: skip


def _short_name(spec: Spec) -> str:
    # At most 32 letters, digits and hyphens, no hyphen at an end.
    # https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
    return f"{spec.name[:24].rstrip('-')}-grafana"
