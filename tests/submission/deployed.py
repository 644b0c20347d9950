"""What a deployment leaves in the bucket, by which a cluster is known by its name."""

from __future__ import annotations

from trainyard.deploy.record import Deployment, write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account


def remember_deployment(account: Account, spec: str) -> None:
    """Leave what a deployment of the cluster lab leaves."""
    bucket = s3.own_bucket(account)
    place = {"LocationConstraint": account.region}
    account.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=place)
    record = Deployment("lab", account.region, "deployed", "0.1", "", spec, None, "2026-11-22T00:00:00+00:00")
    write_record(account, bucket, record)
