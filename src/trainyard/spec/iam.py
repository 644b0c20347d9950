"""Limits on the roles that a cluster creates, and the key that encrypts its data."""

from __future__ import annotations

from trainyard.record import Record
from trainyard.spec.text import IamPolicyArn, KmsKey, ResourcePrefix


class Iam(Record):
    """What an organisation demands of every role and volume."""

    permissions_boundary: IamPolicyArn | None = None
    """Policy that bounds every role that the cluster makes."""
    resource_prefix: ResourcePrefix | None = None
    """Path and name prefix of the roles that the cluster makes."""
    policies: tuple[IamPolicyArn, ...] = ()
    """Further policies that every node gets."""
    kms_key: KmsKey | None = None
    """Key that encrypts file systems and shared volumes. Root volumes always use the account's key for EBS."""
