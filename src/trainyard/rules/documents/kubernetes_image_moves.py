"""Containers whose image moves, of training jobs, with devices such as GPUs, on every node, or with every right."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.document.problems import short, without_password
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import image_moves, mapping_in
from trainyard.rules.kubernetes.workload import Container, containers, is_placeholder


def check(document: Document) -> Iterator[Problem]:
    """Yield images without a tag or a digest, and with the tag latest, of what many nodes run or may do anything."""
    for container in containers(document):
        image, owner = container.written.get("image"), container.pod.owner
        if not isinstance(image, str) or not image or is_placeholder(image) or not image_moves(image):
            continue
        if owner.works_together or container.devices or owner.kind == "DaemonSet" or _may_do_anything(container):
            message = f"{owner.name} runs {short(without_password(image))}, which moves"
            yield Problem((*container.path, "image"), message)


def _may_do_anything(container: Container) -> bool:
    return mapping_in(container.written, "securityContext").get("privileged") is True


RULE = DocumentRule(
    severity="info",
    confidence="possible",
    title="Container image that moves",
    rationale=(
        "What latest means changes from one day to the next: pods that start again on another node may run another "
        "program than the rest of their job, and results cannot be compared. What runs on every node, or has every "
        "right on its node, changes without anybody's doing."
    ),
    remedy="write a tag that stays, or a digest",
    source="https://kubernetes.io/docs/concepts/containers/images/#image-names",
    bad="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:latest
      resources: {limits: {nvidia.com/gpu: 1}}
""",
    good="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 1}}
""",
    check=check,
)
