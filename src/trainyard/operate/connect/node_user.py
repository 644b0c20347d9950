"""As whom people work on a node: the default user of its operating system, or whom they name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from trainyard.errors import InputError

SESSION_USER = "ssm-user"
"""Whom the agent of Systems Manager makes: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-getting-started-ssm-user-permissions.html"""
# What a shell reads as one word, and neither sudo nor ssh as an option.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


def user_of(os: str | None, user_name: str | None, instance: str) -> str:
    """Return the user. Raises InputError for what is no name, and where nobody knows the operating system."""
    if user_name is not None:
        if not _NAME.fullmatch(user_name):
            raise InputError(f"{user_name!r} is no name of a user", where="--user", hint="such as --user ubuntu")
        return user_name
    user = default_users().get(os or "")
    if user is None:
        basis = f"its operating system is {os}" if os else "no tag says which operating system it has"
        hint = f"name the user, such as --user ubuntu, --user ec2-user or --user {SESSION_USER}"
        raise InputError(f"the default user of {instance} is not known: {basis}", where="--user", hint=hint)
    return user


@cache
def default_users() -> Mapping[str, str]:
    """Return the default users by the names of operating systems in a ParallelCluster config."""
    text = Path(__file__).with_name("users.yaml").read_bytes()
    users: dict[str, str] = yaml.load(text, Loader=yaml.CSafeLoader)
    return users
