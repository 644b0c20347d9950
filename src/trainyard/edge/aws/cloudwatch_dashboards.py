"""Dashboards of Amazon CloudWatch, made and removed. They belong to an account, not to a region.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html
"""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code

_MISSING = {"ResourceNotFound", "ResourceNotFoundException", "DashboardNotFoundError"}


def find_dashboard(account: Account, name: str) -> Any:
    """Return the body of a dashboard, None where there is none of this name, and its text where it is no JSON."""
    try:
        text: str = account.client("cloudwatch").get_dashboard(DashboardName=name)["DashboardBody"]
    except ClientError as error:
        if code(error) in _MISSING:
            return None
        raise account_error(error, account.region, f"look at dashboard {name}") from error
    try:
        return json.loads(text)
    except ValueError:
        return text


def put_dashboard(account: Account, name: str, body: dict[str, Any]) -> tuple[str, ...]:
    """Write a dashboard, whatever was there, and return what CloudWatch has to say about parts of it."""
    try:
        text = json.dumps(body, ensure_ascii=False)
        answer = account.client("cloudwatch").put_dashboard(DashboardName=name, DashboardBody=text)
    except ClientError as error:
        raise account_error(error, account.region, f"write dashboard {name}") from error
    said = answer.get("DashboardValidationMessages", ())
    return tuple(f"{one.get('DataPath', '')}: {one.get('Message', '')}" for one in said)


def delete_dashboard(account: Account, name: str) -> None:
    """Delete a dashboard. One that is not there is no error."""
    try:
        account.client("cloudwatch").delete_dashboards(DashboardNames=[name])
    except ClientError as error:
        if code(error) not in _MISSING:
            raise account_error(error, account.region, f"delete dashboard {name}") from error
