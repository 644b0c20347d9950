"""Which streams of a cluster are asked for: by their nodes, and by what is logged in them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.parallelcluster import instance_of_slurm_node
from trainyard.errors import InputError
from trainyard.operate.logs.cluster_log import ClusterLog, Stream
from trainyard.operate.logs.job_stream import JobStreamName
from trainyard.operate.logs.stream_name import StreamName
from trainyard.platforms.eks.logs.stream_name import EksStreamName

_MOST_SHOWN = 20


class Wanted(NamedTuple):
    """What is asked for; everything where nothing is said."""

    nodes: tuple[str, ...] = ()
    """Host names, instance ids, or names that Slurm gives to nodes; of jobs of AWS Batch the indexes of nodes."""
    kinds: tuple[str, ...] = ()
    """Such as slurmctld, or of jobs nccl."""
    jobs: tuple[str, ...] = ()
    """Ids or names of jobs of AWS Batch."""


def chosen(account: Account, log: ClusterLog, wanted: Wanted) -> tuple[Stream, ...]:
    """Return the streams that are asked for. Raises InputError where there is none of a job, a node or a kind."""
    if log.is_of_eks:
        found = _of_eks(log, wanted)
    else:
        found = _of_jobs(log, wanted) if log.is_of_jobs else _of_nodes(account, log, wanted)
    for kind in wanted.kinds:
        if not any(one.kind == kind for one in found):
            raise _no_such_kind(kind, found)
    return tuple(one for one in found if not wanted.kinds or one.kind in wanted.kinds)


def _of_jobs(log: ClusterLog, wanted: Wanted) -> tuple[Stream, ...]:
    """Return the streams of jobs and of nodes of them."""
    known = [(one, one.parts) for one in log.streams if isinstance(one.parts, JobStreamName)]
    for job in wanted.jobs:
        if not any(parts.is_of_job(job) for _, parts in known):
            raise _no_such_job(log, job, [parts for _, parts in known])
    if wanted.jobs:
        known = [(one, parts) for one, parts in known if any(parts.is_of_job(job) for job in wanted.jobs)]
    for node in wanted.nodes:
        if not any(parts.is_of_node(node) for _, parts in known):
            hint = f"a node of a job is named by its index, such as 0; `trainyard logs {log.name}` lists them"
            raise InputError(f"{log.name} has no logs of a node {node!r}", where="--node", hint=hint)
    if wanted.nodes:
        known = [(one, parts) for one, parts in known if any(parts.is_of_node(node) for node in wanted.nodes)]
    return tuple(one for one, _ in known) if wanted.jobs or wanted.nodes else log.streams


def _of_eks(log: ClusterLog, wanted: Wanted) -> tuple[Stream, ...]:
    """Return the streams of nodes of EKS; those of its control plane are of none."""
    known = [(one, one.parts) for one in log.streams if isinstance(one.parts, EksStreamName)]
    for node in wanted.nodes:
        if not any(parts.is_of(node) for _, parts in known):
            hint = (
                f"`trainyard logs {log.name} --region {log.region}` lists its groups; without --group, pods are meant"
            )
            raise InputError(f"{log.group.name} has no logs of a node {node!r}", where="--node", hint=hint)
    if not wanted.nodes:
        return log.streams
    return tuple(one for one, parts in known if any(parts.is_of(node) for node in wanted.nodes))


def _no_such_job(log: ClusterLog, job: str, known: list[JobStreamName]) -> InputError:
    names = sorted({parts.job_name for parts in known if parts.job_name})
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    listed = f"there are {', '.join(names[:_MOST_SHOWN])}{more}; " if names else ""
    hint = f"{listed}Batch forgets jobs some days after their end, and --log names what kind they were"
    return InputError(f"{log.name} has no logs of a job {job!r}", where="--job", hint=hint)


def _of_nodes(account: Account, log: ClusterLog, wanted: Wanted) -> tuple[Stream, ...]:
    """Return the streams of nodes of ParallelCluster."""
    if wanted.jobs:
        hint = "it is a cluster of ParallelCluster, whose nodes are named with --node"
        raise InputError(f"{log.name} has no logs of jobs", where="--job", hint=hint)
    if not wanted.nodes:
        return log.streams
    ids = {id_ for node in wanted.nodes for id_ in _instances(account, log, node)}
    return tuple(one for one in log.streams if isinstance(one.parts, StreamName) and one.parts.instance_id in ids)


def _instances(account: Account, log: ClusterLog, node: str) -> set[str]:
    """Return the instances that are, or were, a node."""
    if ids := _named(log, node):
        return ids
    instance = instance_of_slurm_node(account, log.name, node)
    if instance is not None and (ids := _named(log, instance)):
        return ids
    hint = f"`trainyard logs {log.name} --region {log.region}` lists them; Slurm's names are known of nodes that run"
    raise InputError(f"{log.name} has no logs of a node {node!r}", where="--node", hint=hint)


def _named(log: ClusterLog, node: str) -> set[str]:
    of_nodes = (one.parts for one in log.streams if isinstance(one.parts, StreamName))
    return {parts.instance_id for parts in of_nodes if parts.is_of(node)}


def _no_such_kind(kind: str, found: tuple[Stream, ...]) -> InputError:
    kinds = sorted({one.kind for one in found})
    close = get_close_matches(kind, kinds, n=1)
    more = f" and {len(kinds) - _MOST_SHOWN} more" if len(kinds) > _MOST_SHOWN else ""
    listed = f"there are {', '.join(kinds[:_MOST_SHOWN])}{more}" if kinds else "there are none at all so far"
    hint = f"did you mean {close[0]}?" if close else listed
    return InputError(f"there is no log {kind!r}", where="--log", hint=hint)
