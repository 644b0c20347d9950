"""What the role of an instance may do, as IAM's policy simulator says.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
"""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, answer_or_none, client, pages


def may(account: Account, profile_arn: str, action: str, resource: str) -> bool:
    """Return whether the role of an instance profile may do something; not where the profile has no role."""
    role = _role(account, profile_arn)
    if role is None:
        return False
    found = pages(
        account, "iam:SimulatePrincipalPolicy", "simulate_principal_policy", "EvaluationResults",
        PolicySourceArn=role, ActionNames=[action], ResourceArns=[resource],
    )  # fmt: skip
    return all(one["EvalDecision"] == "allowed" for one in found)


def workspace_arn(account: Account, id_: str) -> str:
    """Return the ARN of a workspace of Amazon Managed Prometheus."""

    def ask() -> str:
        arn: str = client(account, "amp").describe_workspace(workspaceId=id_)["workspace"]["arn"]
        return arn

    return answer(account, "aps:DescribeWorkspace", ask)


def _role(account: Account, profile_arn: str) -> str | None:
    def ask() -> str | None:
        name = profile_arn.rpartition("/")[2]
        roles = client(account, "iam").get_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Roles"]
        return str(roles[0]["Arn"]) if roles else None

    return answer_or_none(account, "iam:GetInstanceProfile", ask, ("NoSuchEntity", "NoSuchEntityException"))
