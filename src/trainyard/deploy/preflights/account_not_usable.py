"""Credentials that AWS does not accept, and regions that the account cannot use. Asked before everything else."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.errors import TrainyardError
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the region where nothing can be asked in it."""
    region = context.spec.region
    try:
        number = context.account.id
    except TrainyardError as error:
        yield Problem(("region",), error.problem, error.hint)
        return
    try:
        state = context.ask(ec2.region_state)
    except NotAllowedError:
        return  # who may not ask for regions may still deploy
    if state == "not-opted-in":
        yield Problem(("region",), f"account {number} has not switched on {region}")
    elif not state:
        yield Problem(("region",), f"AWS knows no region {region}", "choose one of `aws ec2 describe-regions`")


PREFLIGHT = Preflight(
    severity="error",
    title="Account or region that cannot be used",
    rationale=(
        "Without credentials that AWS accepts nothing can be made, and newer regions are off in every account until "
        "somebody switches them on, which can take hours."
    ),
    remedy="switch the region on in the account's settings, or choose another one",
    source="https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html",
    permissions=("sts:GetCallerIdentity", "ec2:DescribeRegions"),
    check=check,
)
