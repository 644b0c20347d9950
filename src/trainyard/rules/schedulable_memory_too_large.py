"""More memory for jobs than the nodes have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes whose type is known to have less memory than jobs are to get."""
    for group in spec.node_groups():
        wanted_mib = group.settings.schedulable_memory_mib
        for name in group.instance_types if wanted_mib else ():
            facts = find(name)
            if facts is not None and facts.memory_mib is not None and facts.memory_mib < (wanted_mib or 0):
                path = (*group.path, "schedulable_memory_mib")
                yield Problem(path, f"{name} has {facts.memory_mib:,} MiB, fewer than {wanted_mib:,} MiB for jobs")


RULE = Rule(
    severity="error",
    title="More memory for jobs than nodes have",
    rationale=(
        "Slurm takes a node that has less memory than it was told for invalid and drains it, so ParallelCluster "
        "refuses the queue (SchedulableMemoryValidator)."
    ),
    remedy="leave it out: ParallelCluster takes 95 % of the memory, and the rest is for the operating system",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-mem-based-scheduling-v3.html",
    bad="""\
queues:
  - name: prepare
    instance_type: m5.8xlarge
    schedulable_memory_mib: 200000
parallelcluster: {slurm: {memory_scheduling: true}}
""",
    good="""\
queues:
  - name: prepare
    instance_type: m5.8xlarge
parallelcluster: {slurm: {memory_scheduling: true}}
""",
    check=check,
)
