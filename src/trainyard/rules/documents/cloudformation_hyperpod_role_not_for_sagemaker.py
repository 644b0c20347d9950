"""Execution roles of SageMaker HyperPod that SageMaker may not take on, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import TemplateResource, references_in, resources, text_of
from trainyard.rules.documents import mapping_in
from trainyard.rules.hyperpod import instance_groups

_SERVICE = "sagemaker."


def check(document: Document) -> Iterator[Problem]:
    """Yield roles of the same template whose trust names services, and SageMaker not among them."""
    roles = {role.name: role for role in resources(document, "AWS::IAM::Role")}
    groups = {
        name: group for group in instance_groups(document) for name in references_in(group.written.get("ExecutionRole"))
    }
    for name in sorted(groups.keys() & roles.keys()):
        services = list(_services(roles[name]))
        if services and not any(text == "" or _SERVICE in text or "$" in text for text in services):
            path = (*roles[name].path, "Properties", "AssumeRolePolicyDocument")
            yield Problem(path, f"{groups[name].name} has role {name}, which only {' and '.join(services)} may take on")


def _services(role: TemplateResource) -> Iterator[str]:
    statements = mapping_in(role.properties, "AssumeRolePolicyDocument").get("Statement")
    for statement in statements if isinstance(statements, tuple) else (statements,):
        principal: Any = statement.get("Principal") if isinstance(statement, dict) else None
        service = principal.get("Service") if isinstance(principal, dict) else None
        yield from map(text_of, service if isinstance(service, tuple) else (service,))


RULE = DocumentRule(
    severity="error",
    title="Role that SageMaker may not take on",
    rationale=(
        "The nodes of SageMaker HyperPod belong to SageMaker, which takes on the execution role for them. A role that "
        "trusts EC2 alone, as one for nodes of other clusters does, is refused when the cluster is to be made."
    ),
    remedy="name sagemaker.amazonaws.com as Service in AssumeRolePolicyDocument",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html",
    bad="""\
Resources:
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties: {InstanceGroups: [{InstanceGroupName: workers, ExecutionRole: !GetAtt Role.Arn}]}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: [{Effect: Allow, Action: "sts:AssumeRole", Principal: {Service: ec2.amazonaws.com}}]
""",
    good="""\
Resources:
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties: {InstanceGroups: [{InstanceGroupName: workers, ExecutionRole: !GetAtt Role.Arn}]}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: [{Effect: Allow, Action: "sts:AssumeRole", Principal: {Service: sagemaker.amazonaws.com}}]
""",
    check=check,
)
