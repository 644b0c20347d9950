"""Nodes whose processors do not run the same programs."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.architecture import architecture_of
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.instance_type_unknown import types_of
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield types of login and compute nodes whose architecture is known not to be the head node's."""
    head = spec.head_node.instance_type
    needed = architecture_of(head)
    for path, name in _other_nodes(spec):
        architecture = architecture_of(name)
        if needed is not None and architecture not in (None, needed):
            yield Problem(
                path,
                f"{name} is {architecture}, and the head node, {head}, is {needed}",
                f"choose {needed} here, or {architecture} for the head node and every other node",
            )


def _other_nodes(spec: Spec) -> Iterator[tuple[Path, str]]:
    for path, pool in spec.login_pools():
        yield (*path, "instance_type"), pool.instance_type
    for group in spec.node_groups():
        yield from types_of(group)


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="x86_64 beside arm64",
    rationale=(
        "All nodes boot images of one architecture and run the Slurm that the head node shares with them. "
        "ParallelCluster refuses compute nodes of another one (InstanceArchitectureCompatibilityValidator), and login "
        "nodes would get an image that they cannot boot."
    ),
    remedy="choose one architecture for all nodes",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#yaml-HeadNode-InstanceType",
    bad="""\
head_node: {instance_type: m5.8xlarge}
queues:
  - name: compute-cpu
    instance_type: hpc7g.16xlarge
    nodes: {min: 0, max: 8}
""",
    good="""\
head_node: {instance_type: m5.8xlarge}
queues:
  - name: compute-cpu
    instance_type: hpc7a.96xlarge
    nodes: {min: 0, max: 8}
""",
    check=check,
)
