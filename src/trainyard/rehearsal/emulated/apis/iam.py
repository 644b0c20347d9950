"""IAM: the policy simulator and the refusal of DeletePolicy, which moto lacks, and AWS's policies of one partition.

The simulator reads no policies: everybody may do everything, as in moto.
https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.core.responses import ActionResult
from moto.iam.exceptions import DeleteConflictException
from moto.iam.models import IAMBackend
from moto.iam.responses import IamResponse

from trainyard.rehearsal.emulated.actions import add, wrap
from trainyard.rehearsal.emulated.faults import FAULTS

_PARTITION = "aws"


def install() -> None:
    """Add the action, and leave the other partitions empty: each takes 0.2 s and nobody asks for them."""
    add(IamResponse, simulate_principal_policy)
    wrap(IAMBackend, "_init_aws_policies", _init_aws_policies)
    wrap(IAMBackend, "delete_policy", _delete_policy)


def simulate_principal_policy(self: Any) -> ActionResult:
    """Answer SimulatePrincipalPolicy."""
    results = [
        {"EvalActionName": action, "EvalResourceName": resource, "EvalDecision": _decision(action)}
        for action in self._get_param("ActionNames")
        for resource in self._get_param("ResourceArns", ["*"])
    ]
    return ActionResult({"EvaluationResults": results, "IsTruncated": False})


def _decision(action: str) -> str:
    return "explicitDeny" if action in FAULTS.denied_actions else "allowed"


def _init_aws_policies(former: Callable[..., Any], backend: Any) -> Any:
    """Read them for one partition, not for each of the six.

    https://github.com/getmoto/moto/blob/5.2.5/moto/iam/models.py#L1908
    """
    return former(backend) if backend.region_name == _PARTITION else []


def _delete_policy(former: Callable[..., Any], backend: Any, policy_arn: str) -> None:
    """Refuse to delete a policy that somebody has.

    https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeletePolicy.html
    """
    if backend.get_policy(policy_arn).attachment_count:
        raise DeleteConflictException("Cannot delete a policy attached to entities.")
    former(backend, policy_arn)
