"""Nodes of UltraServers that are not as many as an UltraServer has."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield kinds of nodes on a Capacity Block that are fewer than an UltraServer, as an error where they are more."""
    for group in spec.node_groups():
        facts = find(group.instance_type)
        sizes = None if facts is None else facts.ultraserver_instances
        if sizes is None or group.capacity_kind != "capacity_block" or group.max_nodes in sizes:
            continue
        choice = " or ".join(map(str, sizes))
        yield Problem(
            (*group.path, "nodes"),
            f"queue {group.queue.name!r} has {group.max_nodes} {group.instance_type}, and UltraServers have {choice}",
            f"write nodes: {choice}, as many as the Capacity Block holds",
            severity="error" if group.max_nodes > max(sizes) else None,
        )


RULE = Rule(
    severity="warning",
    title="Nodes that are no whole UltraServer",
    rationale=(
        "A Capacity Block of UltraServers is one UltraServer, and ParallelCluster takes no other sizes "
        "(UltraserverCapacityBlockSizeValidator). It tells Slurm which nodes share the NVLink of an UltraServer only "
        "where a compute resource has as many nodes; the rest of the block is paid for and not used."
    ),
    remedy="write as many nodes as the Capacity Block holds",
    source="https://github.com/aws/aws-parallelcluster-cookbook/pull/3002",
    bad="""\
region: us-east-1
network: {availability_zone: us-east-1-dfw-2a}
head_node: {instance_type: hpc7g.16xlarge}
queues:
  - name: compute-gpu
    instance_type: p6e-gb200.36xlarge
    nodes: 7
    capacity: {capacity_block: cr-0123456789abcdef0}
parallelcluster: {version: 3.15.1}
""",
    good="""\
region: us-east-1
network: {availability_zone: us-east-1-dfw-2a}
head_node: {instance_type: hpc7g.16xlarge}
queues:
  - name: compute-gpu
    instance_type: p6e-gb200.36xlarge
    nodes: 9
    capacity: {capacity_block: cr-0123456789abcdef0}
parallelcluster: {version: 3.15.1}
""",
    check=check,
)
