"""Names that must differ and do not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues, compute resources of a queue and pools of login nodes whose name an earlier one has."""
    yield from _repeated((("queues", index, "name"), queue.name) for index, queue in enumerate(spec.queues))
    for queue in spec.queues:
        yield from _repeated(((*group.path, "name"), group.name) for group in spec.groups_in(queue))
    yield from _repeated(((*path, "name"), pool.name) for path, pool in spec.login_pools())


def _repeated(names: Iterator[tuple[Path, str]]) -> Iterator[Problem]:
    first: dict[str, Path] = {}
    for path, name in names:
        if name in first:
            yield Problem(path, f"the name {name!r} is taken already")
        first.setdefault(name, path)


RULE = Rule(
    severity="error",
    title="Names that repeat",
    rationale=(
        "Jobs ask for a queue by its name, Slurm names nodes after queue and compute resource, and pools of login "
        "nodes have stacks of their own. ParallelCluster refuses doubles."
    ),
    remedy="give each its own name",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Name",
    bad="""\
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge}
  - {name: compute-gpu, instance_type: p4d.24xlarge}
""",
    good="""\
queues:
  - {name: compute-h100, instance_type: p5.48xlarge}
  - {name: compute-a100, instance_type: p4d.24xlarge}
""",
    check=check,
)
