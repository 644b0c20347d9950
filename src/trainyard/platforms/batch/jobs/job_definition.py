"""Which job definition and which queue a job is meant for."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import JobDefinition, definition_names, find_definition
from trainyard.edge.aws.batch_queues import compute_environments
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.batch.jobs.cluster import BatchCluster, ClusterQueue
from trainyard.platforms.batch.rendering.names import OUTPUTS


class JobPlacement(NamedTuple):
    """Where a job goes, and what it runs."""

    queue: ClusterQueue
    definition: JobDefinition


def job_placement(account: Account, cluster: BatchCluster, job: str, queue: str | None) -> JobPlacement:
    """Return the queue and the definition of a job: stress-ng, nccl, torchrun, or any definition by name or ARN.

    Of the queue's own, the end of the name is enough. A definition of the cluster says its queue itself, where none is
    named.
    Raises InputError where there is no such queue or definition.
    """
    if job in OUTPUTS:
        job_queue = cluster.queue(queue)
        return JobPlacement(job_queue, _of_kind(account, cluster, job_queue, job))
    definition = find_definition(account, job) or _with_beginning(
        account, (cluster.queue(queue).name, cluster.name), job
    )
    if definition is None:
        raise _unknown(account, cluster, job)
    return JobPlacement(cluster.queue(queue) if queue else _queue_of(cluster, definition), definition)


def too_large(account: Account, of: JobPlacement, nodes: int | None) -> str | None:
    """Return why a job would wait for ever, None where it would not or nobody may know."""
    vcpus = min((int(need.vcpus) for need in of.definition.needs if need.vcpus), default=None)
    most = _most_vcpus(account, of.queue)
    node_count = nodes or of.definition.nodes
    if vcpus is None or most is None or node_count * vcpus <= most:
        return None
    return (
        f"{node_count} nodes have {node_count * vcpus} vCPUs, and the queue {of.queue.name} may have {most} "
        f"({most // vcpus} nodes): the job waits until its spec has more nodes and is deployed again"
    )


def _most_vcpus(account: Account, queue: ClusterQueue) -> int | None:
    try:
        environments = compute_environments(account, [queue.environment] if queue.environment else [])
    except NotAllowedError:
        return None
    return next((environment.max_vcpus for environment in environments if environment.max_vcpus), None)


def _of_kind(account: Account, cluster: BatchCluster, queue: ClusterQueue, kind: str) -> JobDefinition:
    arn = queue.definitions.get(kind)
    if arn is None:
        hint = f"it has {', '.join(queue.definitions)}"
        raise InputError(f"the queue {queue.name} has no job {kind}", where=kind, hint=hint)
    definition = find_definition(account, arn)
    if definition is None:
        hint = f"deploy {cluster.name} again, or name another job definition"
        raise TrainyardError(f"the job definition {arn} is not active any more", where=kind, hint=hint)
    return definition


def _with_beginning(account: Account, beginnings: tuple[str, str], job: str) -> JobDefinition | None:
    """Return a definition of the cluster whose name is given without that of its queue, or of the cluster."""
    definitions = (
        find_definition(account, f"{beginning}-{job}") for beginning in beginnings if not job.startswith("arn:")
    )
    return next((job_definition for job_definition in definitions if job_definition is not None), None)


def _queue_of(cluster: BatchCluster, definition: JobDefinition) -> ClusterQueue:
    by_length = sorted(cluster.queues, key=lambda queue: -len(queue.name))
    return next(
        (job_queue for job_queue in by_length if definition.name.startswith(f"{job_queue.name}-")), cluster.queues[0]
    )


def _unknown(account: Account, cluster: BatchCluster, job: str) -> InputError:
    choices = [*OUTPUTS, *definition_names(account, f"{cluster.name}-")]
    near = get_close_matches(job, choices, 3, 0) or choices[:3]
    return InputError(f"there is no active job definition {job}", where="JOB", hint=f"such as {', '.join(near)}")
