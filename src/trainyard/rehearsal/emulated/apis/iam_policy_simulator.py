"""IAM's policy simulator, which moto lacks. Here it reads no policies: everybody may do everything, as in moto.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
"""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult
from moto.iam.responses import IamResponse

from trainyard.rehearsal.emulated.actions import add
from trainyard.rehearsal.emulated.faults import FAULTS


def install() -> None:
    """Add the action."""
    add(IamResponse, simulate_principal_policy)


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
