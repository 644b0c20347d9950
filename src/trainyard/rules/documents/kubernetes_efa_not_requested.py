"""Jobs of several nodes with GPUs whose pods ask for no EFA."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.nodes import EFA, GPU, in_words, known_types, named_types
from trainyard.rules.kubernetes.volumes import host_paths
from trainyard.rules.kubernetes.workload import Pod, containers_of, nodes_of_job, pods_with

_WHOLE_NODE = 8


def check(document: Document) -> Iterator[Problem]:
    """Yield pods of such jobs on types with EFA, and whole nodes of eight GPUs where no type is named."""
    for pod, gpus in pods_with(document, GPU):
        nodes = nodes_of_job(document, pod, GPU)
        if pod.owner.kind == "TrainJob" or (nodes or 0) < 2 or _sees_efa(pod):
            continue
        types = known_types(pod)
        with_efa = bool(types) and all(facts.has_efa for facts in types)
        if with_efa or (not named_types(pod) and gpus >= _WHOLE_NODE):
            on = f" of {in_words(types)}" if with_efa else ""
            message = f"{pod.owner.name} uses {gpus} GPUs on each of {nodes} nodes{on}, and asks for no {EFA}"
            yield Problem((*pod.path, "containers"), message, severity=None if with_efa else "info")


def _sees_efa(pod: Pod) -> bool:
    """Return whether a container gets EFA interfaces from the plugin, or all devices of its node."""
    return any(path.startswith("/dev") for _, path in host_paths(pod)) or any(
        container.amount(EFA) != 0 or mapping_in(container.written, "securityContext").get("privileged") is True
        for container in containers_of(pod)
    )


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="EFA not requested",
    rationale=(
        "A container sees EFA interfaces only where it asks for them. Without them NCCL says nothing and uses TCP, at "
        "a small part of the bandwidth that the nodes are paid for."
    ),
    remedy="ask for as many vpc.amazonaws.com/efa as the type has, which `trainyard instances TYPE` shows",
    source="https://github.com/aws/sagemaker-hyperpod-cli/issues/306",
    bad="""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          nodeSelector: {node.kubernetes.io/instance-type: g5.8xlarge}
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
      replicas: 2
      template:
        spec:
          nodeSelector: {node.kubernetes.io/instance-type: g5.8xlarge}
          containers:
            - name: pytorch
              image: registry.example.com/train:1.0
              resources: {limits: {nvidia.com/gpu: 1, vpc.amazonaws.com/efa: 1}}
""",
    check=check,
)
