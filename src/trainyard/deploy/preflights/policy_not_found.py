"""IAM policies that are to bound or widen the rights of nodes, and do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import iam
from trainyard.finding import Path
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield policies that cannot be attached."""
    for path, arn in _policies(context):
        owner = arn.split(":")[4]
        if owner not in ("aws", context.account.id):
            yield Problem(path, f"policy {arn} is of account {owner}, and the cluster in {context.account.id}")
        elif not context.ask(iam.policy_exists, arn):
            yield Problem(path, f"there is no policy {arn}")


def _policies(context: PreflightContext) -> Iterator[tuple[Path, str]]:
    named = context.spec.iam
    if named.permissions_boundary is not None:
        yield ("iam", "permissions_boundary"), named.permissions_boundary
    yield from ((("iam", "policies", index), arn) for index, arn in enumerate(named.policies))


PREFLIGHT = Preflight(
    severity="error",
    title="Policy that does not exist",
    rationale=(
        "Roles take policies of their own account and of AWS. One that is not there fails the role, and with it the "
        "stack of the cluster."
    ),
    remedy="make the policy, or correct its ARN",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_manage-attach-detach.html",
    permissions=("iam:GetPolicy",),
    check=check,
)
