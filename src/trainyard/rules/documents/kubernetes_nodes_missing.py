"""Jobs whose torchrun waits for more nodes than the job has pods."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.nodes import GPU
from trainyard.rules.kubernetes.workload import ApiObject, containers, nodes_of_job, whole_number

# Of a range the first number is the least that it starts with.
_OPTION = re.compile(r"--nnodes(?:=|\s+)[\"']?(\d{1,5})\b")


def check(document: Document) -> Iterator[Problem]:
    """Yield numbers of nodes that are greater than the number of pods."""
    for container in containers(document):
        owner = container.pod.owner
        match = _OPTION.search(" ".join(container.words))
        if match is None or not owner.works_together or not container.amount(GPU):
            continue
        nodes = _most_pods(nodes_of_job(document, container.pod, GPU), owner)
        if nodes is not None and int(match[1]) > nodes:
            path = (*container.path, "args" if "args" in container.written else "command")
            yield Problem(path, f"torchrun waits for {match[1]} nodes, and {owner.name} has {nodes} pods")


def _most_pods(pods: int | None, owner: ApiObject) -> int | None:
    """Return how many pods an elastic job may grow to; of any other, how many it has."""
    most = mapping_in(mapping_in(owner.written, "spec"), "elasticPolicy").get("maxReplicas", 0)
    number = whole_number(most)
    return None if pods is None or number is None else max(pods, number)


RULE = DocumentRule(
    severity="error",
    title="Nodes that torchrun waits for in vain",
    rationale=(
        "torchrun starts when as many nodes have met as --nnodes says. With fewer pods nothing starts: the GPUs are "
        "held, and paid, until the rendezvous times out."
    ),
    remedy="make --nnodes and the replicas equal, or leave --nnodes to the operator",
    source="https://docs.pytorch.org/docs/stable/elastic/run.html",
    bad="""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example.com/train:1.0
              command: [torchrun, --nnodes=4, train.py]
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
          containers:
            - name: pytorch
              image: registry.example.com/train:1.0
              command: [torchrun, --nnodes=2, train.py]
              resources: {limits: {nvidia.com/gpu: 1}}
""",
    check=check,
)
