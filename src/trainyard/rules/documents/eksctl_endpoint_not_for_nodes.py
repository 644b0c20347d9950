"""A Kubernetes API that nodes, or eksctl itself, cannot reach, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import mapping_at, texts_in


def check(document: Document) -> Iterator[Problem]:
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


RULE = DocumentRule(
    kind="eksctl",
    severity="warning",
    title="Kubernetes API out of reach",
    rationale=(
        "Nodes join through the endpoint. Where privateAccess is not on they come from their NAT gateway's address, "
        "which the ranges must hold, otherwise eksctl waits for them until its time is out. With a private endpoint "
        "alone eksctl, which also talks to the API, has to run within the VPC."
    ),
    remedy="write vpc.clusterEndpoints: {publicAccess: true, privateAccess: true}",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/vpc-cluster-access.html",
    bad="""\
vpc: {publicAccessCIDRs: [203.0.113.7/32]}
""",
    good="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
    check=check,
)
