"""The environment of programs that work in an account: the user's, with the account in place of what it names."""

from __future__ import annotations

import os

from trainyard.edge.aws.account import Account

_WHO = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
)


def program_variables(account: Account) -> dict[str, str]:
    """Return the variables. Those that name credentials are left out where the account has its own.

    Keys in the environment would win over a profile that was chosen for this call, and lead to another account:
    https://docs.aws.amazon.com/boto3/latest/guide/credentials.html
    """
    replaced = _WHO if account.credentials or account.profile else ()
    variables = {name: value for name, value in os.environ.items() if name not in replaced}
    if account.endpoint is not None:  # then nothing is to be asked elsewhere
        variables = {name: value for name, value in variables.items() if not name.startswith("AWS_ENDPOINT_URL")}
        variables["AWS_EC2_METADATA_DISABLED"] = "true"
    return {**variables, **account.variables()}
