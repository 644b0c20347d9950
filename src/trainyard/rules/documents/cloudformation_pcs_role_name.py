"""Roles of nodes of AWS PCS whose name AWS PCS does not accept, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import TemplateResource, references_in, resources, text_of

_PREFIX, _FOLDER = "AWSPCS", "/aws-pcs/"


def check(document: Document) -> Iterator[Problem]:
    """Yield roles that neither begin so nor lie there; without a name CloudFormation makes one of that of the stack."""
    roles = {role.name: role for role in resources(document, "AWS::IAM::Role")}
    profiles = {profile.name: profile for profile in resources(document, "AWS::IAM::InstanceProfile")}
    named = {
        role
        for group in resources(document, "AWS::PCS::ComputeNodeGroup")
        for profile in references_in(group.properties.get("IamInstanceProfileArn")) & profiles.keys()
        for role in references_in(profiles[profile].properties.get("Roles")) & roles.keys()
    }
    for role in (roles[name] for name in sorted(named)):
        if text_of(role.properties.get("Path")) == _FOLDER or _may_be_named_so(role):
            continue
        name = text_of(role.properties.get("RoleName"))
        message = f"{role.name} is called {name or 'after its stack'}, and lies outside {_FOLDER}"
        yield Problem((*role.path, "Properties"), message, severity=None if name else "warning")


def _may_be_named_so(role: TemplateResource) -> bool:
    written = role.properties.get("RoleName")
    name = text_of(written)
    return name.startswith((_PREFIX, "$")) or (written is not None and not name)


RULE = DocumentRule(
    severity="error",
    title="Role that AWS PCS does not accept",
    rationale=(
        "AWS PCS passes nodes only roles whose names begin with AWSPCS, or whose path is /aws-pcs/, and refuses the "
        "node group with any other."
    ),
    remedy="write Path: /aws-pcs/, or a RoleName that begins with AWSPCS",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles_create.html",
    bad="""\
Resources:
  Role: {Type: AWS::IAM::Role, Properties: {RoleName: nodes}}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Roles: [!Ref Role]}}
  Nodes: {Type: AWS::PCS::ComputeNodeGroup, Properties: {IamInstanceProfileArn: !GetAtt Profile.Arn}}
""",
    good="""\
Resources:
  Role: {Type: AWS::IAM::Role, Properties: {Path: /aws-pcs/}}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Roles: [!Ref Role]}}
  Nodes: {Type: AWS::PCS::ComputeNodeGroup, Properties: {IamInstanceProfileArn: !GetAtt Profile.Arn}}
""",
    check=check,
)
