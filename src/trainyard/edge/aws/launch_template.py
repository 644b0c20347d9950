"""What a launch template of EC2 says. Asks only.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeLaunchTemplateVersions.html
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client

# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
_MISSING = {
    "InvalidLaunchTemplateId.Malformed",
    "InvalidLaunchTemplateId.NotFound",
    "InvalidLaunchTemplateId.VersionNotFound",
    "InvalidLaunchTemplateName.NotFoundException",
}


def launch_template_data(account: Account, named: str, version: str) -> Mapping[str, Any] | None:
    """Return what a version of a launch template says; None where there is no such template or version.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    which = "LaunchTemplateId" if named.startswith("lt-") else "LaunchTemplateName"
    call = partial(client(account, "ec2").describe_launch_template_versions, **{which: named}, Versions=[version])
    found = answer_or_none(account, "ec2:DescribeLaunchTemplateVersions", call, _MISSING) or {}
    return next((one["LaunchTemplateData"] for one in found.get("LaunchTemplateVersions", ())), None)


def reservation_of(data: Mapping[str, Any]) -> str | None:
    """Return the capacity reservation or Capacity Block that instances go into, or the ARN of a group of them."""
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    found = target.get("CapacityReservationId") or target.get("CapacityReservationResourceGroupArn")
    return None if found is None else str(found)
