"""Containers that start more processes than they have GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.nodes import GPU
from trainyard.rules.kubernetes.workload import Container, containers, whole_number

# https://docs.pytorch.org/docs/stable/elastic/run.html
_OPTION = re.compile(r"--nproc[-_]per[-_]node(?:=|\s+)[\"']?(\d{1,4})\b")
# These take the number from the object, too.
_OF_OBJECT = ("HyperPodPyTorchJob", "PyTorchJob")


def check(document: Document) -> Iterator[Problem]:
    """Yield numbers of processes above the number of GPUs, for torchrun and whatever has its options."""
    for container in containers(document):
        gpus = container.amount(GPU)
        for path, processes in _processes(container) if gpus else ():
            if processes > (gpus or 0):
                message = (
                    f"{container.pod.owner.name} starts {processes} processes on each node, and has {gpus} {GPU} there"
                )
                yield Problem(path, message)


def _processes(container: Container) -> Iterator[tuple[Path, int]]:
    if match := _OPTION.search(" ".join(container.words)):
        yield (*container.path, "args" if "args" in container.written else "command"), int(match[1])
        return
    owner = container.pod.owner
    number = whole_number(mapping_in(owner.written, "spec").get("nprocPerNode"))
    if owner.kind in _OF_OBJECT and number is not None:
        yield (*owner.path, "spec", "nprocPerNode"), number


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="More processes than GPUs",
    rationale=(
        "torchrun gives its processes the numbers of GPUs. The first one above those that the container has ends with "
        "“invalid device ordinal”, and NCCL refuses two processes of a job on one GPU."
    ),
    remedy="start as many processes as the container has GPUs, or ask for more GPUs",
    source="https://docs.pytorch.org/docs/stable/elastic/run.html",
    bad="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      command: [torchrun, --nproc_per_node=8, train.py]
      resources: {limits: {nvidia.com/gpu: 1}}
""",
    good="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      command: [torchrun, --nproc_per_node=1, train.py]
      resources: {limits: {nvidia.com/gpu: 1}}
""",
    check=check,
)
