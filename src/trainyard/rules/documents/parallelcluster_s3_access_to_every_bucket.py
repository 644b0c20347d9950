"""S3Access of ParallelCluster that names no bucket but all of them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at, mapping_in
from trainyard.rules.parallelcluster.config import mappings_in, queues


def check(document: Document) -> Iterator[Problem]:
    """Yield entries with a star for the bucket, of the head node and of queues."""
    holders = [(("HeadNode",), mapping_at(document, "HeadNode")), *queues(document)]
    for holder, written in holders:
        path = (*holder, "Iam", "S3Access")
        for place, access in mappings_in(mapping_in(written, "Iam").get("S3Access"), path):
            if access.get("BucketName") == "*":
                does = "write and delete" if access.get("EnableWriteAccess") is True else "read"
                yield Problem(
                    (*place, "BucketName"), f"with BucketName *, these nodes may {does} every object of every bucket"
                )


RULE = DocumentRule(
    severity="warning",
    title="Access to every bucket",
    rationale="What a node may do, whoever becomes root on it may do: with a star, in every bucket of the account.",
    remedy="name the buckets that are needed, one entry each",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#yaml-HeadNode-Iam-S3Access",
    bad="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  Iam: {S3Access: [{BucketName: "*", EnableWriteAccess: true}]}
""",
    good="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  Iam: {S3Access: [{BucketName: my-bucket}]}
""",
    check=check,
)
