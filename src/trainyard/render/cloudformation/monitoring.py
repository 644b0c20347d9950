"""The parameters of monitoring.yaml, and of rules.yaml beside it."""

from __future__ import annotations

from trainyard.monitoring.features import features_of, rules_tell_prices
from trainyard.monitoring.price_rules import price_rules
from trainyard.render.assets import assets_folder
from trainyard.render.cloudformation.iam import iam_names
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.render.networking import one_subnet
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def needs_monitoring(spec: Spec) -> bool:
    """Return whether anything keeps metrics."""
    return spec.monitoring.mode != "none" and spec.environment is None


def monitoring_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return them, as far as the spec decides them."""
    boundary, alert_email = spec.iam.permissions_boundary, spec.monitoring.alert_email
    return {
        "ClusterName": spec.name,
        "MonitoringType": spec.monitoring.mode,
        **({} if alert_email is None else {"AlertEmail": alert_email}),
        "LogGroups": _log_groups(spec),
        **(_self_hosting(spec, ids) if spec.monitoring.mode == "self-hosting" else {}),
        **({} if boundary is None else {"PermissionsBoundary": boundary}),
        **iam_names(spec),
    }


def _log_groups(spec: Spec) -> str:
    """Return the log groups that Grafana may read: those of the cluster, or of all clusters of an environment.

    ParallelCluster ends the name of a group with twelve digits, the time of its making; other clusters have no such.
    https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html
    """
    has = features_of(spec)
    if spec.is_environment:
        return "*"
    if "node-logs" in has:
        return f"/aws/parallelcluster/{spec.name}-{'?' * 12}"
    return f"{spec.name}-batch-LogGroup-*" if "job-logs" in has else ""


def needs_rules(spec: Spec) -> bool:
    """Return whether Amazon's Prometheus is to evaluate rules. One on an instance reads them from its own files."""
    return needs_monitoring(spec) and spec.monitoring.mode != "self-hosting"


def rules_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return the workspace that evaluates the rules, the Grafana that their alerts lead to, and list prices."""
    has_grafana = spec.monitoring.mode == "amp+amg"
    return {
        "PrometheusWorkspaceArn": ids.of("AMPWorkspaceArn"),
        **({"GrafanaEndpoint": ids.of("ManagedGrafanaWorkspaceEndpoint")} if has_grafana else {}),
        **({"PriceRules": price_rules(spec)} if rules_tell_prices(spec) else {}),
    }


def _self_hosting(spec: Spec, ids: Ids) -> dict[str, str]:
    existing = spec.network.existing
    bucket, folder = assets_folder(spec, ids)
    optional = {
        "SSLCertificateArn": spec.monitoring.certificate,
        "MonitoringKeyPair": spec.access.ssh_key,
        "KmsKeyArn": spec.iam.kms_key,
        "MonitoringDataVolume": spec.monitoring.volume_id,
        "MonitoringZone": _zone(spec, ids),
        "AlertSecretArns": ",".join(dict.fromkeys(receiver.secret for receiver in spec.monitoring.alert_receivers))
        or None,
    }
    return {
        "VpcId": ids.of("VpcId") if existing is None else existing.vpc,
        "MonitoringSubnet": one_subnet(spec, "private", ids),
        **(_load_balancer(spec, ids) if has_load_balancer(spec) else {}),
        "MonitoringSecurityGroup": ids.of("MonitoringSecurityGroup"),
        **{parameter: value for parameter, value in optional.items() if value is not None},
        "MonitoringInstanceType": spec.monitoring.instance_type,
        "MonitoringDataGiB": str(spec.monitoring.volume_gib),
        "S3BucketName": bucket,
        "AssetsFolder": folder,
    }


def subnet_of_unknown_zone(spec: Spec) -> str | None:
    """Return the existing subnet whose zone only the account knows, in which a volume is to be made; None without."""
    existing, monitoring = spec.network.existing, spec.monitoring
    makes_volume = spec.has_monitoring_instance and monitoring.volume_id is None
    return existing.private_subnets[0] if existing is not None and makes_volume else None


def _zone(spec: Spec, ids: Ids) -> str | None:
    return spec.network.availability_zone if subnet_of_unknown_zone(spec) is None else ids.of("MonitoringZone")


def _load_balancer(spec: Spec, ids: Ids) -> dict[str, str]:
    return {
        **{f"LoadBalancerSubnet{number}": id_ for number, id_ in enumerate(_load_balancer_subnets(spec, ids), 1)},
        "LoadBalancerScheme": "internet-facing" if spec.network.internet == "nat" else "internal",
        "LoadBalancerSecurityGroup": ids.of("LoadBalancerSecurityGroup"),
    }


def _load_balancer_subnets(spec: Spec, ids: Ids) -> list[str]:
    """Return one subnet in each of two zones: without internet both are private."""
    existing = spec.network.existing
    if existing is not None:
        return list(existing.public_subnets[:2])
    first = one_subnet(spec, "public" if spec.network.internet == "nat" else "private", ids)
    return [first, ids.of("SecondarySubnet", zone=spec.network.secondary_availability_zone)]
