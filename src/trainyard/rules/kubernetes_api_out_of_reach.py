"""A Kubernetes API that nodes, or whoever deploys, cannot reach."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.documents import mapping_at
from trainyard.rules.eksctl.config import texts_in
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a public endpoint whose ranges shut the nodes out, and a private one, which shuts out who deploys."""
    path, ranges = ("eks", "endpoint"), spec.access.allow_from
    if spec.eks.endpoint == "public" and ranges and "0.0.0.0/0" not in ranges:
        message = f"nodes come to a public endpoint from the address of their NAT gateway, and {', '.join(ranges)} may"
        yield Problem(path, message, "write endpoint: both, so that nodes reach it within the VPC")
    if spec.eks.endpoint == "private":
        message = "with endpoint: private, eksctl and kubectl reach the cluster from within its VPC only"
        remedy = "deploy from an instance or a VPN in the VPC, or write endpoint: both with access.allow_from"
        yield Problem(path, message, remedy, "warning")


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield ranges that shut nodes out, an endpoint that eksctl cannot reach from outside, and none at all."""
    endpoints = mapping_at(document, "vpc", "clusterEndpoints")
    public, private = endpoints.get("publicAccess") is not False, endpoints.get("privateAccess") is True
    place = ("vpc", "clusterEndpoints", "publicAccess")
    ranges = texts_in(mapping_at(document, "vpc"), "publicAccessCIDRs")
    if not public and not private:
        message = "publicAccess is off and privateAccess is not on, so nobody reaches the Kubernetes API"
        yield Problem(place, message, "write privateAccess: true", severity="error")
    elif not public:
        message = "publicAccess is off, so eksctl reaches the Kubernetes API from within the VPC only"
        yield Problem(place, message, "run eksctl in the VPC, or switch publicAccess off once the cluster is made")
    elif ranges and not private and "0.0.0.0/0" not in ranges:
        message = f"nodes reach the API from outside, and {', '.join(ranges)} may; privateAccess is not on"
        yield Problem(("vpc", "publicAccessCIDRs"), message, "write vpc.clusterEndpoints.privateAccess: true")


RULE = Rule(
    severity="error",
    applies_to="has_kubernetes",
    title="Kubernetes API out of reach",
    rationale=(
        "Nodes join through the endpoint, and come to a public one from the address of their NAT gateway: those that "
        "cannot reach it never do, and eksctl waits for them until its time is out. eksctl also talks to the API "
        "itself while it makes a cluster, and so does kubectl afterwards."
    ),
    remedy="write endpoint: both",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/vpc-cluster-access.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
eks: {endpoint: public}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
eks: {endpoint: both}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-endpoint-not-for-nodes",
    check_eksctl,
    severity="warning",
    remedy="write vpc.clusterEndpoints: {publicAccess: true, privateAccess: true}",
    bad="""\
vpc: {publicAccessCIDRs: [203.0.113.7/32]}
""",
    good="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
)
