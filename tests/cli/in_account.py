"""Commands as processes whose AWS account is an emulated one."""

from __future__ import annotations

from pathlib import Path

from tests import program
from trainyard.edge.aws.account import Account


def started(account: Account, *arguments: str | Path, **changes: str | None) -> program.Process:
    """Start a command with an environment that leads to the account."""
    return program.started(*arguments, variables={**account.variables(), **changes})


def run(account: Account, *arguments: str | Path, **changes: str | None) -> program.Run:
    """Run a command to its end. Return exit status, standard output and standard error."""
    return program.run(*arguments, variables={**account.variables(), **changes})
