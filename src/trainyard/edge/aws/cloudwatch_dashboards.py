"""Dashboards of Amazon CloudWatch, made and removed. They belong to an account, not to a region.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html
"""

from __future__ import annotations

import json
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call

_MISSING = {"ResourceNotFound", "ResourceNotFoundException", "DashboardNotFoundError"}


def find_dashboard(account: Account, name: str) -> Any:
    """Return the body of a dashboard, None where there is none of this name, and its text where it is no JSON."""
    doing = f"look at dashboard {name}"
    answer = call(account, "cloudwatch", "get_dashboard", doing=doing, none_if=_MISSING, DashboardName=name)
    if answer is None:
        return None
    try:
        return json.loads(answer["DashboardBody"])
    except ValueError:
        return answer["DashboardBody"]


def put_dashboard(account: Account, name: str, body: dict[str, Any]) -> tuple[str, ...]:
    """Write a dashboard, whatever was there, and return what CloudWatch has to say about parts of it."""
    place = {"DashboardName": name, "DashboardBody": json.dumps(body, ensure_ascii=False)}
    answer = call(account, "cloudwatch", "put_dashboard", doing=f"write dashboard {name}", **place)
    messages = answer.get("DashboardValidationMessages", ())
    return tuple(f"{message.get('DataPath', '')}: {message.get('Message', '')}" for message in messages)


def delete_dashboard(account: Account, name: str) -> None:
    """Delete a dashboard. One that is not there is no error."""
    doing = f"delete dashboard {name}"
    call(account, "cloudwatch", "delete_dashboards", doing=doing, none_if=_MISSING, DashboardNames=[name])
