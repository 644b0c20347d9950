"""The whole configuration. Its schema: https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html."""

from __future__ import annotations

from typing import Any

from trainyard.platforms.parallelcluster.rendering.adopted_cluster import without_defaults
from trainyard.platforms.parallelcluster.rendering.scheduling import custom_actions, scheduling
from trainyard.platforms.parallelcluster.rendering.shared_storage import root_volume, shared_storage
from trainyard.render.networking import (
    one_subnet,
    proxy,
    remote_desktop,
    security_groups,
    ssh_range,
)
from trainyard.render.overlay import merged
from trainyard.render.policies import head_node_iam, login_iam
from trainyard.render.stand_ins import Ids
from trainyard.render.tags import all_tags
from trainyard.spec.cluster import Spec
from trainyard.spec.login_nodes import LoginPool


def cluster(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return cluster.yaml as a dict. Sections that say nothing are left out."""
    config = merged(plain_cluster(spec, ids), spec.parallelcluster.overlay)
    return {key: value for key, value in config.items() if value is not None}


def plain_cluster(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return it without the overlay."""
    config: dict[str, Any] = {
        "Region": spec.region,
        "Imds": {"ImdsSupport": spec.parallelcluster.imds},
        "Image": _image(spec),
        "HeadNode": head_node(spec, ids),
        "LoginNodes": login_nodes(spec, ids),
        "Scheduling": scheduling(spec, ids),
        "SharedStorage": shared_storage(spec, ids),
        "Monitoring": _monitoring(spec),
        "DirectoryService": _directory_service(spec),
        "Iam": _iam(spec),
        "DevSettings": _dev_settings(spec),
        "Tags": _tags(spec),
    }
    written = {key: value for key, value in config.items() if value}
    return without_defaults(spec, written) if spec.parallelcluster.adopted else written


def _image(spec: Spec) -> dict[str, Any]:
    image = {"Os": spec.image.os}
    return image if spec.image.ami is None else image | {"CustomAmi": spec.image.ami}


def _monitoring(spec: Spec) -> dict[str, Any]:
    """Return logs, dashboard and alarms in CloudWatch.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/Monitoring-v3.html
    """
    monitoring = spec.monitoring
    retention = {
        "RetentionInDays": monitoring.log_retention_days,
        "DeletionPolicy": "Retain" if monitoring.keep_logs else "Delete",
    }
    return {
        "DetailedMonitoring": monitoring.detailed,
        "Logs": {
            "CloudWatch": {"Enabled": monitoring.logs, **(retention if monitoring.logs else {})},
            "Rotation": {"Enabled": monitoring.log_rotation},
        },
        "Dashboards": {"CloudWatch": {"Enabled": monitoring.dashboard}},
        "Alarms": {"Enabled": monitoring.alarms},
    }


def _directory_service(spec: Spec) -> dict[str, Any]:
    """Return the directory that users come from, or nothing.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/DirectoryService-v3.html
    """
    directory = spec.access.directory_service
    if directory is None:
        return {}
    settings = {
        "DomainName": directory.domain,
        "DomainAddr": ",".join(directory.addresses),
        "PasswordSecretArn": directory.password_secret,
        "DomainReadOnlyUser": directory.read_only_user,
        "LdapTlsCaCert": directory.ca_certificate,
        "LdapTlsReqCert": directory.require_certificate,
        "LdapAccessFilter": directory.access_filter,
        "GenerateSshKeysForUsers": directory.generate_ssh_keys,
        "AdditionalSssdConfigs": directory.sssd or None,
    }
    return {key: value for key, value in settings.items() if value is not None}


def _iam(spec: Spec) -> dict[str, Any]:
    settings = {"PermissionsBoundary": spec.iam.permissions_boundary, "ResourcePrefix": spec.iam.resource_prefix}
    return {key: value for key, value in settings.items() if value is not None}


def _dev_settings(spec: Spec) -> dict[str, Any]:
    # In spite of its name the documented place for both timeouts.
    # https://docs.aws.amazon.com/parallelcluster/latest/ug/DevSettings-cluster-v3.html
    return {
        "Timeouts": {
            "HeadNodeBootstrapTimeout": spec.timeouts.head_node_s,
            "ComputeNodeBootstrapTimeout": spec.timeouts.compute_node_s,
        }
    }


def _tags(spec: Spec) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in all_tags(spec).items()]


def head_node(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the head node."""
    node = spec.head_node
    key = {} if spec.access.ssh_key is None else {"KeyName": spec.access.ssh_key}
    return {
        "InstanceType": node.instance_type,
        **({} if node.multithreading else {"DisableSimultaneousMultithreading": True}),
        **({} if node.ami is None else {"Image": {"CustomAmi": node.ami}}),
        "Networking": _networking(spec, ids),
        "Ssh": {**key, "AllowedIps": ssh_range(spec, ids)},
        "LocalStorage": root_volume(node.root_volume),
        "Imds": {"Secured": node.imds_for_root_only},
        **remote_desktop(node.dcv),
        **custom_actions(spec, node.custom_actions, ids),
        "Iam": head_node_iam(spec, ids),
    }


def _networking(spec: Spec, ids: Ids) -> dict[str, Any]:
    address = {"ElasticIp": spec.head_node.elastic_ip} if spec.head_node.elastic_ip else {}
    subnet = one_subnet(spec, spec.head_node.subnet, ids)
    return {"SubnetId": subnet, **address, **security_groups(spec, "Head", ids), **proxy(spec)}


def login_nodes(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the pools of login nodes, or nothing."""
    pools = [_pool(spec, pool, ids) for _, pool in spec.login_pools()]
    return {"Pools": pools} if pools else {}


def _pool(spec: Spec, pool: LoginPool, ids: Ids) -> dict[str, Any]:
    # Without a key of its own, a pool has the head node's; from 3.15 on ParallelCluster knows nothing else.
    key = {} if pool.ssh_key is None else {"KeyName": pool.ssh_key}
    subnets = [one_subnet(spec, pool.subnet, ids)]
    return {
        "Name": pool.name,
        "Count": pool.count,
        "InstanceType": pool.instance_type,
        "GracetimePeriod": pool.grace_minutes,
        **({} if pool.ami is None else {"Image": {"CustomAmi": pool.ami}}),
        "Networking": {"SubnetIds": subnets, **security_groups(spec, "Login", ids), **proxy(spec)},
        "Ssh": {**key, "AllowedIps": ssh_range(spec, ids)},
        **remote_desktop(pool.dcv),
        **custom_actions(spec, pool.custom_actions, ids),
        "Iam": login_iam(spec, ids),
    }
