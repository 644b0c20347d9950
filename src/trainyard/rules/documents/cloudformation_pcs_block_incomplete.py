"""Node groups of AWS PCS in a Capacity Block whose launch template does not say which, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import Part, launch_templates
from trainyard.rules.cloudformation.template import mappings, references_in, resources

_MARKET, _RESERVATION = "InstanceMarketOptions", "CapacityReservationSpecification"


def check(document: Document) -> Iterator[Problem]:
    """Yield launch templates of such groups without the market type, or without a reservation."""
    templates = {template.resource: template for template in launch_templates(document)}
    for group in resources(document, "AWS::PCS::ComputeNodeGroup"):
        if group.properties.get("PurchaseOption") != "CAPACITY_BLOCK":
            continue
        for name in references_in(group.properties.get("CustomLaunchTemplate")) & templates.keys():
            template = templates[name]
            missing = [key for key in (_MARKET, _RESERVATION) if not _has(document, template, key)]
            if missing:
                message = f"{group.name} is for a Capacity Block, and {name} has no {' and no '.join(missing)}"
                remedy = "write InstanceMarketOptions: {MarketType: capacity-block} and CapacityReservationTarget"
                yield Problem(template.path, message, remedy)


def _has(document: Document, template: Part, key: str) -> bool:
    """Return whether something is written there that may be right: what a function makes may be."""
    written = template.written.get(key)
    options = [mapping for _, mapping in mappings(document, written, template.path)]
    if written is None or not options:
        return written is not None
    types = [mapping.get("MarketType") for mapping in options]
    return key != _MARKET or any(isinstance(type_, dict) or type_ == "capacity-block" for type_ in types)


RULE = DocumentRule(
    severity="error",
    title="Capacity Block that the launch template does not name",
    rationale=(
        "AWS PCS starts nodes of a Capacity Block with a launch template that has the market type capacity-block and "
        "the id of the reservation. Without them it refuses the node group."
    ),
    remedy="write InstanceMarketOptions: {MarketType: capacity-block} and the reservation into the launch template",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {MetadataOptions: {HttpTokens: required}, InstanceType: p5.48xlarge}}
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {PurchaseOption: CAPACITY_BLOCK, CustomLaunchTemplate: {TemplateId: !Ref Template, Version: "1"}}
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        InstanceType: p5.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification: {CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}}
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {PurchaseOption: CAPACITY_BLOCK, CustomLaunchTemplate: {TemplateId: !Ref Template, Version: "1"}}
""",
    check=check,
)
