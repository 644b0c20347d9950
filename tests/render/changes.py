"""Specs that differ in one field: what every field is changed to, and what must be there for it to count."""

from __future__ import annotations

import itertools
from copy import deepcopy
from typing import Any

BASE: dict[str, Any] = {
    "name": "base",
    "region": "us-east-2",
    "platform": "parallelcluster",
    "queues": [{"name": "q", "instance_type": "p5.48xlarge", "nodes": {"min": 1, "max": 4}}],
    "login_nodes": {},
    "file_systems": [
        {"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250}},
        {"mount": "/apps", "ebs": {"size_gib": 200}},
        {"mount": "/home", "openzfs": {"size_gib": 512}},
        {"mount": "/efs", "efs": {}},
    ],
}
NODE = {"name": "q", "instance_type": "p5.48xlarge"}
OF_SEVERAL_TYPES = {"name": "q", "instance_types": ["g5.12xlarge", "g6.12xlarge"]}
NCCL = {"software": {"setup": "gpu", "nccl": {"version": "2.28.7-1"}}}
SELF_HOSTED = {
    "network": {"availability_zone": "us-east-2a", "secondary_availability_zone": "us-east-2b"},
    "monitoring": {"mode": "self-hosting"},
}
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:s-AbCdEf"
OTHER_SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:other-AbCdEf"
PAGERDUTY = {"kind": "pagerduty", "secret": SECRET}
TOLD = {"monitoring": {"mode": "self-hosting", "alert_receivers": [PAGERDUTY]}}
KEY = "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"
CERTIFICATE = "arn:aws:acm:us-east-2:123456789012:certificate/12345678-1234-1234-1234-123456789012"
DIRECTORY = {
    "access": {
        "directory_service": {
            "domain": "example.com",
            "addresses": ["ldaps://example.com"],
            "read_only_user": "cn=reader,dc=example,dc=com",
            "password_secret": SECRET,
        }
    }
}
DATABASE = {
    "parallelcluster": {
        "slurm": {"accounting": {"database": {"host": "db", "user": "slurm", "password_secret": SECRET}}}
    }
}
SLURMDBD = {"parallelcluster": {"slurm": {"munge_secret": SECRET, "accounting": {"slurmdbd": {"host": "dbd"}}}}}
SCRIPT = [{"script": "s3://mine/setup.sh"}]
WITH_SCRIPT = {"head_node": {"custom_actions": {"on_start": SCRIPT}}}
DCV: dict[str, Any] = {"head_node": {"dcv": {}}}
SEVERAL_LINKS = {
    "file_systems": [
        {
            "mount": "/fsx",
            "lustre": {
                "size_gib": 4800,
                "throughput_mb_s_per_tib": 250,
                "data_repository": [{"uri": "s3://mine", "path": "/data"}, {"uri": "s3://models", "path": "/models"}],
            },
        }
    ]
}
IN_S3 = {
    "file_systems": [
        {"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250, "data_repository": "s3://mine"}}
    ]
}
TIERED = {"file_systems": [{"mount": "/fsx", "lustre": {"intelligent_tiering": {"throughput_mb_s": 4000}}}]}
EXISTING_EFS = {"file_systems": [{"mount": "/efs", "efs": {"id": "fs-0123456789abcdef9"}}]}
LONG = {"name": "q", "compute_resources": [{"instance_type": "m5.large"}]}
EXISTING = {"vpc": "vpc-0123456789abcdef0", "private_subnets": ["subnet-0123456789abcdef0"]}

# On AWS Batch there is neither a head node nor what belongs to it.
TIME_LIMIT = {"Action": "CANCEL", "MaxTimeSeconds": 3600, "Reason": "no capacity", "State": "RUNNABLE"}
ON_BATCH: dict[str, Any] = {
    "platform": "batch",
    "login_nodes": None,
    "file_systems": [
        {"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250}},
        {"mount": "/home", "openzfs": {"size_gib": 512}},
        {"mount": "/efs", "efs": {"id": "fs-0123456789abcdef9"}},
    ],
}

# Nor on Amazon EKS, whose control plane wants a second zone.
ON_EKS: dict[str, Any] = {
    "platform": "eks",
    "login_nodes": None,
    "network": {"availability_zone": "us-east-2a", "secondary_availability_zone": "us-east-2b"},
    "file_systems": [{"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250}}],
}
ON_EKS_WITH_RANGE: dict[str, Any] = {
    **ON_EKS,
    "queues": [{"name": "q", "instance_type": "p5.48xlarge", "nodes": {"min": 0, "max": 4}}],
}

# What every field is changed to, and what must be there besides for it to count.
CHANGES: dict[str, tuple[Any, dict[str, Any]]] = {
    "name": ("other", {}),
    "region": ("eu-west-1", {}),
    "network.availability_zone": (
        "us-east-2b",
        {"queues": [{"name": "q", "instance_type": "m5.large", "availability_zone": "us-east-2b"}]},
    ),
    "network.existing.vpc": ("vpc-0123456789abcdef9", {"network": {"existing": EXISTING}, "login_nodes": None}),
    "network.existing.public_subnets": (
        ["subnet-0123456789abcdef9"],
        {"network": {"existing": {**EXISTING, "public_subnets": ["subnet-0123456789abcdef8"]}}},
    ),
    "network.existing.private_subnets": (
        ["subnet-0123456789abcdef9"],
        {"network": {"existing": EXISTING}, "login_nodes": None},
    ),
    "network.existing.security_groups": (
        ["sg-0123456789abcdef9"],
        {"network": {"existing": EXISTING}, "login_nodes": None},
    ),
    "network.cidr": ("10.20.0.0/16", {}),
    "network.private_prefix": (19, {"network": {"cidr": "10.20.0.0/16"}}),
    "network.other_prefix": (24, {"network": {"cidr": "10.20.0.0/16"}}),
    "network.connected_ranges": (["10.8.0.0/16"], {}),
    "network.internet": ("none", {}),
    "access.ssh_key": ("key", {}),
    "access.allow_from": (["203.0.113.7/32"], {}),
    "iam.permissions_boundary": ("arn:aws:iam::123456789012:policy/b", {}),
    "iam.resource_prefix": ("/team/ml-", {}),
    "head_node.instance_type": ("m5.2xlarge", {}),
    "head_node.subnet": ("public", {}),
    "head_node.root_volume.size_gib": (501, {}),
    "login_nodes.count": (2, {}),
    "login_nodes.instance_type": ("m5.2xlarge", {}),
    "login_nodes.subnet": ("private", {}),
    "image.os": ("ubuntu2404", {}),
    "image.ami": ("ami-0123456789abcdef0", {}),
    "queues[0].name": ("r", {}),
    "queues[0].instance_type": ("p5en.48xlarge", {}),
    "queues[0].compute_resources": ([{"instance_type": "m5.2xlarge"}], {"queues": [LONG]}),
    "queues[0].availability_zone": ("us-east-2c", {}),
    "queues[0].subnet": ("public", {"queues": [LONG]}),
    "queues[0].ami": ("ami-0123456789abcdef0", {}),
    "queues[0].root_volume.size_gib": (201, {}),
    "queues[0].setup": ("gpu", {}),
    "queues[0].nodes": (8, {}),
    "queues[0].nodes.min": (2, {}),
    "queues[0].nodes.max": (5, {}),
    "queues[0].capacity": ("spot", {}),
    "queues[0].capacity.reservation": ("cr-0123456789abcdef0", {}),
    "queues[0].capacity.reservations": (["cr-0123456789abcdef0", "cr-0123456789abcdef1"], {}),
    "queues[0].capacity.reservation_group": ("arn:aws:resource-groups:us-east-2:123456789012:group/g", {}),
    "queues[0].capacity.capacity_block": ("cr-0123456789abcdef0", {"queues": [{**NODE, "nodes": 4}]}),
    "queues[0].efa": (False, {}),
    "queues[0].placement_group": (False, {}),
    "file_systems[0].mount": ("/data", {}),
    "file_systems[0].lustre.size_gib": (2400, {}),
    "file_systems[0].lustre.throughput_mb_s_per_tib": (500, {}),
    "file_systems[0].lustre.intelligent_tiering": ({"throughput_mb_s": 8000, "read_cache_gib": 0}, TIERED),
    "file_systems[0].lustre.intelligent_tiering.throughput_mb_s": (8000, TIERED),
    "file_systems[0].lustre.intelligent_tiering.read_cache_gib": (1024, TIERED),
    "file_systems[0].lustre.efa": (True, {}),
    "file_systems[0].lustre.metadata_iops": (12000, {}),
    "file_systems[0].lustre.deployment": ("PERSISTENT_1", {}),
    "file_systems[0].lustre.data_repository": ("s3://other", {}),
    "file_systems[0].lustre.id": (
        "fs-0123456789abcdef0",
        {"file_systems": [{"mount": "/fsx", "lustre": {"id": "fs-0123456789abcdef9"}}]},
    ),
    "file_systems[1].ebs.size_gib": (300, {}),
    "file_systems[1].ebs.id": (
        "vol-0123456789abcdef0",
        {"file_systems": [*BASE["file_systems"][:1], {"mount": "/apps", "ebs": {"id": "vol-0123456789abcdef9"}}]},
    ),
    "file_systems[2].openzfs.size_gib": (1024, {}),
    "file_systems[2].openzfs.id": (
        "fsvol-0123456789abcdef0",
        {"file_systems": [*BASE["file_systems"][:2], {"mount": "/home", "openzfs": {"id": "fsvol-0123456789abcdef9"}}]},
    ),
    "scratch.mount": ("/local", {}),
    "software.setup": ("gpu", {}),
    "software.containers": (True, {}),
    "software.health_checks": (False, {"software": {"setup": "gpu"}}),
    "software.on_failure": ("hold", {"software": {"setup": "gpu"}}),
    "software.efa_version": ("1.48.0", {"software": {"setup": "gpu"}}),
    "software.nccl": ({"version": "2.28.7-1"}, {"software": {"setup": "gpu"}}),
    "software.nccl.version": ("2.27.7-1", NCCL),
    "software.nccl.tests_version": ("2.16.9", NCCL),
    "software.nccl.ofi_version": ("1.17.2", NCCL),
    "software.nccl.mount": ("/efs", NCCL),
    "software.container_images": (["nvcr.io#nvidia/pytorch:25.10-py3"], {"software": {"containers": True}}),
    "monitoring.mode": ("amp-only", {}),
    "monitoring.instance_type": ("m5.large", SELF_HOSTED),
    "monitoring.volume_gib": (200, SELF_HOSTED),
    "monitoring.volume_id": ("vol-0123456789abcdef0", SELF_HOSTED),
    "monitoring.alert_email": ("ml-team@example.com", {"monitoring": {"mode": "amp-only"}}),
    "monitoring.alert_receivers": ([PAGERDUTY], {"monitoring": {"mode": "amp-only"}}),
    "monitoring.alert_receivers[0].kind": ("slack", TOLD),
    "monitoring.alert_receivers[0].secret": (OTHER_SECRET, TOLD),
    "monitoring.alert_receivers[0].severities": (
        ["critical"],
        {"monitoring": {**TOLD["monitoring"], "mode": "amp-only"}},
    ),
    "monitoring.budget_usd_month": (50_000, {"monitoring": {"mode": "amp-only"}}),
    "monitoring.detailed": (True, {}),
    "monitoring.log_retention_days": (30, {}),
    "assets.bucket": ("my-bucket", {"software": {"setup": "gpu"}}),
    "timeouts.head_node_s": (3600, {}),
    "timeouts.compute_node_s": (2400, {}),
    "parallelcluster.version": ("3.15.1", {}),
    "parallelcluster.slurm.scaledown_idle_minutes": (60, {}),
    "parallelcluster.slurm.queue_update_strategy": ("TERMINATE", {}),
    "parallelcluster.slurm.job_exclusive": (True, {}),
    "network.secondary_availability_zone": ("us-east-2c", SELF_HOSTED),
    "network.further_availability_zones": (["us-east-2c"], {}),
    "environment": ("use2", {}),
    "network.http_proxy": ("http://proxy.example.com:3128", {}),
    "access.directory_service.domain": ("corp.example.com", DIRECTORY),
    "access.directory_service.addresses": (["ldaps://dc.example.com"], DIRECTORY),
    "access.directory_service.read_only_user": ("cn=other,dc=example,dc=com", DIRECTORY),
    "access.directory_service.password_secret": (OTHER_SECRET, DIRECTORY),
    "access.directory_service.ca_certificate": ("/etc/ssl/ca.pem", DIRECTORY),
    "access.directory_service.require_certificate": ("demand", DIRECTORY),
    "access.directory_service.access_filter": ("memberOf=cn=ml,dc=example,dc=com", DIRECTORY),
    "access.directory_service.generate_ssh_keys": (False, DIRECTORY),
    "access.directory_service.sssd": ({"cache_credentials": "true"}, DIRECTORY),
    "iam.policies": (["arn:aws:iam::123456789012:policy/p"], {}),
    "iam.read_buckets": (["my-bucket"], {}),
    "iam.imds_for_root_only": (False, {"software": {"setup": "cpu"}}),
    "iam.kms_key": (KEY, {}),
    "head_node.elastic_ip": (True, {}),
    "head_node.ami": ("ami-0123456789abcdef0", {}),
    "head_node.multithreading": (False, {}),
    "head_node.root_volume.type": ("io2", {}),
    "head_node.root_volume.iops": (4000, {}),
    "head_node.root_volume.throughput_mib_s": (500, {}),
    "head_node.root_volume.encrypted": (False, {}),
    "head_node.imds_for_root_only": (False, {}),
    "head_node.dcv.port": (8444, DCV),
    "head_node.dcv.allow_from": ("203.0.113.7/32", DCV),
    "head_node.custom_actions.on_start": (SCRIPT, {}),
    "head_node.custom_actions.before_setup": (SCRIPT, {}),
    "head_node.custom_actions.after_setup": (SCRIPT, {}),
    "head_node.custom_actions.on_update": (SCRIPT, {}),
    "head_node.custom_actions.on_start[0].script": ("s3://mine/other.sh", WITH_SCRIPT),
    "head_node.custom_actions.on_start[0].args": (["one"], WITH_SCRIPT),
    "login_nodes.name": ("people", {}),
    "login_nodes.ami": ("ami-0123456789abcdef0", {}),
    "login_nodes.ssh_key": ("key", {}),
    "login_nodes.grace_minutes": (3, {}),
    "login_nodes.dcv.port": (8444, {"login_nodes": {"dcv": {}}}),
    "login_nodes.dcv.allow_from": ("203.0.113.7/32", {"login_nodes": {"dcv": {}}}),
    "login_nodes.custom_actions.on_start": (SCRIPT, {}),
    "login_nodes.custom_actions.before_setup": (SCRIPT, {}),
    "login_nodes.custom_actions.after_setup": (SCRIPT, {}),
    "login_nodes.custom_actions.on_update": (SCRIPT, {}),
    "image.built_for": ("3.16.1", {"image": {"ami": "ami-0123456789abcdef0"}}),
    "queues[0].instance_types": (["g5.12xlarge"], {"queues": [OF_SEVERAL_TYPES]}),
    "queues[0].allocation_strategy": ("prioritized", {"queues": [OF_SEVERAL_TYPES]}),
    "queues[0].root_volume.type": ("gp2", {}),
    "queues[0].root_volume.iops": (4000, {}),
    "queues[0].root_volume.throughput_mib_s": (500, {}),
    "queues[0].root_volume.encrypted": (False, {}),
    "queues[0].job_exclusive": (True, {}),
    "queues[0].partition_settings": ({"MaxTime": "1-00:00:00"}, {}),
    "queues[0].custom_actions.on_start": (SCRIPT, {}),
    "queues[0].custom_actions.before_setup": (SCRIPT, {}),
    "queues[0].custom_actions.after_setup": (SCRIPT, {}),
    "queues[0].spot_price_usd_per_hour": (12.5, {"queues": [{**NODE, "capacity": "spot"}]}),
    "queues[0].gpudirect": (True, {}),
    "queues[0].multithreading": (False, {}),
    "queues[0].static_priority": (2, {}),
    "queues[0].dynamic_priority": (2, {}),
    "queues[0].gpu_health_check": (True, {}),
    "queues[0].schedulable_memory_mib": (1_000_000, {}),
    "queues[0].slurm_settings": ({"Sockets": 2}, {}),
    "file_systems[0].lustre.version": ("2.12", {}),
    "file_systems[0].lustre.compression": ("NONE", {}),
    "file_systems[0].lustre.auto_import": (["NEW"], IN_S3),
    "file_systems[0].lustre.auto_export": (["NEW"], IN_S3),
    "file_systems[0].lustre.data_path": ("/sets", IN_S3),
    "file_systems[0].lustre.data_repository[1].uri": ("s3://other", SEVERAL_LINKS),
    "file_systems[0].lustre.data_repository[1].path": ("/others", SEVERAL_LINKS),
    "file_systems[0].lustre.data_repository[1].auto_import": (["NEW"], SEVERAL_LINKS),
    "file_systems[0].lustre.data_repository[1].auto_export": (["NEW"], SEVERAL_LINKS),
    "file_systems[0].lustre.backup_days": (7, {}),
    "file_systems[1].ebs.type": ("io2", {}),
    "file_systems[1].ebs.iops": (4000, {}),
    "file_systems[1].ebs.throughput_mib_s": (500, {}),
    "file_systems[1].ebs.encrypted": (False, {}),
    "file_systems[1].ebs.when_deleted": ("Snapshot", {}),
    "file_systems[2].openzfs.throughput_mb_s": (256, {}),
    "file_systems[2].openzfs.deployment": ("SINGLE_AZ_HA_2", {}),
    "file_systems[3].efs.id": ("fs-0123456789abcdef0", {}),
    "file_systems[0].efs.access_point": ("fsap-0123456789abcdef0", EXISTING_EFS),
    "file_systems[3].efs.encryption_in_transit": (False, {}),
    "file_systems[3].efs.iam_authorization": (True, {}),
    "file_systems[3].efs.performance": ("maxIO", {}),
    "file_systems[3].efs.throughput_mib_s": (100, {}),
    "file_systems[3].efs.when_deleted": ("Delete", {}),
    "monitoring.certificate": (CERTIFICATE, SELF_HOSTED),
    "monitoring.logs": (False, {}),
    "monitoring.keep_logs": (False, {}),
    "monitoring.log_rotation": (False, {}),
    "monitoring.dashboard": (False, {}),
    "monitoring.alarms": (False, {}),
    "monitoring.all_host_metrics": (True, {"monitoring": {"mode": "amp-only"}}),
    "monitoring.nccl_ras": (True, {"monitoring": {"mode": "amp-only"}, "software": {"setup": "gpu"}}),
    "monitoring.nccl_inspector": (
        True,
        {
            "monitoring": {"mode": "amp-only"},
            "software": {"setup": "gpu", "nccl": {"version": "2.29.7-1"}},
        },
    ),
    "monitoring.slurm_names": ("rivosinc", {"monitoring": {"mode": "amp-only"}}),
    "monitoring.cloudwatch_metrics": (["system", "efa"], {}),
    "parallelcluster.imds": ("v1.0", {}),
    "parallelcluster.adopted": (True, {}),
    "parallelcluster.storage_names": ({"/fsx": "data"}, {}),
    "parallelcluster.slurm.kill_wait_s": (60, {}),
    "parallelcluster.slurm.slurmd_timeout_s": (600, {}),
    "parallelcluster.slurm.unkillable_step_timeout_s": (180, {}),
    "parallelcluster.slurm.memory_scheduling": (True, {}),
    "parallelcluster.slurm.munge_secret": (SECRET, {}),
    "parallelcluster.overlay": ({"HeadNode": {"SharedStorageType": "Efs"}}, {}),
    "parallelcluster.slurm.settings": ({"JobCompType": "jobcomp/filetxt"}, {}),
    "parallelcluster.slurm.accounting.database.host": ("other", DATABASE),
    "parallelcluster.slurm.accounting.database.port": (3307, DATABASE),
    "parallelcluster.slurm.accounting.database.user": ("other", DATABASE),
    "parallelcluster.slurm.accounting.database.password_secret": (OTHER_SECRET, DATABASE),
    "parallelcluster.slurm.accounting.database.name": ("jobs", DATABASE),
    "parallelcluster.slurm.accounting.slurmdbd.host": ("other", SLURMDBD),
    "parallelcluster.slurm.accounting.slurmdbd.port": (6820, SLURMDBD),
    "batch.stress_image": ("public.ecr.aws/mine/stress-ng:1", ON_BATCH),
    "batch.nccl_image": ("public.ecr.aws/mine/nccl-tests:1", ON_BATCH),
    "batch.pytorch_image": ("123456789012.dkr.ecr.us-east-2.amazonaws.com/train:1", ON_BATCH),
    "batch.shared_memory_gib": (64, ON_BATCH),
    "batch.huge_pages": (0, ON_BATCH),
    "batch.job_policies": (["arn:aws:iam::123456789012:policy/p"], ON_BATCH),
    "batch.job_attempts": (2, ON_BATCH),
    "batch.container_insights": ("enhanced", ON_BATCH),
    "batch.overlay": ({"JobQueue": {"Properties": {"JobStateTimeLimitActions": [TIME_LIMIT]}}}, ON_BATCH),
    "queues[0].nodes.desired": (2, ON_EKS_WITH_RANGE),
    "eks.adopted": (True, ON_EKS),
    "eks.kubernetes_version": ("1.34", ON_EKS),
    "eks.system_nodes.instance_type": ("m6i.2xlarge", ON_EKS),
    "eks.system_nodes.count": (3, ON_EKS),
    "eks.endpoint": ("private", ON_EKS),
    "eks.administrators": (["arn:aws:iam::123456789012:role/admin"], ON_EKS),
    "eks.control_plane_logs": (["api"], ON_EKS),
    "eks.node_policies": (["ebs"], ON_EKS),
    "eks.node_repair": (False, ON_EKS),
    "eks.overlay": ({"karpenter": {"version": "1.0.0"}}, ON_EKS),
    "eks.operators": (["mpi-operator"], ON_EKS),
    "eks.nccl_image": ("public.ecr.aws/mine/nccl-tests:1", ON_EKS),
    "eks.pytorch_image": ("123456789012.dkr.ecr.us-east-2.amazonaws.com/train:1", ON_EKS),
    "stack_overlays.network.resources": ({"VPC": {"Metadata": {"owner": "llm"}}}, {}),
    "stack_overlays.nodes": (
        {"resources": {"LaunchTemplate": {"Metadata": {"owner": "llm"}}}},
        {**ON_EKS, "queues": [{**NODE, "placement_group": False}]},
    ),
    "stack_overlays.network.parameters": ({"CreateS3Endpoint": "false"}, {}),
    "tags": ({"team": "llm"}, {}),
    # platform is left out: another platform is another bundle altogether.
    "queues[0].compute_resources[0].name": ("n", {"queues": [LONG]}),
    "queues[0].compute_resources[0].instance_type": ("m5.2xlarge", {"queues": [LONG]}),
    "queues[0].compute_resources[0].instance_types": (
        ["g5.12xlarge"],
        {"queues": [{"name": "q", "compute_resources": [{"instance_types": ["g5.12xlarge", "g6.12xlarge"]}]}]},
    ),
}


def changed(spec: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of a spec with one value set."""
    steps = parse_path(path)
    result = deepcopy(spec)
    node: Any = result
    for step, following in itertools.pairwise(steps):
        if isinstance(node, dict) and (node.get(step) is None or not isinstance(node[step], dict | list)):
            node[step] = [] if isinstance(following, int) else {}
        node = node[step]
    node[steps[-1]] = value
    return result


def parse_path(path: str) -> list[str | int]:
    """Return the steps of a path that is written like those of findings."""
    return [int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")]


def before_and_after(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two specs that differ in nothing but the field at a path."""
    value, besides = CHANGES[path]
    base = {**BASE, **besides}
    return base, changed(base, path, value)
