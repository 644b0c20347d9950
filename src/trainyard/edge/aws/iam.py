"""AWS IAM: who calls, which policies exist, and what the caller may do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, answer_or_none, client, pages

# Of one call. https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html takes more; a page
# of answers holds 100.
_ACTIONS_A_CALL = 100


class Decision(NamedTuple):
    """What the policy simulator says about one action."""

    action: str
    decision: str
    """allowed, explicitDeny or implicitDeny."""
    by_organization: bool
    """Whether a service control policy stands in the way."""
    missing_context: tuple[str, ...] = ()
    """Condition keys that policies ask for, and that a simulation does not know."""


def caller(account: Account) -> str:
    """Return the ARN of the user, role or root user that policies are attached to."""

    def ask() -> str:
        arn: str = client(account, "sts").get_caller_identity()["Arn"]
        return arn

    arn = answer(account, "sts:GetCallerIdentity", ask)
    # arn:aws:sts::123456789012:assumed-role/ROLE/SESSION; the role itself may have a path, which only IAM knows.
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
    if ":assumed-role/" not in arn:
        return arn
    return _role(account, arn.split("/")[1])


def _role(account: Account, name: str) -> str:
    def ask() -> str:
        arn: str = client(account, "iam").get_role(RoleName=name)["Role"]["Arn"]
        return arn

    return answer(account, "iam:GetRole", ask)


def decisions(account: Account, principal: str, actions: tuple[str, ...]) -> tuple[Decision, ...]:
    """Return for each action whether the policies of a user or role allow it, on whatever resource."""
    return tuple(one for part in _parts(actions) for one in _simulated(account, principal, part))


def _parts(actions: Sequence[str]) -> Iterator[Sequence[str]]:
    yield from (actions[first : first + _ACTIONS_A_CALL] for first in range(0, len(actions), _ACTIONS_A_CALL))


def _simulated(account: Account, principal: str, actions: Sequence[str]) -> Iterator[Decision]:
    found = pages(
        account, "iam:SimulatePrincipalPolicy", "simulate_principal_policy", "EvaluationResults",
        PolicySourceArn=principal, ActionNames=list(actions),
    )  # fmt: skip
    for one in found:
        organization = one.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True)
        missing = tuple(one.get("MissingContextValues", ()))
        yield Decision(one["EvalActionName"], one["EvalDecision"], not organization, missing)


def policy_exists(account: Account, arn: str) -> bool:
    """Return whether there is a policy of this ARN."""

    def ask() -> bool:
        client(account, "iam").get_policy(PolicyArn=arn)
        return True

    return answer_or_none(account, "iam:GetPolicy", ask, ("NoSuchEntity", "NoSuchEntityException")) is not None
