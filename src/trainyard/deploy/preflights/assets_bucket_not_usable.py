"""Buckets for what nodes fetch that do not exist, lie elsewhere or belong to somebody else."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import s3_lookup
from trainyard.edge.aws.s3 import own_bucket
from trainyard.rules import Problem

_PATH = ("assets", "bucket")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the bucket of the spec, or the one that would be made, where it cannot be used."""
    named, region = context.spec.assets.bucket, context.spec.region
    bucket = named or own_bucket(context.account)
    bucket_answer = context.ask(s3_lookup.bucket, bucket, context.account.id)
    if bucket_answer.state == "missing" and named is not None:
        yield Problem(_PATH, f"there is no bucket {bucket}", "make it, or name none and one is made")
    elif bucket_answer.state == "refused":
        message = f"bucket {bucket} belongs to another account, or account {context.account.id} may not use it"
        yield Problem(_PATH, message)
    elif bucket_answer.state == "there" and bucket_answer.region not in (None, region):
        yield Problem(_PATH, f"bucket {bucket} lies in {bucket_answer.region}, and the cluster in {region}")


PREFLIGHT = Preflight(
    severity="error",
    title="Bucket for assets that cannot be used",
    rationale=(
        "Nodes fetch what they install from it, and the state of the deployment is kept there. Names of buckets are "
        "shared by all accounts, so that somebody else may have the name; what another account controls must not run "
        "on nodes; and an S3 endpoint reaches buckets of its own region only."
    ),
    remedy="name a bucket of this account and region, or none and one is made",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-owner-condition.html",
    permissions=("s3:ListBucket",),
    check=check,
)
