"""Names that must differ and do not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues, compute resources of a queue and pools of login nodes whose name an earlier one has."""
    yield from _taken((("queues", index, "name"), queue.name) for index, queue in enumerate(spec.queues))
    for queue in spec.queues:
        yield from _taken(((*group.path, "name"), group.name) for group in spec.groups_in(queue))
    yield from _taken(((*path, "name"), pool.name) for path, pool in spec.login_pools())


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups, managed or not, that have the name of one before them."""
    named = ((group.path, group.name) for group in node_groups(document) if isinstance(group.written.get("name"), str))
    for path, name, (key, index) in _repeated(named):
        yield Problem((*path, "name"), f"{key}[{index}] is called {name!r}, too")


def _taken(names: Iterator[tuple[Path, str]]) -> Iterator[Problem]:
    yield from (Problem(path, f"the name {name!r} is taken already") for path, name, _ in _repeated(names))


def _repeated(names: Iterator[tuple[Path, str]]) -> Iterator[tuple[Path, str, Path]]:
    """Yield each name that an earlier place has, with its place and that one."""
    first: dict[str, Path] = {}
    for path, name in names:
        if name in first:
            yield path, name, first[name]
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
EKSCTL = RULE.in_documents(
    "eksctl-name-repeated",
    check_eksctl,
    rationale=(
        "A node group is a CloudFormation stack named after it, and managed and self-managed ones share the names: "
        "eksctl refuses the file."
    ),
    remedy="give one of them another name",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - {name: gpu, instanceType: c5.2xlarge}
nodeGroups:
  - {name: gpu, instanceType: g5.8xlarge}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge}
nodeGroups:
  - {name: gpu, instanceType: g5.8xlarge}
""",
)
