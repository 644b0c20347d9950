"""Checkpoints that are written where they are gone with their pod."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.nodes import GPU, NEURON
from trainyard.rules.kubernetes.volumes import mounts_anything_at, volume_at
from trainyard.rules.kubernetes.workload import containers

# Local checkpoints are meant to be gone, and what is resumed from or converted is read.
_OPTION = re.compile(
    r"--(?!\S*(?:local|load|resume|from|tokenizer))[\w.-]*(?:checkpoint|ckpt|save)[-_](?:dir|path|folder)"
    r"(?:=|\s+)[\"']?(?P<folder>/[\w./-]*)"
)


def check(document: Document) -> Iterator[Problem]:
    """Yield folders for checkpoints on no volume, or on one that is emptied with the pod."""
    for container in containers(document):
        match = _OPTION.search(" ".join(container.words))
        if match is None or container.pod.owner.kind == "TrainJob" or not any(map(container.amount, (GPU, NEURON))):
            continue
        folder, volume = match["folder"], volume_at(container, match["folder"])
        if not mounts_anything_at(container, folder):
            where = "in the container itself"
        elif volume is not None and "emptyDir" in volume[1]:
            where = f"on volume {volume[1].get('name')}, an emptyDir"
        else:
            continue
        path = (*container.path, "args" if "args" in container.written else "command")
        yield Problem(path, f"{container.pod.owner.name} writes its checkpoints to {folder}, which lies {where}")


RULE = DocumentRule(
    severity="info",
    confidence="possible",
    title="Checkpoints that are lost with their pod",
    rationale=(
        "What lies in a container or in an emptyDir is gone when its pod is, and a node that fails takes its pods "
        "with it. A job that is started again then begins at step 0."
    ),
    remedy="mount a PersistentVolumeClaim, such as one of FSx for Lustre, and write checkpoints there",
    source="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir",
    bad="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      command: [torchrun, train.py, --checkpoint-dir=/checkpoints]
      resources: {limits: {nvidia.com/gpu: 1}}
""",
    good="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      command: [torchrun, train.py, --checkpoint-dir=/fsx/checkpoints]
      resources: {limits: {nvidia.com/gpu: 1}}
      volumeMounts: [{name: fsx, mountPath: /fsx}]
  volumes: [{name: fsx, persistentVolumeClaim: {claimName: fsx}}]
""",
    check=check,
)
