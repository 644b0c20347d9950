"""Training jobs of several nodes that end with the first node that fails."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.nodes import GPU
from trainyard.rules.kubernetes.workload import Pod, nodes_of_job, pods_with, whole_number


def check(document: Document) -> Iterator[Problem]:
    """Yield jobs with GPUs on several nodes that say so, or of a kind that does so unless told otherwise."""
    for pod, _ in pods_with(document, GPU):
        nodes = nodes_of_job(document, pod, GPU)
        if (nodes or 0) > 1 and (reason := _reason(pod)):
            path, why = reason
            yield Problem(path, f"{pod.owner.name} on {nodes} nodes is not started again after a failure: {why}")


def _reason(pod: Pod) -> tuple[Path, str] | None:
    spec, path = mapping_in(pod.owner.written, "spec"), (*pod.owner.path, "spec")
    match pod.owner.kind:
        case "PyTorchJob":
            role = pod.path[len(path) + 1]
            policy = mapping_in(mapping_in(spec, "pytorchReplicaSpecs"), str(role)).get("restartPolicy")
            return ((*path, "pytorchReplicaSpecs", role, "restartPolicy"), "Never") if policy == "Never" else None
        case "Job":
            limit = whole_number(spec.get("backoffLimit"))
            return ((*path, "backoffLimit"), "backoffLimit is 0") if limit == 0 else None
        case "JobSet":
            most = whole_number(mapping_in(spec, "failurePolicy").get("maxRestarts", 0))
            return (path, "failurePolicy has no maxRestarts") if most == 0 else None
        case _:
            return None


RULE = DocumentRule(
    severity="info",
    confidence="possible",
    title="Job that nobody starts again",
    rationale=(
        "Every few thousand node-days a node fails, which is every few days for a job on many of them. A job that is "
        "not started again then leaves paid nodes idle until somebody looks."
    ),
    remedy="let the operator start it again, from its last checkpoint",
    source="https://jobset.sigs.k8s.io/docs/concepts/",
    bad="""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example.com/train:1.0
              resources: {limits: {nvidia.com/gpu: 1}}
""",
    good="""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example.com/train:1.0
              resources: {limits: {nvidia.com/gpu: 1}}
""",
    check=check,
)
