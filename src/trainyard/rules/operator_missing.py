"""Several nodes of Amazon EKS, and no operator for jobs that run on several."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_NEEDS = {
    ("mpi-operator",): "bandwidth tests, which are MPIJobs",
    ("training-operator", "jobset"): "jobs of torchrun, which are PyTorchJobs or JobSets",
}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield operators that were left out, where a queue has several nodes."""
    if "operators" not in spec.eks.written:
        return
    group = next((group for group in spec.node_groups() if group.max_nodes > 1), None)
    for operators, jobs in _NEEDS.items():
        if group is not None and not {*operators} & {*spec.eks.operators}:
            either = " or ".join(operators)
            message = f"without {either} the {group.max_nodes} nodes of queue {group.queue.name!r} take no {jobs}"
            yield Problem(("eks", "operators"), message, f"add {either}, or install one of your own")


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="has_kubernetes",
    title="Operator that jobs need",
    rationale=(
        "Kubernetes itself knows no job that runs on several nodes at once. Without the operator its resources do not "
        "exist, and kubectl refuses the manifests of the bundle that use them."
    ),
    remedy="add the operator, or remove operators: training-operator and mpi-operator are installed by default",
    source="https://github.com/kubeflow/mpi-operator",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: 2}]
eks: {operators: [training-operator]}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: 2}]
eks: {operators: [training-operator, mpi-operator]}
""",
    check=check,
)
