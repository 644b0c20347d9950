"""The programs that a deployment calls where a platform needs none of the user's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.spec.cluster import Spec


class NoPrograms:
    """Leaves a deployment as it is: AWS services alone make the cluster."""

    reached: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()

    def equip(self, work: Work) -> None:
        """Change nothing."""


def same_account(account: Account) -> Account:
    """Return the account as it is: no program of the user makes clusters in it, or asks them."""
    return account


def no_programs(account: Account, spec: Spec, report: Callable[[str], None]) -> AbstractContextManager[NoPrograms]:
    """Return none."""
    del account, spec, report
    return nullcontext(NoPrograms())
