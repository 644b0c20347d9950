"""A test of GPUs that takes longer than the prolog may."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes whose GPUs are tested before every job and are known to be joined by NVLink, as in p4d and p5."""
    for group in spec.node_groups():
        if not group.settings.gpu_health_check:
            continue
        for facts in map(find, group.instance_types):
            if facts is not None and facts.nvlink_gb_s_bidirectional:
                message = f"the {facts.gpu_count} GPUs of {facts.name} are tested before every job, which can hang it"
                yield Problem((*group.path, "gpu_health_check"), message)
                break


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="GPU health check that hangs jobs",
    rationale=(
        "On types whose GPUs are joined by NVLink, such as p4d and p5, DCGM tests so much that the prolog of one node "
        "can outlast what Slurm waits: the job fails with 'Prolog hung' on healthy nodes. It is a known problem of "
        "every version since 3.6.0."
    ),
    remedy="remove gpu_health_check here, and test nodes between jobs",
    fixed_by_removal=True,
    source="https://github.com/aws/aws-parallelcluster/issues/6777",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    gpu_health_check: true
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
""",
    check=check,
)
