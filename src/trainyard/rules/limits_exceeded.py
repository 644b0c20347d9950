"""More of something than a cluster may have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog.parallelcluster import limits
from trainyard.catalog.parallelcluster_records import Limits
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


class _LimitedThings(NamedTuple):
    """Things of one kind, each with its place and the user's name for it, and how many there may be."""

    what: str
    things: list[tuple[Path, str]]
    most: int | None


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the first thing beyond each limit of the version in the spec, and kinds of nodes beyond Slurm's own."""
    version = spec.parallelcluster.version
    allowed = limits(version)
    if allowed is None:
        return
    reported: set[Path] = set()
    for what, things, most in (*_scheduling(spec, allowed), *_storage(spec, allowed)):
        # A queue in the flat form is a compute resource, too: it is not named twice.
        if most is not None and len(things) > most and things[most][0] not in reported:
            path, name = things[most]
            reported.add(path)
            yield Problem(path, f"{name} is number {most + 1} of {what}, and ParallelCluster {version} takes {most}")
    yield from _nodes(spec, allowed.max_nodes)


def _nodes(spec: Spec, most: int) -> Iterator[Problem]:
    for group in spec.node_groups():
        if group.max_nodes > most:
            nodes = f"{group.max_nodes:,} {group.instance_type}"
            message = f"queue {group.queue.name!r} may have {nodes}, and Slurm takes {most:,}"
            yield Problem((*group.path, "nodes"), message, f"write at most {most:,} nodes")


def _scheduling(spec: Spec, allowed: Limits) -> Iterator[_LimitedThings]:
    queues: list[tuple[Path, str]] = [(("queues", index), queue.name) for index, queue in enumerate(spec.queues)]
    yield _LimitedThings("the queues", queues, allowed.max_queues)
    groups = [(group.path, f"{group.queue.name}/{group.name}") for group in spec.node_groups()]
    yield _LimitedThings("the compute resources in all queues", groups, allowed.max_compute_resources)
    for queue in spec.queues:
        own = [(group.path, group.name) for group in spec.groups_in(queue)]
        yield _LimitedThings(
            f"the compute resources in queue {queue.name!r}", own, allowed.max_compute_resources_per_queue
        )
    pools = [(path, pool.name) for path, pool in spec.login_pools()]
    yield _LimitedThings("the pools of login nodes", pools, allowed.max_login_pools)
    tags: list[tuple[Path, str]] = [(("tags", key), key) for key in spec.tags]
    # trainyard:cluster is one, too.
    yield _LimitedThings("the tags beside trainyard's own", tags, allowed.max_tags - 1)


def _storage(spec: Spec, allowed: Limits) -> Iterator[_LimitedThings]:
    things: dict[str, list[tuple[Path, str]]] = {"ebs": [], "new_efs": [], "efs": [], "fsx": []}
    for index, file_system in enumerate(spec.file_systems):
        new = "new_" if file_system.efs is not None and file_system.efs.id is None else ""
        kind = "fsx" if file_system.kind in ("lustre", "openzfs") else file_system.kind
        things[f"{new}{kind}"].append((("file_systems", index, file_system.kind), file_system.mount))
    yield _LimitedThings("the EBS volumes to share", things["ebs"], allowed.max_ebs)
    yield _LimitedThings("the EFS file systems to be made", things["new_efs"], allowed.max_new_efs)
    yield _LimitedThings("the EFS file systems that exist", things["efs"], allowed.max_existing_efs)
    # ParallelCluster is given every FSx file system by id, also those that trainyard makes.
    yield _LimitedThings("the FSx file systems", things["fsx"], allowed.max_existing_fsx)


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="More than ParallelCluster takes",
    rationale=(
        "ParallelCluster has limits of its own, below those of AWS, and refuses a configuration beyond one of them. "
        "Some come as a surprise: a cluster makes one EFS file system and shares five EBS volumes."
    ),
    remedy="take some away, put them together, or make two clusters",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""\
file_systems:
  - {mount: /home, efs: {}}
  - {mount: /apps, efs: {}}
""",
    good="""\
file_systems:
  - {mount: /home, efs: {}}
  - {mount: /apps, ebs: {size_gib: 200}}
""",
    check=check,
)
