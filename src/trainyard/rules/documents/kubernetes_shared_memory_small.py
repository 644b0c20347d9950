"""Containers with several GPUs whose shared memory is what the container runtime gives, or lies on a disk."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.nodes import GPU
from trainyard.rules.kubernetes.volumes import mounts_anything_at, volume_at
from trainyard.rules.kubernetes.workload import containers

_FOLDER = "/dev/shm"  # noqa: S108  where POSIX shared memory lies, in every container

# The runtime of a TrainJob may mount it, and the operator of Ray does.
# https://github.com/ray-project/kuberay/blob/master/ray-operator/controllers/ray/common/pod.go
_MOUNTED = ("TrainJob", "Ray")


def check(document: Document) -> Iterator[Problem]:
    """Yield containers with nothing mounted there, and empty volumes that are not kept in memory."""
    for container in containers(document):
        pod, gpus = container.pod, container.amount(GPU) or 0
        if gpus < 2 or pod.owner.kind.startswith(_MOUNTED) or pod.written.get("hostIPC") is True:
            continue
        if not mounts_anything_at(container, _FOLDER):
            yield Problem(
                container.path, f"{pod.owner.name} has {gpus} {GPU}, and 64 MiB of shared memory in {_FOLDER}"
            )
        elif (volume := volume_at(container, _FOLDER)) is not None and "emptyDir" in volume[1]:
            empty = volume[1]["emptyDir"]
            if empty is None or (isinstance(empty, dict) and mapping_in(volume[1], "emptyDir").get("medium") is None):
                message = f"{pod.owner.name} has its shared memory on the disk of the node: emptyDir without a medium"
                yield Problem((*volume[0], "emptyDir"), message)


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Little shared memory for several GPUs",
    rationale=(
        "NCCL and the data loaders of PyTorch pass data through /dev/shm, and a container runtime gives it 64 MiB. "
        "Jobs then end with a bus error or with “unable to open shared memory”, often only with larger batches."
    ),
    remedy="mount a volume {emptyDir: {medium: Memory}} at /dev/shm",
    source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html#sharing-data",
    bad="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 4}}
""",
    good="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 4}}
      volumeMounts: [{name: shm, mountPath: /dev/shm}]
  volumes: [{name: shm, emptyDir: {medium: Memory}}]
""",
    check=check,
)
