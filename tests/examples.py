"""Whole documents around the examples of rules, which are only the part that matters."""

from __future__ import annotations

from trainyard.checking.recognition import FUNCTIONS, script
from trainyard.document.node import Document
from trainyard.document.read import read_yaml
from trainyard.rules import DocumentKind

REST_OF_SPEC = {
    "name": "name: example",
    "region": "region: us-east-2",
    "platform": "platform: parallelcluster",
    "queues": "queues: [{name: compute-gpu, instance_type: p5.48xlarge}]",
}
# What a file is not without, by kind; a kind that is not here is a script.
REST_OF_DOCUMENT: dict[DocumentKind, dict[str, str]] = {
    "hyperpod": {},
    "kubernetes": {"apiVersion": "apiVersion: v1", "kind": "kind: Pod"},
    "parallelcluster": {
        "Region": "Region: us-east-2",
        "Image": "Image: {Os: ubuntu2204}",
        "HeadNode": (
            "HeadNode: {InstanceType: m5.8xlarge, Networking: {SubnetId: subnet-0123456789abcdef0}, "
            "Imds: {Secured: true}}"
        ),
        "Scheduling": (
            "Scheduling: {Scheduler: slurm, SlurmQueues: [{Name: cpu, "
            "Networking: {SubnetIds: [subnet-0123456789abcdef0]}, "
            "ComputeResources: [{Name: cpu, InstanceType: m5.large}]}]}"
        ),
    },
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
    """Return a whole document around a part. The part keeps its line numbers; of a script it is the whole."""
    return _completed(part, _keys(part), REST_OF_DOCUMENT[kind]) if kind in REST_OF_DOCUMENT else part


def read_example(kind: DocumentKind, part: str) -> Document:
    """Return the same, read as what it is."""
    text = example_document(kind, part)
    return script(text, "script") if kind not in REST_OF_DOCUMENT else read_yaml(text, "document.yaml", FUNCTIONS)


def _keys(part: str) -> set[str]:
    return {line.split(":")[0] for line in part.splitlines()}


def _completed(part: str, written: set[str], rest: dict[str, str]) -> str:
    return "\n".join([part.rstrip(), *(line for key, line in rest.items() if key not in written)]) + "\n"
