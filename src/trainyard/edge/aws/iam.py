"""AWS IAM: who calls, which policies and instance profiles there are, and what the policy simulator says. Asks only.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages, parts
from trainyard.edge.aws.errors import NO_ENTITY

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


class InstanceProfile(NamedTuple):
    """An instance profile."""

    name: str
    role: str | None
    """The ARN of its role; None where it has none."""


def caller(account: Account) -> str:
    """Return the ARN of the user, role or root user that policies are attached to."""
    arn: str = call(account, "sts", "get_caller_identity")["Arn"]
    # arn:aws:sts::123456789012:assumed-role/ROLE/SESSION; the role itself may have a path, which only IAM knows.
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
    if ":assumed-role/" not in arn:
        return arn
    return str(call(account, "iam", "get_role", RoleName=arn.split("/")[1])["Role"]["Arn"])


def policy_exists(account: Account, arn: str) -> bool:
    """Return whether there is a policy of this ARN."""
    return call(account, "iam", "get_policy", none_if=NO_ENTITY, PolicyArn=arn) is not None


def instance_profile(account: Account, name: str) -> InstanceProfile | None:
    """Return an instance profile by its name or ARN; None where there is none.

    https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetInstanceProfile.html
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    plain = name.rpartition("/")[2]
    answer = call(account, "iam", "get_instance_profile", none_if=NO_ENTITY, InstanceProfileName=plain)
    if answer is None:
        return None
    roles = answer["InstanceProfile"]["Roles"]
    return InstanceProfile(plain, roles[0]["Arn"] if roles else None)


def decisions(account: Account, principal: str, actions: tuple[str, ...]) -> tuple[Decision, ...]:
    """Return for each action whether the policies of a user or role allow it, on whatever resource."""
    return tuple(
        decision for part in parts(actions, _ACTIONS_A_CALL) for decision in _decisions(account, principal, part)
    )


def _decisions(account: Account, principal: str, actions: Sequence[str]) -> Iterator[Decision]:
    for result in _simulation(account, PolicySourceArn=principal, ActionNames=list(actions)):
        organization = result.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True)
        missing = tuple(result.get("MissingContextValues", ()))
        yield Decision(result["EvalActionName"], result["EvalDecision"], not organization, missing)


def may(account: Account, profile_arn: str, action: str, resource: str) -> bool:
    """Return whether the role of an instance profile may do something; not where the profile has no role."""
    profile = instance_profile(account, profile_arn)
    if profile is None or profile.role is None:
        return False
    results = _simulation(account, PolicySourceArn=profile.role, ActionNames=[action], ResourceArns=[resource])
    return all(result["EvalDecision"] == "allowed" for result in results)


def _simulation(account: Account, **question: Any) -> tuple[Any, ...]:
    return pages(account, "iam", "simulate_principal_policy", "EvaluationResults", **question)
