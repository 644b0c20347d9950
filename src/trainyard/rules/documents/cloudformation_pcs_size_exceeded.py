"""Clusters of AWS PCS with more nodes than their size allows, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import number, references_in, resources, values
from trainyard.rules.documents import mapping_in

# Compute nodes. https://docs.aws.amazon.com/pcs/latest/APIReference/API_Cluster.html (read 2026-11-23)
_MOST_NODES = {"SMALL": 32, "MEDIUM": 512, "LARGE": 2048}


def check(document: Document) -> Iterator[Problem]:
    """Yield sizes below the sum of the node groups of the same template, as far as numbers are written out."""
    for cluster in resources(document, "AWS::PCS::Cluster"):
        path = (*cluster.path, "Properties", "Size")
        most_nodes = [
            _only(document, mapping_in(group.properties, "ScalingConfiguration").get("MaxInstanceCount"))
            for group in resources(document, "AWS::PCS::ComputeNodeGroup")
            if cluster.name in references_in(group.properties.get("ClusterId"))
        ]
        nodes = sum(most or 0 for most in most_nodes)
        sizes = list(values(document, cluster.properties.get("Size"), path))
        if len(sizes) == 1 and nodes > _MOST_NODES.get(str(sizes[0].value), nodes):
            size = str(sizes[0].value)
            message = f"{cluster.name} is {size}, for {_MOST_NODES[size]} nodes, and its groups may have {nodes:.0f}"
            yield Problem(sizes[0].path, message)


def _only(document: Document, value: Any) -> float | None:
    numbers = [number(one) for _, one in values(document, value, ())]
    return numbers[0] if len(numbers) == 1 else None


RULE = DocumentRule(
    severity="error",
    title="Cluster that is too small for its nodes",
    rationale=(
        "The size of a cluster of AWS PCS bounds its nodes and its jobs, and cannot be changed: a node group beyond it "
        "is refused, and the way out is another cluster."
    ),
    remedy="choose a larger Size, or smaller node groups",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_Cluster.html",
    bad="""\
Resources:
  Cluster: {Type: AWS::PCS::Cluster, Properties: {Size: SMALL, Scheduler: {Type: SLURM, Version: "25.11"}}}
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {ClusterId: !GetAtt Cluster.Id, ScalingConfiguration: {MinInstanceCount: 0, MaxInstanceCount: 64}}
""",
    good="""\
Resources:
  Cluster: {Type: AWS::PCS::Cluster, Properties: {Size: MEDIUM, Scheduler: {Type: SLURM, Version: "25.11"}}}
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {ClusterId: !GetAtt Cluster.Id, ScalingConfiguration: {MinInstanceCount: 0, MaxInstanceCount: 64}}
""",
    check=check,
)
