"""A device plugin of EFA that Kubernetes starts on nodes without EFA."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.efa_plugin import efa_plugins
from trainyard.rules.kubernetes.nodes import named_types


def check(document: Document) -> Iterator[Problem]:
    """Yield plugins without any choice of nodes, and named types that have no EFA."""
    for container, _ in efa_plugins(document):
        pod = container.pod
        if pod.owner.kind == "DaemonSet" and not pod.written.get("nodeSelector") and not pod.written.get("affinity"):
            yield Problem(pod.path, f"{pod.owner.name} runs the EFA device plugin on every node, with EFA or without")
        for path, name in named_types(pod):
            facts = find(name)
            if facts is not None and facts.has_efa is False:
                yield Problem(path, f"{pod.owner.name} runs the EFA device plugin on {name}, which has no EFA")


RULE = DocumentRule(
    severity="warning",
    title="EFA device plugin on nodes without EFA",
    rationale=(
        "The plugin ends where it finds no EFA device, and Kubernetes starts it again and again: pods in "
        "CrashLoopBackOff hide those that matter, and health checks that watch the namespace never get quiet."
    ),
    remedy="name the instance types with EFA in a nodeAffinity of the DaemonSet",
    source="https://github.com/aws/sagemaker-hyperpod-cli/issues/367",
    bad="""\
apiVersion: apps/v1
kind: DaemonSet
spec:
  template:
    spec:
      nodeSelector: {node.kubernetes.io/instance-type: g5.xlarge}
      containers: [{name: efa, image: "public.ecr.aws/eks/aws-efa-k8s-device-plugin:v0.5.13"}]
""",
    good="""\
apiVersion: apps/v1
kind: DaemonSet
spec:
  template:
    spec:
      nodeSelector: {node.kubernetes.io/instance-type: g5.8xlarge}
      containers: [{name: efa, image: "public.ecr.aws/eks/aws-efa-k8s-device-plugin:v0.5.13"}]
""",
    check=check,
)
