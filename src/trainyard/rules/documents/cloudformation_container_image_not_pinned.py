"""Containers of multi-node jobs whose image moves, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.document.problems import short, without_password
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import multi_node_containers
from trainyard.rules.cloudformation.template import values
from trainyard.rules.documents import image_moves


def check(document: Document) -> Iterator[Problem]:
    """Yield images of containers without a tag or a digest, and with the tag latest."""
    for container in multi_node_containers(document):
        for path, image in values(document, container.written.get("Image"), (*container.path, "Image")):
            if isinstance(image, str) and image and "${" not in image and image_moves(image):
                message = f"containers of {container.resource} run {short(without_password(image))}, which moves"
                yield Problem(path, message)


RULE = DocumentRule(
    severity="info",
    confidence="possible",
    title="Container image that moves",
    rationale=(
        "What latest means changes from one day to the next: nodes that start on different days run different "
        "programs, and results cannot be compared."
    ),
    remedy="write a tag that stays, or a digest",
    source="https://github.com/awslabs/awsome-distributed-ai/pull/448",
    bad="""\
Resources:
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NodeRangeProperties: [{TargetNodes: "0:", Container: {Image: "registry.example.com/train:latest"}}]
""",
    good="""\
Resources:
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NodeRangeProperties: [{TargetNodes: "0:", Container: {Image: "registry.example.com/train:1.0"}}]
""",
    check=check,
)
