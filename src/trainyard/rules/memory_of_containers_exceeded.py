"""More memory set aside on a node of AWS Batch than it can spare."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_MIB_A_GIB = 1024
_MIB_A_HUGE_PAGE = 2


def check(spec: Spec) -> Iterator[Problem]:
    """Yield shared memory above what a node has, and huge pages that leave a node less than half of its memory."""
    memories = {
        group.instance_type: facts.memory_mib
        for group in spec.node_groups()
        if (facts := find(group.instance_type)) is not None and facts.memory_mib is not None
    }
    if not memories:
        return
    name, memory_mib = min(memories.items(), key=lambda item: item[1])
    shared, pages = spec.batch.shared_memory_gib, spec.batch.huge_pages
    if shared is not None and shared * _MIB_A_GIB > memory_mib:
        problem = f"{shared:,} GiB of shared memory on {name}, which has {memory_mib // _MIB_A_GIB:,} GiB"
        yield Problem(("batch", "shared_memory_gib"), problem)
    if pages is not None and pages * _MIB_A_HUGE_PAGE > memory_mib / 2:
        problem = f"{pages:,} huge pages of 2 MiB on {name}, which has {memory_mib // _MIB_A_GIB:,} GiB"
        yield Problem(("batch", "huge_pages"), problem)


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="More memory set aside than there is",
    rationale=(
        "What fills shared memory counts as memory of the container, which is ended when it takes more than it may "
        "have. Huge pages are taken from the node before any container starts, so that jobs find less than Batch "
        "thinks."
    ),
    remedy="write less, or remove the key: the default follows the instance type",
    source="https://docs.aws.amazon.com/batch/latest/userguide/memory-management.html",
    bad="""\
platform: batch
batch: {shared_memory_gib: 2000}
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    good="""\
platform: batch
batch: {shared_memory_gib: 200}
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    check=check,
)
