"""Spot instances of Amazon EKS for nodes that work together."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import uses_efa
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.cloudformation.batch import templates_with_efa
from trainyard.rules.cloudformation.template import references_in, resources, values
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec

# The key that says how nodes are bought, and the one that names their launch template.
_SPOT_KEYS = {
    "AWS::EKS::Nodegroup": ("CapacityType", "LaunchTemplate"),
    "AWS::PCS::ComputeNodeGroup": ("PurchaseOption", "CustomLaunchTemplate"),
}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield spot nodes of EKS that are several and have EFA, which only jobs of several nodes use."""
    for group in spec.node_groups():
        together = group.max_nodes > 1 and any(uses_efa(name, group.efa) for name in group.instance_types)
        if group.capacity_kind == "spot" and together:
            message = f"{group.max_nodes} × {group.instance_type} of queue {group.queue.name!r} work together on spot"
            yield Problem((*group.path, "capacity"), message)


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield spot nodes with EFA, and, as an error, spot nodes of a reservation, which never run in it."""
    for group in node_groups(document):
        if group.written.get("spot") is not True and group.market != "spot":
            continue
        path = (*group.path, "spot") if "spot" in group.written else (*group.path, "instanceMarketOptions")
        if group.reservation:
            message = f"node group {group.name!r} is spot, and spot instances use no reservation"
            yield Problem(path, message, "remove spot, or the reservation", severity="error")
        elif group.uses_efa:
            yield Problem(path, f"node group {group.name!r} has EFA for jobs of several nodes, and is spot")


def check_cloudformation(document: Document) -> Iterator[Problem]:
    """Yield spot node groups of Amazon EKS and AWS PCS whose launch template has EFA."""
    for type_, (option, template_key) in _SPOT_KEYS.items():
        for group in resources(document, type_):
            if references_in(group.properties.get(template_key)) & templates_with_efa(document):
                path = (*group.path, "Properties", option)
                for place, bought in values(document, group.properties.get(option), path):
                    if bought == "SPOT":
                        yield Problem(place, f"{group.name} has EFA for jobs of several nodes, and is spot")


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="has_kubernetes",
    title="Spot for nodes that work together",
    rationale=(
        "One spot instance that EC2 takes back, with two minutes' notice, ends a training job on all of its nodes. "
        "EKS drains the node, and the operator starts the whole job anew once there is another instance."
    ),
    remedy="write capacity: on-demand or name a reservation; on spot, write checkpoints often",
    source="https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: g5.48xlarge, nodes: 4, capacity: spot}]
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: g5.48xlarge, nodes: 4, capacity: on-demand}]
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-spot-for-training",
    check_eksctl,
    rationale=f"{RULE.rationale} Reservations are for on-demand instances.",
    remedy="remove spot, or let jobs resume from checkpoints that they write often",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    bad="""\
managedNodeGroups:
  - {name: g5, instanceType: g5.48xlarge, efaEnabled: true, privateNetworking: true, spot: true}
""",
    good="""\
managedNodeGroups:
  - {name: g5, instanceType: g5.48xlarge, efaEnabled: true, privateNetworking: true, spot: false}
""",
)
CLOUDFORMATION = RULE.in_documents(
    "cloudformation-spot-for-training",
    check_cloudformation,
    rationale=(
        "One spot instance that EC2 takes back, with two minutes' notice, ends a training job on all of its nodes, "
        "which starts anew once there is another instance."
    ),
    remedy="buy on demand or name a reservation; on spot, write checkpoints often",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [sg-0123456789abcdef0]}]
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {PurchaseOption: SPOT, CustomLaunchTemplate: {TemplateId: !Ref Template, Version: "1"}}
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [sg-0123456789abcdef0]}]
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties: {PurchaseOption: ONDEMAND, CustomLaunchTemplate: {TemplateId: !Ref Template, Version: "1"}}
""",
)
