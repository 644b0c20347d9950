"""The name of a node group of Amazon EKS that is taken, or too long for its stack."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

_SYSTEM = "system"


def check(spec: Spec) -> Iterator[Problem]:
    """Yield names of queues, alone or with that of their nodes, that another node group has or no stack can hold."""
    taken: dict[str, str] = {} if spec.eks.adopted else {_SYSTEM: "the system nodes"}
    longest = eks_limits().stack_name_characters
    for group in spec.node_groups():
        name, path = _name(group), _place(group)
        if name in taken:
            yield Problem(path, f"a node group of {taken[name]} is called {name!r} already")
        taken.setdefault(name, f"queue {group.queue.name!r}")
        stack = f"eksctl-{spec.name}-nodegroup-{name}"
        if len(stack) > longest:
            message = f"{stack} has {len(stack)} characters, and the name of a stack {longest}"
            yield Problem(path, message, "shorten the name of the cluster, of the queue or of its nodes")


def _name(group: NodeGroup) -> str:
    """Return what the node group is called: as its queue, with its own name where a queue has several kinds."""
    return group.queue.name if group.queue.compute_resources is None else f"{group.queue.name}-{group.name}"


def _place(group: NodeGroup) -> Path:
    return (*group.path, "name") if "name" in group.settings.written else group.path


RULE = Rule(
    severity="error",
    applies_to="made_by_eksctl",
    title="Name of a node group that is taken or too long",
    rationale=(
        "Each kind of nodes is a node group, and eksctl makes a CloudFormation stack of each that is named after the "
        "cluster and the node group. Two of one name are refused, and the system nodes have one."
    ),
    remedy="choose another name",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: system, instance_type: g5.8xlarge}]
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: g5.8xlarge}]
""",
    check=check,
)
