"""A queue whose least number of nodes is above its most."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from trainyard.counts import count_text
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.cloudformation.template import number, resources, values
from trainyard.rules.documents import mapping_in
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec

# Where each type has its sizes, in the order in which they may grow.
_TEMPLATE_SIZES = {
    "AWS::PCS::ComputeNodeGroup": ("ScalingConfiguration", "MinInstanceCount", "MaxInstanceCount"),
    "AWS::EKS::Nodegroup": ("ScalingConfig", "MinSize", "DesiredSize", "MaxSize"),
    "AWS::AutoScaling::AutoScalingGroup": ("", "MinSize", "DesiredCapacity", "MaxSize"),
}
_EKSCTL_SIZES = ("minSize", "desiredCapacity", "maxSize")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield node ranges that no number lies in."""
    for group in spec.node_groups():
        if group.min_nodes > group.max_nodes:
            yield Problem(
                (*group.path, "nodes", "min"),
                f"queue {group.queue.name!r} wants {count_text(group.min_nodes, 'node')} at least and "
                f"{group.max_nodes} at most",
            )
        elif not group.min_nodes <= group.desired_nodes <= group.max_nodes:
            yield Problem(
                (*group.path, "nodes", "desired"),
                f"queue {group.queue.name!r} wants {count_text(group.desired_nodes, 'node')} at first, and "
                f"{group.min_nodes} to {group.max_nodes} at any time",
                f"write a number from {group.min_nodes} to {group.max_nodes}",
            )


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield the first two sizes of a node group, in the order in which they may grow, of which the first is greater."""
    for group in node_groups(document):
        sizes = [(key, group.written[key]) for key in _EKSCTL_SIZES if isinstance(group.written.get(key), int)]
        wrong = next((pair for pair in combinations(sizes, 2) if pair[0][1] > pair[1][1]), None)
        if wrong is not None:
            (low, least), (high, most) = wrong
            message = f"node group {group.name!r} has {low} {least} above {high} {most}"
            yield Problem((*group.path, high), message)


def check_cloudformation(document: Document) -> Iterator[Problem]:
    """Yield node groups whose least number of nodes, or first one, is above the most, by the defaults at least."""
    for type_, (holder, *keys) in _TEMPLATE_SIZES.items():
        for group in resources(document, type_):
            path = (*group.path, "Properties", *([holder] if holder else []))
            written = mapping_in(group.properties, holder) if holder else group.properties
            sizes = [
                (place, key, size)
                for key in keys
                for place, value in values(document, written.get(key), (*path, key))
                if (size := number(value)) is not None
            ]
            wrong = next((pair for pair in combinations(sizes, 2) if pair[0][2] > pair[1][2]), None)
            # Of sizes that a condition chooses, nobody knows which go together.
            if wrong is not None and len(sizes) == len({key for _, key, _ in sizes}):
                (_, low, least), (place, high, most) = wrong
                yield Problem(place, f"{group.name} has {low} {least:.0f} above {high} {most:.0f}")


RULE = Rule(
    severity="error",
    title="Minimum above maximum",
    rationale="No number of nodes fits: ParallelCluster refuses the queue, and eksctl the node group.",
    remedy="make min equal to max for a fixed number of nodes, or smaller for an elastic one",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-MinCount",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: g5.12xlarge
    nodes: {min: 8, max: 4}
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: g5.12xlarge
    nodes: {min: 4, max: 8}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-sizes-contradict",
    check_eksctl,
    title="Sizes that contradict each other",
    remedy="write minSize, desiredCapacity and maxSize in growing order",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, minSize: 3, desiredCapacity: 2}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, minSize: 2, desiredCapacity: 2}
""",
)
CLOUDFORMATION = RULE.in_documents(
    "cloudformation-min-above-max",
    check_cloudformation,
    rationale=(
        "No number of nodes fits: AWS PCS, Amazon EKS or EC2 Auto Scaling refuses the group, and the stack is undone."
    ),
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-pcs-computenodegroup-scalingconfiguration.html",
    bad="""\
Resources:
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {ScalingConfiguration: {MinInstanceCount: 4, MaxInstanceCount: 2}}
""",
    good="""\
Resources:
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {ScalingConfiguration: {MinInstanceCount: 2, MaxInstanceCount: 4}}
""",
)
