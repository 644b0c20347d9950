"""The protection of stacks against deletion, which eksctl gives to those that it makes, and lifts when it deletes them.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-protect-stacks.html
"""

from __future__ import annotations

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error


def lift_protection(account: Account, stack: str) -> bool:
    """Let a stack be deleted, and return whether it was protected."""
    client = account.client("cloudformation")
    try:
        (described,) = client.describe_stacks(StackName=stack)["Stacks"]
        if not described.get("EnableTerminationProtection"):
            return False
        client.update_termination_protection(StackName=stack, EnableTerminationProtection=False)
    except ClientError as error:
        raise account_error(error, account.region, f"lift the protection of stack {stack}") from error
    return True
