"""A Kubernetes API that answers every address, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import mapping_at, texts_in

_WORLD = ("0.0.0.0/0", "::/0")


def check(document: Document) -> Iterator[Problem]:
    """Yield a public endpoint, which is the default, without address ranges or with one of the whole world."""
    endpoints = mapping_at(document, "vpc", "clusterEndpoints")
    private = mapping_at(document, "privateCluster").get("enabled") is True
    if endpoints.get("publicAccess") is False or private:
        return
    ranges = texts_in(mapping_at(document, "vpc"), "publicAccessCIDRs")
    for index, cidr in enumerate(ranges):
        if cidr in _WORLD:
            message = f"{cidr} lets every address try the Kubernetes API"
            yield Problem(("vpc", "publicAccessCIDRs", index), message, severity="warning")
    if not ranges:
        written = "publicAccess is on" if "publicAccess" in endpoints else "publicAccess, which is on by default,"
        yield Problem(
            _place(document), f"{written} without publicAccessCIDRs: every address may try the Kubernetes API"
        )


def _place(document: Document) -> Path:
    if "publicAccess" in mapping_at(document, "vpc", "clusterEndpoints"):
        return ("vpc", "clusterEndpoints", "publicAccess")
    return ("vpc",) if "vpc" in mapping_at(document) else ("metadata",)


RULE = DocumentRule(
    kind="eksctl",
    severity="info",
    title="Kubernetes API open to the world",
    rationale=(
        "The API asks everybody for credentials, and a stolen kubeconfig or a flaw in it is then reachable from "
        "everywhere. eksctl makes a public endpoint unless told otherwise."
    ),
    remedy=(
        "write vpc.publicAccessCIDRs with your own ranges, and vpc.clusterEndpoints.privateAccess: true for the nodes"
    ),
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    bad="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}}
""",
    good="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
    check=check,
)
