"""GPUs or Trainium on nodes that run no jobs."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield head and login nodes with accelerators. A remote desktop has use for a GPU."""
    for path, name in types_without_desktop(spec):
        facts = find(name)
        if facts is not None and facts.accelerators is not None:
            chips = f"{facts.accelerators.count} {facts.accelerators.model}"
            what = "the head node" if path[0] == "head_node" else "a login node"
            yield Problem(path, f"{name} gives {what} {chips}, which no job can use")


def types_without_desktop(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Yield the instance types of head and login nodes that have no remote desktop."""
    if spec.head_node.dcv is None:
        yield ("head_node", "instance_type"), spec.head_node.instance_type
    for path, pool in spec.login_pools():
        if pool.dcv is None:
            yield (*path, "instance_type"), pool.instance_type


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="Accelerators where no jobs run",
    rationale=(
        "The head node schedules and serves NFS, login nodes are for people, and Slurm sends jobs to neither. Both run "
        "all the time, so accelerators there are paid for by the hour and never used."
    ),
    remedy="choose a type without accelerators, such as m5.8xlarge for the head node and m5.large for login nodes",
    source="https://github.com/aws/aws-parallelcluster/wiki/ParallelCluster:-Launching-a-Login-Node",
    bad="""\
head_node: {instance_type: g5.12xlarge}
""",
    good="""\
head_node: {instance_type: m5.8xlarge}
""",
    check=check,
)
