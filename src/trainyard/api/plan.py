"""What a deployment would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.checking.spec_file import Checked, check_file
from trainyard.deploy.deployment import work_for
from trainyard.deploy.planning import Plan, plan
from trainyard.errors import SpecError

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account

__all__ = ["Plan", "plan_file"]


def plan_file(file: str, where: Account | None = None) -> tuple[Checked, Plan | None]:
    """Return what deploying a spec file would do, None where it has errors. Asks an account only where one is given.

    Raises FindingsError where the file is no spec.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    spec = checked.parsed.spec
    if checked.has_errors:
        return checked, None
    return checked, plan(spec, None if where is None else work_for(spec, where))
