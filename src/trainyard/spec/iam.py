"""Limits on the roles that a cluster creates, and the key that encrypts its data."""

from __future__ import annotations

from trainyard.record import Record
from trainyard.spec.text import BucketName, IamPolicyArn, KmsKey, ResourcePrefix


class Iam(Record):
    """What an organisation demands of every role and volume."""

    permissions_boundary: IamPolicyArn | None = None
    """Policy that bounds every role that the cluster makes."""
    resource_prefix: ResourcePrefix | None = None
    """Path and name prefix of the roles that the cluster makes."""
    policies: tuple[IamPolicyArn, ...] = ()
    """Further policies that every node gets."""
    read_buckets: tuple[BucketName, ...] = ()
    """Buckets that every node may read, beside those of data repositories and your own scripts."""
    imds_for_root_only: bool = True
    """Only root may ask for the credentials of compute and login nodes: jobs have none of the nodes' rights."""
    kms_key: KmsKey | None = None
    """Key that encrypts file systems and shared volumes. Root volumes always use the account's key for EBS."""
