"""Pods that mount the InfiniBand devices of their node in place of asking for EFA."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.nodes import named_types
from trainyard.rules.kubernetes.volumes import host_paths
from trainyard.rules.kubernetes.workload import containers_of, pods

_FOLDER = "/dev/infiniband"
_PLUGIN = "device-plugin"
# Their nodes have NVLink controllers among the InfiniBand devices.
# https://github.com/aws/sagemaker-hyperpod-cli/pull/282
_FAMILIES = ("p6-", "p6e-")


def check(document: Document) -> Iterator[Problem]:
    """Yield mounts of that folder on nodes of Blackwell GPUs, and where no type is named; device plugins need it."""
    for pod in pods(document):
        if any(_PLUGIN in str(container.written.get("image")) for container in containers_of(pod)):
            continue
        types = [named.name for named in named_types(pod)]
        concerned = [name for name in types if name.startswith(_FAMILIES)]
        for path, folder in host_paths(pod):
            if folder == _FOLDER and (concerned or not types):
                on = f" on {concerned[0]}" if concerned else ""
                message = f"{pod.owner.name} mounts {folder} of its node{on}, devices that are no EFA among them"
                yield Problem(path, message, severity=None if concerned else "info")


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="InfiniBand devices of the node",
    rationale=(
        "On nodes with Blackwell GPUs some devices in /dev/infiniband are NVLink controllers. libfabric opens every "
        "device that it sees, fails at those, and offers no EFA at all: NCCL goes over TCP. The device plugin gives a "
        "container the EFA devices alone."
    ),
    remedy="remove the volume and ask for vpc.amazonaws.com/efa",
    source="https://github.com/aws-samples/aws-do-eks/pull/63",
    bad="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: p6-b200.48xlarge}
  containers: [{name: train, image: "registry.example.com/train:1.0"}]
  volumes: [{name: devices, hostPath: {path: /dev/infiniband}}]
""",
    good="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: p6-b200.48xlarge}
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {vpc.amazonaws.com/efa: 8}}
""",
    check=check,
)
