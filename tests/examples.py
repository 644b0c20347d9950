"""Whole documents around the examples of rules, which are only the part that matters."""

from __future__ import annotations

from trainyard.rules import DocumentKind

REST_OF_SPEC = {
    "name": "name: example",
    "region": "region: us-east-2",
    "platform": "platform: parallelcluster",
    "queues": "queues: [{name: compute-gpu, instance_type: p5.48xlarge}]",
}
REST_OF_DOCUMENT: dict[DocumentKind, dict[str, str]] = {
    "eksctl": {
        "apiVersion": "apiVersion: eksctl.io/v1alpha5",
        "kind": "kind: ClusterConfig",
        "metadata": 'metadata: {name: example, region: us-east-2, version: "1.35"}',
        "vpc": "vpc: {clusterEndpoints: {privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}",
    },
    "cloudformation": {
        "AWSTemplateFormatVersion": 'AWSTemplateFormatVersion: "2010-09-09"',
    },
}
_OF_CLUSTERS = {"platform", "queues"}


def example_spec(part: str) -> str:
    """Return a whole spec around a part. The part keeps its line numbers."""
    written = _keys(part)
    if "kind: environment" in part:
        written |= _OF_CLUSTERS
    return _completed(part, written, REST_OF_SPEC)


def example_document(kind: DocumentKind, part: str) -> str:
    """Return a whole document around a part. The part keeps its line numbers."""
    return _completed(part, _keys(part), REST_OF_DOCUMENT[kind])


def _keys(part: str) -> set[str]:
    return {line.split(":")[0] for line in part.splitlines()}


def _completed(part: str, written: set[str], rest: dict[str, str]) -> str:
    return "\n".join([part.rstrip(), *(line for key, line in rest.items() if key not in written)]) + "\n"
