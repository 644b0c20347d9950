"""What a cluster has that dashboards can show: the needs of dashboard.py that it meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainyard.catalog.gpus import compute_capability
from trainyard.catalog.instance_type import InstanceType
from trainyard.launch.launch import compute_launches
from trainyard.monitoring.exporters import gpu_queues, neuron_queues
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

# What a cluster can have, and without which a dashboard or a panel would stay empty.
# gpm: GPUs that tell which parts of them work, from Hopper on (GPU Performance Monitoring). head-node: as only
# ParallelCluster has one. prices: nodes or rules that tell what instances cost. mounts: nodes that mount shared file
# systems where their exporter sees it; nfs: over NFS. neuron: Trainium or Inferentia. lustre: file systems whose
# client counts what it moves wherever it is mounted. nccl-ras: nodes that ask NCCL. nccl-inspector: jobs whose NCCL
# measures its collectives. node-logs: logs of nodes in CloudWatch, in streams that their hosts name; job-logs: of jobs
# alone.
NEEDS = (
    *(
        "gpu",
        "gpm",
        "nvlink",
        "neuron",
        "efa",
        "slurm",
        "head-node",
        "prices",
        "mounts",
        "nfs",
        "lustre",
        "shared-storage",
    ),
    *("login", "nccl-ras", "nccl-inspector", "node-logs", "job-logs"),
)
LOG_NEEDS = frozenset({"node-logs", "job-logs"})
"""Logs in CloudWatch that Grafana shows."""

# NVML gives the activity of parts of a GPU from Hopper on, beside whatever profiles a job there:
# https://docs.nvidia.com/datacenter/dcgm/latest/reference/dcgm-api/dcgm-api-profiling.html
_FIRST_WITH_GPM = 90


def features_of(spec: Spec) -> frozenset[str]:
    """Return the needs that a cluster meets; all of them for an environment, whose clusters nobody knows yet."""
    if spec.is_environment:
        return frozenset(NEEDS)
    return frozenset(need for need in NEEDS if _MET[need](spec))


def rules_tell_prices(spec: Spec) -> bool:
    """Return whether rules of its own workspace tell what its instances cost, as no node of it does.

    The workspace of an environment evaluates the same rules for all of its clusters.
    """
    return not spec.is_environment and spec.environment is None and not _nodes_tell_prices(spec)


def _nodes_tell_prices(spec: Spec) -> bool:
    return _has_head_node(spec) or platform_of(spec).scheduler == "kubernetes"


def _has_gpm(spec: Spec) -> bool:
    models = [type_.accelerators.model for type_ in _gpu_types(spec) if type_.accelerators is not None]
    return any(int(compute_capability(model) or 0) >= _FIRST_WITH_GPM for model in models)


def _has_nvlink(spec: Spec) -> bool:
    return any(type_.nvlink_gb_s_bidirectional is not None for type_ in _gpu_types(spec))


def _has_efa(spec: Spec) -> bool:
    return any(instance.efa for launch in compute_launches(spec) for instance in launch.instances)


def _has_shared_storage(spec: Spec) -> bool:
    # A volume of the head node is one of its own disks there; its nodes mount it as they do /home.
    return any(file_system.kind != "ebs" for file_system in spec.file_systems)


def _mounts(spec: Spec) -> bool:
    # /home of the head node is on every node of ParallelCluster. On Amazon EKS pods mount below /var/lib/kubelet, which
    # the kubelet makes with mode 0750, and node_exporter is not root:
    # platforms/eks/rendering/manifests/node-exporter.yaml
    # https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/kubelet.go
    return _has_head_node(spec) or (platform_of(spec).nodes_mount_file_systems and bool(spec.file_systems))


def _mounts_nfs(spec: Spec) -> bool:
    return _has_head_node(spec) or (
        _mounts(spec) and any(file_system.kind != "lustre" for file_system in spec.file_systems)
    )


def _has_head_node(spec: Spec) -> bool:
    return platform_of(spec).has_head_node


def _gpu_types(spec: Spec) -> Iterator[InstanceType]:
    queues = gpu_queues(spec)
    for launch in compute_launches(spec):
        if launch.queue_name in queues:
            yield from (instance.facts for instance in launch.instances if instance.facts is not None)


_MET: dict[str, Callable[[Spec], bool]] = {
    "gpu": lambda spec: bool(gpu_queues(spec)),
    "gpm": _has_gpm,
    "nvlink": _has_nvlink,
    "neuron": lambda spec: bool(neuron_queues(spec)),
    "efa": _has_efa,
    "slurm": _has_head_node,
    "head-node": _has_head_node,
    "prices": lambda spec: _nodes_tell_prices(spec) or rules_tell_prices(spec),
    "mounts": _mounts,
    "nfs": _mounts_nfs,
    "lustre": lambda spec: any(file_system.kind == "lustre" for file_system in spec.file_systems),
    "shared-storage": _has_shared_storage,
    "nccl-inspector": lambda spec: spec.monitoring.nccl_inspector,
    "nccl-ras": lambda spec: spec.monitoring.nccl_ras,
    "login": lambda spec: any(True for _ in spec.login_pools()),
    # The log group of AWS Batch is part of its stack. On Amazon EKS the control plane alone logs to CloudWatch.
    "node-logs": lambda spec: spec.monitoring.logs and platform_of(spec).made_by_parallelcluster,
    "job-logs": lambda spec: platform_of(spec).has_batch,
}
