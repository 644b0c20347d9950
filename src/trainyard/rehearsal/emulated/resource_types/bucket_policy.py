"""The policy of an S3 bucket."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::S3::BucketPolicy"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Put it on the bucket."""
    bucket = wanted.properties["Bucket"]
    aws.client("s3").put_bucket_policy(Bucket=bucket, Policy=json.dumps(wanted.properties["PolicyDocument"]))
    return Made(bucket, {"Bucket": bucket})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Put the new one in its place."""
    return create(aws, wanted) if made.id == wanted.properties["Bucket"] else made


def delete(aws: Aws, made: Made) -> None:
    """Take it off."""
    aws.client("s3").delete_bucket_policy(Bucket=made.id)
