"""What a spec can say of a configuration of ParallelCluster, section by section, as plain data of a spec.

Nothing here has to be exact: what does not render as it was written goes to the overlay (adoption/adoption.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.plain_data import at, mappings, present, texts, with_new_keys
from trainyard.platform_parts import AdoptableConfig
from trainyard.platforms.parallelcluster.adoption.nodes import head_node, login_nodes, node_kinds, queues
from trainyard.platforms.parallelcluster.adoption.stand_ins import UNKNOWN_VPC
from trainyard.platforms.parallelcluster.adoption.storage import file_systems, storage_names

_DIRECTORY = {
    "DomainName": "domain",
    "PasswordSecretArn": "password_secret",
    "DomainReadOnlyUser": "read_only_user",
    "LdapTlsCaCert": "ca_certificate",
    "LdapTlsReqCert": "require_certificate",
    "LdapAccessFilter": "access_filter",
    "GenerateSshKeysForUsers": "generate_ssh_keys",
    "AdditionalSssdConfigs": "sssd",
}
_RESERVED = ("trainyard:", "parallelcluster:", "aws:")
_TIMES = {
    "KillWait": "kill_wait_s",
    "SlurmdTimeout": "slurmd_timeout_s",
    "UnkillableStepTimeout": "unkillable_step_timeout_s",
}


def spec_data(config: Mapping[str, Any], adoptable: AdoptableConfig) -> dict[str, Any]:
    """Return the data of a spec of a configuration, with what is known beside it."""
    subnets = _subnets(config)
    return present(
        name=adoptable.name,
        region=config.get("Region"),
        platform="parallelcluster",
        network=_network(config, adoptable.vpc or UNKNOWN_VPC, subnets),
        access=_access(config),
        iam=_iam(config),
        image={"os": at(config, "Image", "Os"), **present(ami=at(config, "Image", "CustomAmi"))},
        head_node=head_node(config, subnets[0] if subnets else None),
        login_nodes=login_nodes(config, subnets[0] if subnets else None),
        queues=queues(config, subnets),
        file_systems=file_systems(config),
        scratch=present(mount=next(_ephemeral_mounts(config), None)),
        monitoring=_monitoring(config),
        timeouts=with_new_keys(
            at(config, "DevSettings", "Timeouts"),
            {"HeadNodeBootstrapTimeout": "head_node_s", "ComputeNodeBootstrapTimeout": "compute_node_s"},
        ),
        parallelcluster={
            **present(
                version=adoptable.version,
                imds=at(config, "Imds", "ImdsSupport"),
                slurm=_slurm(at(config, "Scheduling", "SlurmSettings") or {}),
                storage_names=storage_names(config),
            ),
            "adopted": True,
        },
        tags=_tags(config),
    )


def _subnets(config: Mapping[str, Any]) -> list[str]:
    """Return the subnets that most queues have."""
    queues_there = mappings(config, "Scheduling", "SlurmQueues")
    counts = Counter(tuple(texts(queue, "Networking", "SubnetIds")) for queue in queues_there)
    return list(counts.most_common(1)[0][0]) if counts else []


def _network(config: Mapping[str, Any], vpc: str, subnets: list[str]) -> dict[str, Any]:
    groups = _common(at(node, "Networking", "AdditionalSecurityGroups") for node in node_kinds(config))
    existing = present(vpc=vpc, private_subnets=subnets, security_groups=groups)
    proxy = _common([at(node, "Networking", "Proxy", "HttpProxyAddress")] for node in node_kinds(config))
    return present(existing=existing, http_proxy=next(iter(proxy), None))


def _common(lists: Iterator[Any]) -> list[Any]:
    """Return what all lists begin with: a spec says it once for every kind of nodes."""
    parts = zip(*(value if isinstance(value, list) else [] for value in lists), strict=False)
    common: list[Any] = []
    for first, *others in parts:
        if any(other != first for other in others):
            break
        common.append(first)
    return common


def _access(config: Mapping[str, Any]) -> dict[str, Any]:
    # Without a range ParallelCluster opens SSH to everybody, and a spec to private addresses.
    # https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#yaml-HeadNode-Ssh-AllowedIps
    allowed = at(config, "HeadNode", "Ssh", "AllowedIps") or "0.0.0.0/0"
    directory = config.get("DirectoryService")
    addresses = at(directory, "DomainAddr")
    own = with_new_keys(directory, _DIRECTORY)
    if own:
        own["addresses"] = str(addresses).split(",")
    return present(
        ssh_key=at(config, "HeadNode", "Ssh", "KeyName"),
        allow_from=[allowed],
        directory_service=own,
    )


def _iam(config: Mapping[str, Any]) -> dict[str, Any]:
    policies = _common(
        [entry.get("Policy") for entry in mappings(node, "Iam", "AdditionalIamPolicies")] for node in node_kinds(config)
    )
    limits = {"PermissionsBoundary": "permissions_boundary", "ResourcePrefix": "resource_prefix"}
    return {**with_new_keys(config.get("Iam"), limits), **present(policies=policies)}


def _ephemeral_mounts(config: Mapping[str, Any]) -> Iterator[Any]:
    for queue in mappings(config, "Scheduling", "SlurmQueues"):
        if mount := at(queue, "ComputeSettings", "LocalStorage", "EphemeralVolume", "MountDir"):
            yield mount


def _monitoring(config: Mapping[str, Any]) -> dict[str, Any]:
    section = config.get("Monitoring")
    logs = at(section, "Logs", "CloudWatch")
    retention = at(logs, "RetentionInDays") or (180 if at(logs, "Enabled") is not False else None)
    policy = at(logs, "DeletionPolicy")
    return present(
        detailed=at(section, "DetailedMonitoring"),
        logs=at(logs, "Enabled"),
        log_retention_days=retention,
        keep_logs=None if policy is None else policy == "Retain",
        log_rotation=at(section, "Logs", "Rotation", "Enabled"),
        dashboard=at(section, "Dashboards", "CloudWatch", "Enabled"),
        alarms=at(section, "Alarms", "Enabled"),
    )


def _slurm(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **with_new_keys(
            settings,
            {
                "ScaledownIdletime": "scaledown_idle_minutes",
                "EnableMemoryBasedScheduling": "memory_scheduling",
                "MungeKeySecretArn": "munge_secret",
            },
        ),
        "queue_update_strategy": settings.get("QueueUpdateStrategy", "COMPUTE_FLEET_STOP"),
        **_lines(settings),
        **present(accounting=_accounting(settings)),
    }


def _lines(settings: Mapping[str, Any]) -> dict[str, Any]:
    lines = [entry for group in mappings(settings, "CustomSlurmSettings") for entry in group.items()]
    keys = [key for key, _ in lines]
    times = [key for key in _TIMES if key in keys]
    if keys[: len(times)] != times:  # only in this order do they render as they were written
        times = []
    return {
        **{_TIMES[key]: value for key, value in lines if key in times},
        **present(settings={key: value for key, value in lines if key not in times}),
    }


def _accounting(settings: Mapping[str, Any]) -> dict[str, Any]:
    database, external = settings.get("Database"), settings.get("ExternalSlurmdbd")
    if isinstance(external, Mapping):
        return {"slurmdbd": with_new_keys(external, {"Host": "host", "Port": "port"})}
    if not isinstance(database, Mapping):
        return {}
    host, _, port = str(database.get("Uri", "")).partition(":")
    names = {"UserName": "user", "PasswordSecretArn": "password_secret", "DatabaseName": "name"}
    own_port = {"port": int(port)} if port.isascii() and port.isdigit() and len(port) < 6 else {}
    return {"database": {"host": host, **own_port, **with_new_keys(database, names)}}


def _tags(config: Mapping[str, Any]) -> dict[str, Any]:
    tags = {str(tag.get("Key")): tag.get("Value") for tag in mappings(config, "Tags")}
    return {key: value for key, value in tags.items() if not key.startswith(_RESERVED)}
