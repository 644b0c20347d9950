"""A name that has the right form and is refused all the same."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import limits
from trainyard.catalog.parallelcluster_records import Limits
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield names that are taken for ParallelCluster's own use, and a cluster's name that accounting cannot hold."""
    allowed = limits(spec.parallelcluster.version)
    if allowed is None:
        return
    for path, name in _names(spec):
        if name in allowed.forbidden_names:
            yield Problem(path, f"ParallelCluster keeps the name {name!r} for itself", "choose another name")
    yield from _too_long(spec, allowed)


def _names(spec: Spec) -> Iterator[tuple[Path, str]]:
    yield from ((("queues", index, "name"), queue.name) for index, queue in enumerate(spec.queues))
    yield from (((*group.path, "name"), group.name) for group in spec.node_groups())
    yield from (((*path, "name"), pool.name) for path, pool in spec.login_pools())


def _too_long(spec: Spec, allowed: Limits) -> Iterator[Problem]:
    accounting = spec.parallelcluster.slurm.accounting
    longest = allowed.max_cluster_name_with_accounting
    counts = accounting is not None and (accounting.database is not None or allowed.slurmdbd_is_accounting)
    if counts and len(spec.name) > longest:
        yield Problem(
            ("name",),
            f"{spec.name} has {len(spec.name)} characters, and with accounting {longest} are allowed",
            f"choose a name of at most {longest} characters; the name of a cluster never changes",
        )


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Name that ParallelCluster refuses",
    rationale=(
        "No queue, compute resource or login pool may be called default. With accounting, tables of the database are "
        "named after the cluster, and MySQL takes 64 characters for both parts. Names cannot be changed by an update, "
        "so the right one is needed from the beginning."
    ),
    remedy="choose another name",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Name",
    bad="""\
queues:
  - {name: default, instance_type: g5.12xlarge}
""",
    good="""\
queues:
  - {name: inference-gpu, instance_type: g5.12xlarge}
""",
    check=check,
)
