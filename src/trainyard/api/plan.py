"""What a deployment would do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainyard.api.cluster_reference import account_at, region_of_spec
from trainyard.api.deploy import with_assets_lock
from trainyard.api.lock_file import lock_of
from trainyard.bundle.asset_lock import FILE_NAME, parse_lock
from trainyard.checking.spec_file import FileFindings, check_file
from trainyard.deploy.deployment import work_for
from trainyard.deploy.plan.deployment_plan import DeploymentPlan, plan
from trainyard.deploy.plan.fleet import SimulationRequest
from trainyard.deploy.preflight_step import preflight_findings
from trainyard.edge.aws.remembered_answers import remembering
from trainyard.edge.aws.stacks import find_stack, stacks_tagged
from trainyard.errors import SpecError, TrainyardError
from trainyard.render.tags import CLUSTER, ENVIRONMENT
from trainyard.stop_request import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trainyard.deploy.work import Work
    from trainyard.document.node import Document
    from trainyard.edge.aws.account import Account
    from trainyard.finding import Finding
    from trainyard.spec.cluster import Spec


__all__ = ["DeploymentPlan", "plan_file"]

_ATTEMPTS = 2
"""Of calls that nobody has asked for: who is offline does not wait for long."""
_NOT_ASKED = "no account is asked, so that what exists already is not in this plan"


def plan_file(  # noqa: PLR0913  one for each option
    file: str,
    *,
    asks_account: bool | None = False,
    drift: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    region: str | None = None,
    profile: str | None = None,
    simulated_nodes: int = 0,
    seed: int = 1,
    lock: Path | None = None,
) -> tuple[FileFindings, DeploymentPlan | None]:
    """Return what deploying a spec file would do, None where it has errors. Asks an account only where that is wanted.

    ``asks_account`` None asks where credentials lead to an account that has the cluster, and tells where not.
    What a deployment asks the account before anything is made is asked then as well, and is among the findings.

    ``drift`` compares the resources of all stacks with their templates, which takes minutes; otherwise it is those of
    stacks that change.

    With ``simulated_nodes``, the plan says when so many compute nodes are ready that start at once; the lock, by
    default the one beside the spec, says how much they fetch.
    Raises FindingsError where the file is no spec, InputError where the lock is damaged or not there or ``region`` is
    another one than that of the spec, and TrainyardError where the account cannot be used.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    spec = checked.parsed.spec
    if checked.has_errors:
        return checked, None
    place = region_of_spec(spec, file, region)
    account = account_at(place, profile)
    content = lock_of(file, lock) if simulated_nodes or lock is not None else None
    if asks_account is None:
        asks_account = _is_there(spec, account, tell)
    if asks_account and content is None:
        content = lock_of(file, lock)
    work = with_assets_lock(work_for(spec, account), content) if asks_account else None
    simulation = SimulationRequest(simulated_nodes, seed, None if content is None else parse_lock(content, FILE_NAME))
    simulated = simulation if simulated_nodes else None
    if work is None:
        return checked, plan(spec, None, simulated)
    work.options = replace(work.options, all_drift=drift)
    preflights, planned = plan_in_account(work, checked.parsed.document, simulated)
    return checked._replace(findings=(*checked.findings, *preflights)), planned


def _is_there(spec: Spec, account: Account, tell: Callable[[str], None]) -> bool:
    """Return whether something of the cluster stands in the account, False where nobody can tell."""
    account = replace(account, attempts=_ATTEMPTS)
    tag = ENVIRONMENT if spec.is_environment else CLUSTER
    try:
        if not account.has_credentials:
            tell(
                "no account is asked, as no AWS credentials are configured here (those of an EC2 instance are used "
                "with --account): what exists already is not in this plan"
            )
            return False
        if stacks_tagged(account, tag, spec.name) or find_stack(account, spec.name):
            return True
        tell(f"account {account.id} has no cluster {spec.name} in {account.region}: all of it would be made")
    except TrainyardError as error:
        tell(f"{_NOT_ASKED}: {error.problem}")
    except (OSError, ValueError, EOFError) as error:  # of a credential_process, or of a question for a code of MFA
        tell(f"{_NOT_ASKED}: the AWS credentials cannot be used: {str(error) or type(error).__name__}")
    return False


def plan_in_account(
    work: Work, document: Document | None, simulated: SimulationRequest | None = None
) -> tuple[tuple[Finding, ...], DeploymentPlan]:
    """Return what the account says against the spec, and what deploying it would do there, both asked at once."""
    work.account = remembering(work.account)
    of_preflights = replace(work)
    preflights, planned = side_by_side(
        lambda: preflight_findings(of_preflights, document), lambda: plan(work.required_spec(), work, simulated)
    )
    return preflights, planned
