"""Instance types of SageMaker HyperPod without the prefix that SageMaker's names have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.document.node import Document
from trainyard.finding import Fix
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import values
from trainyard.rules.hyperpod import instance_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield instance types as EC2 calls them."""
    for group in instance_groups(document):
        for place, name in values(document, group.written.get("InstanceType"), (*group.path, "InstanceType")):
            if isinstance(name, str) and find(name) is not None:
                yield Problem(
                    place,
                    f"{group.name} of {group.cluster} has {name}",
                    f"write ml.{name}",
                    fix=Fix(place, f"ml.{name}"),
                )


RULE = DocumentRule(
    severity="error",
    title="Instance type without its prefix",
    rationale=(
        "SageMaker has names of its own for instance types, which begin with ml., and refuses any other when the "
        "cluster is to be made."
    ),
    remedy="write the type with ml. before it",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html",
    bad="""\
{"ClusterName": "llm", "InstanceGroups": [
  {"InstanceGroupName": "workers", "InstanceType": "p5.48xlarge", "InstanceCount": 2}]}
""",
    good="""\
{"ClusterName": "llm", "InstanceGroups": [
  {"InstanceGroupName": "workers", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 2}]}
""",
    check=check,
)
