"""Where in the bucket an instance puts the record of its bootstrap, and what is read there.

IAM lets each instance write below its own ARN and nowhere else: render/cloudformation/assets.yaml. So the place of a
record says who wrote it. Before that, every node could write nodes/INSTANCE.json of every other one; such a record is
read where there is no other, and said to be of an older release.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ExamplePolicies_EC2.html#iam-example-source-instance
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard.deploy.node_record import MOST_BYTES, BadRecordError, NodeRecord, read_record
from trainyard.deploy.work import folder
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.s3_lookup import first_bytes
from trainyard.render.policies import partition


class StoredRecord(NamedTuple):
    """What lies at the place of a record."""

    etag: str
    record: NodeRecord | None
    problem: str | None
    """Why it is no record of this instance."""
    former: bool
    """Whether it lies where any node could write it, as older releases have it."""


def records_folder(account: Account, cluster: str) -> str:
    """Return the folder of the records of a cluster: that of the instances of this account and region."""
    return f"{former_folder(cluster)}/arn:{partition(account.region)}:ec2:{account.region}:{account.id}:instance"


def former_folder(cluster: str) -> str:
    """Return the folder that nodes of older releases write to."""
    return f"{folder(cluster)}/nodes"


def record_key(account: Account, cluster: str, instance_id: str) -> str:
    """Return the key of the record of an instance."""
    return f"{records_folder(account, cluster)}/{instance_id}.json"


def record_of(account: Account, bucket: str, cluster: str, instance_id: str) -> StoredRecord | None:
    """Return what an instance wrote, to its own place or to that of older releases; None where it wrote nothing."""
    own = read_object(account, bucket, record_key(account, cluster, instance_id), instance_id)
    if own is not None:
        return own
    former = read_object(account, bucket, f"{former_folder(cluster)}/{instance_id}.json", instance_id)
    return None if former is None else former._replace(former=True)


def read_object(account: Account, bucket: str, key: str, instance_id: str) -> StoredRecord | None:
    """Return the record at a key as far as it is one of this instance; None where nothing is there."""
    stored = first_bytes(account, bucket, key, MOST_BYTES + 1)
    if stored is None:
        return None
    try:
        return StoredRecord(stored.etag, read_record(stored.content, instance_id), None, former=False)
    except BadRecordError as error:
        return StoredRecord(stored.etag, None, str(error), former=False)
