"""Limits on the roles that a cluster creates."""

from __future__ import annotations

from trainyard.record import Record
from trainyard.spec.text import IamPolicyArn, ResourcePrefix


class Iam(Record):
    """What an organisation demands of every role."""

    permissions_boundary: IamPolicyArn | None = None
    """Policy that bounds every role that the cluster makes."""
    resource_prefix: ResourcePrefix | None = None
    """Path and name prefix of the roles that the cluster makes."""
