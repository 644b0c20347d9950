"""Actions that a deployment takes and that whoever deploys is not allowed, as far as a simulation can tell."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.permissions import needed_actions
from trainyard.edge.aws import iam
from trainyard.edge.aws.iam import Decision
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield what is forbidden, and what nothing allows on every resource."""
    principal = context.ask(iam.caller)
    if principal.endswith(":root") or ":federated-user/" in principal:
        return  # the root user may everything, and the simulator knows users and roles only
    decisions = context.ask(iam.decisions, principal, needed_actions(context.spec))
    forbidden = [decision for decision in decisions if _is_forbidden(decision)]
    if forbidden:
        yield Problem(("iam",), f"{principal} is forbidden {_listed(forbidden)}")
    open_ = [decision for decision in decisions if decision.decision != "allowed" and not _is_forbidden(decision)]
    if open_:
        message = f"nothing allows {principal} on every resource: {_listed(open_)}"
        remedy = "fine where a policy allows it for what this cluster makes; the simulation cannot tell"
        yield Problem(("iam",), message, remedy, "warning")


def _is_forbidden(decision: Decision) -> bool:
    """Return whether a policy says no. One that depends on conditions may still say yes to the real call."""
    return (decision.decision == "explicitDeny" or decision.by_organization) and not decision.missing_context


def _listed(decisions: list[Decision]) -> str:
    return ", ".join(decision.action for decision in decisions)


PREFLIGHT = Preflight(
    severity="error",
    title="Permission that is missing",
    rationale=(
        "A deployment makes roles, networks and file systems on behalf of whoever runs it. The first action that is "
        "not allowed stops it half-way. IAM's policy simulator says beforehand what policies and the organisation "
        "forbid; where a policy allows an action for some resources only, it cannot know whether that is enough."
    ),
    remedy="ask for these permissions, or deploy with another profile",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_testing-policies.html",
    permissions=("sts:GetCallerIdentity", "iam:GetRole", "iam:SimulatePrincipalPolicy"),
    check=check,
)
