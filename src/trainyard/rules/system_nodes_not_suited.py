"""System nodes of Amazon EKS with accelerators, or with too little for what runs there."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# A judgement of ours: EKS has no limit, and the documents' own type, c5.2xlarge, has four times the one and twice the
# other.
_LEAST_VCPUS, _LEAST_MIB = 2, 8 * 1024
# Of these sizes, which only burstable families have, none has more than 2 GiB.
# https://docs.aws.amazon.com/ec2/latest/instancetypes/gp.html
_SMALL_SIZES = ("nano", "micro", "small")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an instance type with accelerators that nothing uses, and one that is known to be small."""
    path, name = ("eks", "system_nodes", "instance_type"), spec.eks.system_nodes.instance_type
    facts = find(name)
    if facts is None:
        if name.rpartition(".")[2] in _SMALL_SIZES:
            yield Problem(path, f"{name} has 2 GiB at most for DNS, operators and drivers of the whole cluster")
        return
    if facts.accelerators:
        count, model = facts.accelerators.count, facts.accelerators.model
        yield Problem(path, f"{count} {model} of each {facts.name} lie idle: no job lands on system nodes")
    if (facts.vcpus or _LEAST_VCPUS) < _LEAST_VCPUS or (facts.memory_mib or _LEAST_MIB) < _LEAST_MIB:
        size = f"{facts.vcpus} vCPUs and {(facts.memory_mib or 0) / 1024:.0f} GiB"
        message = f"{facts.name} has {size} for DNS, operators and drivers of the whole cluster"
        yield Problem(path, message)


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="has_kubernetes",
    title="Instance type that does not suit system nodes",
    rationale=(
        "Training never lands on system nodes, so accelerators there cost much and do nothing. Where they are too "
        "small, pods of DNS or of an operator stay Pending, and jobs then neither find each other nor start."
    ),
    remedy="write instance_type: c5.2xlarge, or another without accelerators and with 8 GiB",
    source="https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
eks: {system_nodes: {instance_type: g5.8xlarge}}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
eks: {system_nodes: {instance_type: c5.2xlarge}}
""",
    check=check,
)
