"""Pods that take all GPUs of a node and only some of its EFA interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.nodes import EFA, GPU, known_types
from trainyard.rules.kubernetes.workload import pods_with


def check(document: Document) -> Iterator[Problem]:
    """Yield pods with fewer interfaces than each of their types is best used with."""
    gpus = {pod.path: amount for pod, amount in pods_with(document, GPU)}
    for pod, amount in pods_with(document, EFA):
        types = known_types(pod)
        if types and all(gpus.get(pod.path) == facts.gpu_count and amount < _best(facts) for facts in types):
            facts = min(types, key=_best)
            message = f"{pod.owner.name} asks for {amount} of {EFA}, and {facts.name} has {_best(facts)}"
            yield Problem(pod.path, message)


def _best(facts: InstanceType) -> int:
    return len(facts.efa_cards) if facts.efa_cards is not None else facts.efa_interfaces or 0


RULE = DocumentRule(
    severity="warning",
    title="EFA interfaces that nobody uses",
    rationale=(
        "Each EFA interface carries its share of a node's bandwidth, and NCCL gives each GPU those that lie near it. A "
        "pod with all GPUs of a node and a part of the interfaces has that part of the bandwidth, and no other pod "
        "can use the rest."
    ),
    remedy="ask for all of them, which `trainyard instances TYPE` shows",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    bad="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: p4d.24xlarge}
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 1}}
      volumeMounts: [{name: shm, mountPath: /dev/shm}]
  volumes: [{name: shm, emptyDir: {medium: Memory}}]
""",
    good="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: p4d.24xlarge}
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 4}}
      volumeMounts: [{name: shm, mountPath: /dev/shm}]
  volumes: [{name: shm, emptyDir: {medium: Memory}}]
""",
    check=check,
)
