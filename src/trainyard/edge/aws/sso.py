"""AWS IAM Identity Center, which was called AWS SSO."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages


def active_instances(account: Account) -> tuple[str, ...]:
    """Return the ARNs of the instances, in whatever region, that work and that the account may use.

    https://docs.aws.amazon.com/singlesignon/latest/APIReference/API_ListInstances.html
    """
    listed = pages(account, "sso-admin", "list_instances", "Instances", RegionScope="ALL_REGIONS")
    return tuple(instance["InstanceArn"] for instance in listed if instance.get("Status", "ACTIVE") == "ACTIVE")
