"""Resources of a TrainJob that leave out EFA, and so take it away from the containers of its runtime."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Severity
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.nodes import EFA, GPU
from trainyard.rules.kubernetes.workload import containers_of, pods_with

_WHOLE_NODE = 8


def check(document: Document) -> Iterator[Problem]:
    """Yield resources with GPUs and without EFA, of several nodes; nodes with few GPUs may well have no EFA."""
    for pod, gpus in pods_with(document, GPU):
        if pod.owner.kind != "TrainJob" or (pod.replicas or 0) < 2:
            continue
        (trainer,) = containers_of(pod)
        if trainer.amount(EFA) == 0:
            runtime = mapping_in(mapping_in(pod.owner.written, "spec"), "runtimeRef").get("name")
            of = f", whatever runtime {runtime} asks for" if isinstance(runtime, str) else ""
            message = f"{pod.owner.name} asks for {gpus} GPUs on each of {pod.replicas} nodes and for no {EFA}{of}"
            severity: Severity | None = None if gpus >= _WHOLE_NODE or "efa" in str(runtime) else "info"
            yield Problem((*pod.path, "resourcesPerNode"), message, severity=severity)


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="EFA lost in a TrainJob",
    rationale=(
        "Up to version 2.2 Kubeflow Trainer replaces the resources of its runtime's containers by resourcesPerNode, "
        "and with them their request for EFA: the job runs over TCP and nothing says so. Version 2.3 merges the two."
    ),
    remedy="write vpc.amazonaws.com/efa below limits and requests of resourcesPerNode as well",
    source="https://github.com/NVIDIA/aicr/issues/2275",
    bad="""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec:
  runtimeRef: {name: torch-distributed}
  trainer:
    numNodes: 2
    resourcesPerNode:
      limits: {nvidia.com/gpu: 8}
""",
    good="""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec:
  runtimeRef: {name: torch-distributed}
  trainer:
    numNodes: 2
    resourcesPerNode:
      limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32}
""",
    check=check,
)
