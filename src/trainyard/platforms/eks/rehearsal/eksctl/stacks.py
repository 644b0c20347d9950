"""Makes and deletes stacks as eksctl does: it waits, and tells of what failed in CloudFormation's words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stack_events import stack_events
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.foreign_text import quoted
from trainyard.platforms.eks.rehearsal.eksctl.names import CLUSTER_TAG

_POLLS, _POLL_S = 100, 1.0
_LONGEST = 1000
_HINT = "put right what it names and run the command again, which goes on where this one stopped"
ROLE = "Role1"
"""Logical id of the role, and the output with its ARN."""


class Stacks:
    """The stacks of one cluster."""

    def __init__(self, account: Account, cluster: str, say: Callable[[str], None]) -> None:
        """Take the account, the name of the cluster, and who hears what happens."""
        self._account, self.cluster, self._say = account, cluster, say
        self._client = account.client("cloudformation")

    def make(self, name: str, template: Mapping[str, Any], tags: Mapping[str, str]) -> dict[str, str]:
        """Make a stack, wait for it, and return its outputs. Raises EksctlRefusedError where it fails."""
        self._say(f'deploying stack "{name}"')
        try:
            self._client.create_stack(
                StackName=name,
                TemplateBody=json.dumps(template),
                Capabilities=["CAPABILITY_IAM"],
                Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
            )
        except ClientError as error:
            raise eksctl_refusal("create", [f'creating CloudFormation stack "{name}": {error}']) from error
        stack = self._settled(name)
        if stack["StackStatus"] != "CREATE_COMPLETE":
            raise eksctl_refusal("create", self._why(name, stack["StackStatus"]))
        return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", ())}

    def delete(self, name: str) -> None:
        """Delete a stack and wait until it is gone. Raises EksctlRefusedError where it stays."""
        self._say(f'will delete stack "{name}"')
        number = self._described(name)["StackId"]
        self._client.delete_stack(StackName=name)
        stack = self._settled(number)
        if stack["StackStatus"] != "DELETE_COMPLETE":
            raise eksctl_refusal("delete", self._why(number, stack["StackStatus"]))

    def names(self) -> list[str]:
        """Return the stacks of the cluster, the newest first."""
        pages = self._client.get_paginator("describe_stacks").paginate()
        every = [stack for page in pages for stack in page["Stacks"]]
        tagged = {"Key": CLUSTER_TAG, "Value": self.cluster}
        return [stack["StackName"] for stack in every if tagged in stack.get("Tags", ())][::-1]

    def _described(self, name: str) -> dict[str, Any]:
        stack: dict[str, Any] = self._client.describe_stacks(StackName=name)["Stacks"][0]
        return stack

    def _settled(self, name: str) -> dict[str, Any]:
        for _ in range(_POLLS):
            stack = self._described(name)
            if not stack["StackStatus"].endswith("_IN_PROGRESS"):
                break
            self._account.clock.sleep(_POLL_S)
        return stack

    def _why(self, name: str, status: str) -> list[str]:
        failed = [event for event in stack_events(self._account, name) if event.status.endswith("_FAILED")]
        reasons = [f'{event.type}/{event.resource}: {event.status} – "{event.reason}"' for event in failed]
        return [f'unexpected status "{status}" while waiting for CloudFormation stack "{name}"', *reversed(reasons)]


def eksctl_refusal(action: str, reasons: list[str]) -> EksctlRefusedError:
    """Return the error of an eksctl that says this; ``action`` alone is one on the whole cluster."""
    what = action if " " in action else f"{action} cluster"
    problem = f"eksctl {what} failed: {quoted('; '.join(reasons), _LONGEST)}"
    return EksctlRefusedError(problem, where="eksctl", hint=_HINT, output=tuple(reasons))


def role_template(policies: Sequence[str], boundary: str | None = None) -> dict[str, Any]:
    """Return a role that pods of a service account take."""
    principal = {"Service": "pods.eks.amazonaws.com"}
    trust = {"Effect": "Allow", "Principal": principal, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    properties = {
        "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
        "ManagedPolicyArns": list(policies),
        **({} if boundary is None else {"PermissionsBoundary": boundary}),
    }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {ROLE: {"Type": "AWS::IAM::Role", "Properties": properties}},
        "Outputs": {ROLE: {"Value": {"Fn::GetAtt": [ROLE, "Arn"]}}},
    }


def access_template(cluster: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an access entry."""
    policies = [
        {
            "PolicyArn": access_policy["policyARN"],
            "AccessScope": {key.capitalize(): value for key, value in access_policy["accessScope"].items()},
        }
        for access_policy in entry.get("accessPolicies", ())
    ]
    properties = {
        "ClusterName": cluster,
        "PrincipalArn": entry["principalARN"],
        **({"AccessPolicies": policies} if policies else {}),
        **({"KubernetesGroups": entry["kubernetesGroups"]} if entry.get("kubernetesGroups") else {}),
    }
    resource = {"Type": "AWS::EKS::AccessEntry", "Properties": properties}
    return {"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"AccessEntry": resource}}
