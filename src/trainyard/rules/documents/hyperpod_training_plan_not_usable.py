"""Instance groups of SageMaker HyperPod whose training plan is no plan, or one that cannot hold their type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.hyperpod import instance_groups

_ARN = re.compile(r"arn:aws[a-z-]*:sagemaker:[a-z0-9-]*:[0-9]{12}:training-plan/.+")
# Plans hold types of the families P and Trn.
_WITHOUT_ACCELERATOR = re.compile(r"(?:ml\.)?[cmrti]\d")


def check(document: Document) -> Iterator[Problem]:
    """Yield groups that SageMaker would give no instance of their plan."""
    for group in instance_groups(document):
        plan, type_ = group.written.get("TrainingPlanArn"), group.written.get("InstanceType")
        path = (*group.path, "TrainingPlanArn")
        if not isinstance(plan, str) or not plan or "${" in plan:
            continue
        if not _ARN.fullmatch(plan):
            yield Problem(path, f"TrainingPlanArn of {group.name} is {plan!r}, not the ARN of a training plan")
        elif isinstance(type_, str) and _WITHOUT_ACCELERATOR.match(type_):
            yield Problem(path, f"{group.name} asks a training plan for {type_}, and plans hold P and Trn types only")


RULE = DocumentRule(
    severity="error",
    title="Training plan not usable",
    rationale=(
        "A group with a training plan gets its instances from this plan only. SageMaker refuses a name in place of the "
        "ARN, and plans are offered for instance types of P and Trn, never for those of controllers and login nodes."
    ),
    remedy="give the ARN of the plan to the group of the accelerators; `aws sagemaker list-training-plans` shows it",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ReservedCapacityOffering.html",
    bad="""\
{"ClusterName": "llm", "InstanceGroups": [
  {"InstanceGroupName": "workers", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 4,
   "TrainingPlanArn": "my-plan"}]}
""",
    good="""\
{"ClusterName": "llm", "InstanceGroups": [
  {"InstanceGroupName": "workers", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 4,
   "TrainingPlanArn": "arn:aws:sagemaker:us-east-2:111122223333:training-plan/my-plan"}]}
""",
    check=check,
)
