"""Lifecycle scripts in a bucket that the managed policy of SageMaker HyperPod does not open."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import text_of
from trainyard.rules.documents import mapping_in
from trainyard.rules.hyperpod import instance_groups

_PREFIX = "s3://sagemaker-"


def check(document: Document) -> Iterator[Problem]:
    """Yield addresses whose bucket is named and has another prefix."""
    for group in instance_groups(document):
        uri = text_of(mapping_in(group.written, "LifeCycleConfig").get("SourceS3Uri"))
        bucket = uri.removeprefix("s3://").partition("/")[0]
        if uri.startswith("s3://") and bucket and not uri.startswith(_PREFIX) and "$" not in bucket:
            path = (*group.path, "LifeCycleConfig", "SourceS3Uri")
            yield Problem(path, f"{group.name} of {group.cluster} has its scripts in {bucket}")


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Lifecycle scripts in another bucket",
    rationale=(
        "The policy AmazonSageMakerClusterInstanceRolePolicy opens buckets whose names begin with sagemaker- and no "
        "others. Without rights of its own a node cannot read its scripts, and the cluster fails after some 20 minutes."
    ),
    remedy="use a bucket whose name begins with sagemaker-, or give the execution role rights in this one",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterLifeCycleConfig.html",
    bad="""\
{"ClusterName": "llm", "InstanceGroups": [
  {"InstanceGroupName": "workers", "InstanceType": "ml.p5.48xlarge",
   "LifeCycleConfig": {"SourceS3Uri": "s3://training-scripts/base", "OnCreate": "on_create.sh"}}]}
""",
    good="""\
{"ClusterName": "llm", "InstanceGroups": [
  {"InstanceGroupName": "workers", "InstanceType": "ml.p5.48xlarge",
   "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-training-scripts/base", "OnCreate": "on_create.sh"}}]}
""",
    check=check,
)
