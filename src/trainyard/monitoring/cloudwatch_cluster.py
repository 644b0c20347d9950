"""What a cluster has for its CloudWatch dashboards: which widgets it can fill, and what their $names stand for.

Which nodes send what is decided by `render/cloudwatch_metrics.py` and the steps of nodes, which this room cannot see:
the same conditions stand here once more, and a test compares the two for every architecture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trainyard.catalog.instance_type import InstanceType
from trainyard.launch.instance import Instance
from trainyard.launch.launch import compute_launches
from trainyard.monitoring.exporters import gpu_queues
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre, OpenZfs

HEAD_NODE, LOG_GROUP = "HeadNodeInstanceId", "ClusterLogGroup"
_BYTES_A_GBIT = 125_000_000
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html
_SCRATCH_MB_S_A_TIB = 200
# The first version whose alarms bring the metric along: pcluster/templates/cluster_stack.py of
# https://pypi.org/project/aws-parallelcluster/3.15.1/, and 3.14.2, which has none.
_HEARTBEAT_SINCE = (3, 15)


class FsxFileSystem(NamedTuple):
    """A file system of FSx that the nodes mount."""

    mount: str
    kind: str
    """Of `render/stand_ins.yaml`, by which its id is known."""
    number: int
    """Of its kind, from 1."""
    id: str | None
    """Where the spec has it."""
    bought_mb_s: float | None = None
    """The throughput that the spec pays for, None where it does not say."""


def needed_ids(spec: Spec) -> Iterator[tuple[str, int]]:
    """Yield what only a deployment knows of a cluster, as kinds of `render/stand_ins.yaml` with their numbers."""
    yield HEAD_NODE, 1
    if spec.monitoring.logs:
        yield LOG_GROUP, 1
    yield from ((system.kind, system.number) for system in fsx_file_systems(spec) if system.id is None)


def file_system_key(kind: str, number: int) -> str:
    """Return the name under which an id is known, as `render/stand_ins.py` numbers those of a kind."""
    return f"{kind}{number if number > 1 else ''}"


def fsx_file_systems(spec: Spec) -> Iterator[FsxFileSystem]:
    """Yield the file systems of FSx in the order of the spec, which has volumes where metrics of OpenZFS do not."""
    lustre = openzfs = 0
    for file_system in spec.file_systems:
        if isinstance(file_system.settings, Lustre):
            own_id = None if file_system.settings.id == "environment" else file_system.settings.id
            lustre += own_id is None
            bought_mb_s = _lustre_mb_s(file_system.settings)
            yield FsxFileSystem(file_system.mount, "FSxLustreFilesystemId", lustre, own_id, bought_mb_s)
        elif isinstance(file_system.settings, OpenZfs):
            openzfs += 1
            bought_mb_s = file_system.settings.throughput_mb_s
            yield FsxFileSystem(file_system.mount, "OpenZFSFileSystemId", openzfs, None, bought_mb_s)


def _lustre_mb_s(lustre: Lustre) -> float | None:
    """Return the throughput that a file system has all the time: without bursts, and what memory of its servers saves.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html, which counts 1,200 GiB as 1.2 TiB.
    """
    if lustre.intelligent_tiering is not None:
        return lustre.intelligent_tiering.throughput_mb_s
    a_tib = _SCRATCH_MB_S_A_TIB if lustre.deployment == "SCRATCH_2" else lustre.throughput_mb_s_per_tib
    return None if lustre.size_gib is None or a_tib is None else lustre.size_gib * a_tib / 1000


def features_of_cluster(spec: Spec) -> frozenset[str]:
    """Return what a cluster has of the needs of widgets."""
    conditions = {
        "gpu": has_gpus(spec),
        "efa": has_efa(spec),
        "efa-bandwidth": efa_type(spec) is not None,
        "fsx": any(True for _ in fsx_file_systems(spec)),
        "heartbeat": spec.monitoring.alarms and _version(spec) >= _HEARTBEAT_SINCE,
        "gpu-health-check": _checks_gpus(spec),
        "custom-actions": _has_custom_actions(spec),
        **_of_settings(spec),
    }
    return frozenset(name for name, has in conditions.items() if has)


def _of_settings(spec: Spec) -> dict[str, bool]:
    groups = set(spec.monitoring.cloudwatch_metrics) if spec.monitoring.logs else set()
    return {
        "logs": spec.monitoring.logs,
        "system": "system" in groups,
        "slurm": "slurm" in groups,
        "gpu-metrics": "gpu" in groups and has_gpus(spec),
        "efa-metrics": bool(groups & {"efa", "efa-interfaces"}) and has_efa(spec),
        "dcgm-log": _checks_gpus(spec) or (spec.monitoring.mode != "none" and bool(gpu_queues(spec))),
    }


def names(spec: Spec, ids: Mapping[str, str]) -> dict[str, str]:
    """Return what the $names in the texts of widgets stand for. ``known`` are the ids of ``needed_ids``."""
    by_interface = "efa" not in spec.monitoring.cloudwatch_metrics
    return {
        "cluster": spec.name,
        "region": spec.region,
        "head_node": ids[HEAD_NODE],
        "log_group": ids.get(LOG_GROUP, ""),
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/manage-detailed-monitoring.html
        "ec2_period_s": "60" if spec.monitoring.detailed else "300",
        "efa_schema": '"ParallelCluster/Network",InstanceId' + (",Interface" if by_interface else ""),
        "efa_of_each": "each interface" if by_interface else "each node",
        # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/graph-dynamic-labels.html
        "efa_label": "${PROP('Dim.InstanceId')}" + (" ${PROP('Dim.Interface')}" if by_interface else ""),
        **_efa_capacity(spec, by_interface=by_interface),
    }


def _efa_capacity(spec: Spec, *, by_interface: bool) -> dict[str, str]:
    """Return what the largest of the cluster's types has: which type a node is, its metrics do not tell."""
    facts = efa_type(spec)
    if facts is None or facts.efa_gbit_s is None or facts.efa_interfaces is None:
        return {"efa_bytes_s": "", "efa_capacity": ""}
    parts = facts.efa_interfaces if by_interface else 1
    gbit_s = facts.efa_gbit_s // parts
    what = f"{gbit_s:,} Gbit/s each way of {'an interface of ' if by_interface else ''}{facts.name}"
    return {"efa_bytes_s": str(gbit_s * _BYTES_A_GBIT), "efa_capacity": what}


def efa_type(spec: Spec) -> InstanceType | None:
    """Return the instance type with EFA that has the most bandwidth, None where nobody knows any."""
    facts = [instance.facts for instance in _instances(spec) if instance.efa and instance.facts is not None]
    with_efa = [fact for fact in facts if fact.efa_gbit_s and fact.efa_interfaces]
    return max(with_efa, key=lambda instance_type: instance_type.efa_gbit_s or 0, default=None)


def has_efa(spec: Spec) -> bool:
    """Return whether any compute node has EFA."""
    return any(instance.efa for instance in _instances(spec))


def has_gpus(spec: Spec) -> bool:
    """Return whether any compute node may have NVIDIA GPUs. What is not known of a type counts as there."""
    return any(instance.gpus != 0 for instance in _instances(spec))


def _instances(spec: Spec) -> Iterator[Instance]:
    for launch in compute_launches(spec):
        yield from launch.instances


def _checks_gpus(spec: Spec) -> bool:
    return any(bool(group.settings.gpu_health_check) for group in spec.node_groups())


def _has_custom_actions(spec: Spec) -> bool:
    own = [queue.custom_actions for queue in spec.queues]
    return spec.installs_anything or any(
        actions.on_start or actions.before_setup or actions.after_setup for actions in own
    )


def _version(spec: Spec) -> tuple[int, ...]:
    return tuple(map(int, spec.parallelcluster.version.split(".")[:2]))
