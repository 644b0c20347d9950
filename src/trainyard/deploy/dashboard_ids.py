"""What the dashboards of a cluster need to know and only its account says: head node, log group and file systems."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.work import Work
from trainyard.edge.aws import fsx
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.parallelcluster import cluster_log_group
from trainyard.errors import TrainyardError
from trainyard.monitoring.cloudwatch_cluster import HEAD_NODE, LOG_GROUP, file_system_key, fsx_file_systems
from trainyard.render.stand_ins import Ids
from trainyard.spec.file_system import OpenZfs


def dashboard_ids(work: Work) -> dict[str, str]:
    """Return them by the names of `render/stand_ins.yaml`.

    Raises TrainyardError where the account has no head node, log group or file system of the cluster.
    """
    spec = work.required_spec()
    ids = {HEAD_NODE: _head_node(work)}
    logs = {LOG_GROUP: _log_group(work)} if spec.monitoring.logs else {}
    return {**ids, **logs, **dict(_lustre(work)), **dict(_openzfs(work))}


def _head_node(work: Work) -> str:
    id_ = next((node.id for node in nodes(work.account, work.name) if node.role == "HeadNode"), None)
    if id_ is None:
        raise TrainyardError(
            f"cluster {work.name} has no head node",
            where=work.name,
            hint="see `trainyard status`; a cluster without its head node can only be destroyed",
        )
    return id_


def _log_group(work: Work) -> str:
    id_ = cluster_log_group(work.account, work.name)
    if id_ is None:
        raise TrainyardError(
            f"cluster {work.name} keeps no logs in CloudWatch, and its spec says that it does",
            where="monitoring.logs",
            hint="set monitoring.logs to false, as the cluster was made",
        )
    return id_


def _lustre(work: Work) -> Iterator[tuple[str, str]]:
    for system in fsx_file_systems(work.required_spec()):
        if system.kind == "FSxLustreFilesystemId" and system.id is None:
            yield file_system_key(system.kind, system.number), _output(work, system.kind, system.number)


def _openzfs(work: Work) -> Iterator[tuple[str, str]]:
    """Yield the file systems that hold the volumes: metrics are theirs, and specs and stacks name volumes."""
    volumes = [
        file_system.settings.id
        for file_system in work.required_spec().file_systems
        if isinstance(file_system.settings, OpenZfs)
    ]
    holders = [system for system in fsx_file_systems(work.required_spec()) if system.kind == "OpenZFSFileSystemId"]
    number = 0
    for id_, holder in zip(volumes, holders, strict=True):
        number += id_ in (None, "environment")
        volume = _output(work, "FSxORootVolumeId", number) if id_ in (None, "environment") else id_
        described = fsx.volume(work.account, volume)
        if described is None:
            raise TrainyardError(f"there is no volume {volume}", where=holder.mount, hint="see the stack of storage")
        yield file_system_key(holder.kind, holder.number), described["FileSystemId"]


def _output(work: Work, kind: str, number: int) -> str:
    ids = Ids(work.outputs)
    value = ids.of(kind, number=number)
    if ids.stand_ins:
        missing = ids.in_order()[0]
        raise TrainyardError(f"nothing says what {missing.output} is: {missing.what}", where=missing.value)
    return value
