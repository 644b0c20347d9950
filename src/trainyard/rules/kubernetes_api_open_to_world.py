"""A Kubernetes API that answers every address."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.documents import mapping_at
from trainyard.rules.eksctl.config import texts_in
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a public endpoint without address ranges. Ranges that are too wide have a rule of their own."""
    if spec.eks.endpoint == "private" or spec.access.allow_from:
        return
    path = ("eks", "endpoint") if "endpoint" in spec.eks.written else ("platform",)
    message = f"endpoint: {spec.eks.endpoint} of {spec.platform} lets every address try the Kubernetes API"
    yield Problem(path, message)


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield a public endpoint, which is the default, without address ranges or with one of the whole world."""
    endpoints = mapping_at(document, "vpc", "clusterEndpoints")
    private = mapping_at(document, "privateCluster").get("enabled") is True
    if endpoints.get("publicAccess") is False or private:
        return
    ranges = texts_in(mapping_at(document, "vpc"), "publicAccessCIDRs")
    for index, cidr in enumerate(ranges):
        if cidr in ("0.0.0.0/0", "::/0"):
            message = f"{cidr} lets every address try the Kubernetes API"
            yield Problem(("vpc", "publicAccessCIDRs", index), message, severity="warning")
    if not ranges:
        written = "publicAccess is on" if "publicAccess" in endpoints else "publicAccess, which is on by default,"
        message = f"{written} without publicAccessCIDRs: every address may try the Kubernetes API"
        yield Problem(_place(document), message)


def _place(document: Document) -> Path:
    if "publicAccess" in mapping_at(document, "vpc", "clusterEndpoints"):
        return ("vpc", "clusterEndpoints", "publicAccess")
    return ("vpc",) if "vpc" in mapping_at(document) else ("metadata",)


RULE = Rule(
    severity="info",
    applies_to="has_kubernetes",
    title="Kubernetes API open to the world",
    rationale=(
        "The API asks everybody for credentials, and a stolen kubeconfig or a flaw in it is then reachable from "
        "everywhere. eksctl makes a public endpoint unless told otherwise. With ranges it answers nobody else, and "
        "nodes reach a private one within the VPC."
    ),
    remedy="name your own addresses in access.allow_from, or write eks.endpoint: private and deploy from the VPC",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    bad="""\
platform: eks
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
    "eksctl-endpoint-open-to-world",
    check_eksctl,
    remedy=(
        "write vpc.publicAccessCIDRs with your own ranges, and vpc.clusterEndpoints.privateAccess: true for the nodes"
    ),
    bad="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}}
""",
    good="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
)
