"""Pods that want more devices than the instance types have that they may run on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.nodes import EFA, GPU, NEURON, in_words, known_types, named_types
from trainyard.rules.kubernetes.workload import pods_with

_COUNTS: dict[str, tuple[str, Callable[[InstanceType], int | None]]] = {
    GPU: ("GPUs", lambda facts: facts.gpu_count),
    EFA: ("EFA interfaces", lambda facts: facts.efa_interfaces),
    NEURON: ("Trainium chips", lambda facts: facts.neuron_count),
}


def check(document: Document) -> Iterator[Problem]:
    """Yield pods that fit on none of the types that they name, as far as the catalog knows all of them."""
    for resource, (words, count_of) in _COUNTS.items():
        for pod, amount in pods_with(document, resource):
            types = known_types(pod)
            counts = [count for facts in types if (count := count_of(facts)) is not None]
            if counts and len(counts) == len(types) and max(counts) < amount:
                have = f"{in_words(types)} {'has' if len(types) == 1 else 'have'} {max(counts) or 'no'} {words}"
                yield Problem(named_types(pod)[0].path, f"{pod.owner.name} asks for {amount} of {resource}, and {have}")


RULE = DocumentRule(
    severity="error",
    title="More devices than the node has",
    rationale=(
        "The scheduler puts a pod on one node. Where no node of the named types has as many devices, the pod waits as "
        "Pending for ever, and an autoscaler starts nothing for it."
    ),
    remedy="ask for what `trainyard instances TYPE` shows, or name another type",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    bad="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: g5.8xlarge}
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 1, vpc.amazonaws.com/efa: 4}}
""",
    good="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: g5.8xlarge}
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 1, vpc.amazonaws.com/efa: 1}}
""",
    check=check,
)
