"""``trainyard deploy``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.interrupts import interruptible, interruptible_question
from trainyard.cli.options import account_options, lock_option
from trainyard.cli.output import (
    ask_consent,
    finding_text,
    json_option,
    print_error,
    print_json,
    print_text,
    severity_counts,
)
from trainyard.cli.progress import STEP_WIDTH, result_values, watcher
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trainyard.api.deploy import Account, FileDeployment, Prospect
    from trainyard.finding import Finding
    from trainyard.spec.cluster import Spec


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@account_options
@click.option("--yes", is_flag=True, help="Do not ask before anything is made.")
@click.option(
    "--rollback-on-failure",
    is_flag=True,
    help="Remove a cluster whose making failed, with its logs. By default it stays, to be looked at.",
)
@click.option("--recreate", is_flag=True, help="Delete a cluster whose making failed, and make it again.")
@click.option(
    "--create-key-pair",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Make the key pair of the spec where it does not exist; its private key goes to FILE.",
)
@click.option(
    "--before-cluster",
    is_flag=True,
    help="Make all that the cluster needs and stop before it, so that images can be built first. "
    "Without the option, the same command goes on.",
)
@click.option(
    "--overwrite-dashboards",
    is_flag=True,
    help="Write dashboards anew that people have edited. By default they stay, and a warning says how they differ.",
)
@click.option(
    "--overwrite-changes",
    is_flag=True,
    help="Take back what somebody else has changed of the cluster since its last deployment, which is a reason to "
    "refuse otherwise.",
)
@click.option(
    "--give-up",
    metavar="RESOURCE",
    multiple=True,
    help="Let the deployment take away this resource with its data, by the name that it says; may be repeated.",
)
@click.option(
    "--end-jobs",
    is_flag=True,
    help="Let an update of the cluster end nodes on which jobs run. The jobs are told before; --yes is not enough.",
)
@click.option(
    "--wait-for-jobs",
    "wait_minutes",
    metavar="MINUTES",
    type=click.IntRange(min=0),
    default=0,
    help="Before an update of the cluster ends nodes, wait so long for their jobs. What runs then still is ended with "
    "--end-jobs, and without it the update is not made.",
)
@click.option(
    "--wait-for-capacity",
    "wait_hours",
    metavar="HOURS",
    type=click.IntRange(min=0),
    default=0,
    help="Make what the cluster stands on, and then wait so long for reservations and Capacity Blocks to begin. The "
    "same command goes on after an interruption.",
)
@lock_option
@json_option
def command(  # noqa: PLR0913, PLR0917  one for each option
    spec: str,
    region: str | None,
    profile: str | None,
    create_key_pair: Path | None,
    give_up: tuple[str, ...],
    wait_minutes: int,
    wait_hours: int,
    lock: Path | None,
    *,
    yes: bool,
    rollback_on_failure: bool,
    recreate: bool,
    before_cluster: bool,
    overwrite_dashboards: bool,
    overwrite_changes: bool,
    end_jobs: bool,
    as_json: bool,
) -> None:
    """Make what a spec describes in an AWS account, or go on where an earlier call stopped.

    Looks before it makes anything: the rules, then questions to the account. Safe to run again at any time; what
    is there already is left as it is. Two cannot deploy the same cluster at once.

    \b
    A cluster whose making fails stays as it is, with its logs, and costs money. It
    cannot be resumed: --recreate deletes it and makes it again.

    A cluster of ParallelCluster that exists is updated as its own update policies say:
    at once, with nodes replaced when their jobs are over, or with the fleet stopped.
    What would end jobs is refused without --end-jobs, what would take back a change
    of somebody else without --overwrite-changes, and what ParallelCluster does
    not change is refused before anything is touched. Head node and login nodes have
    to be told what else they install; a warning says which, and how.

    A cluster of AWS Batch is brought to whatever the spec says, once jobs are over.
    One of Amazon EKS takes new queues, other sizes and the next version of
    Kubernetes; what cannot be changed is refused before anything is touched.

    What a changed spec takes away of the stacks is told first. Where that holds data,
    nothing is touched unless --give-up names it; --yes is not enough.

    \b
    Example:
      trainyard deploy cluster.yaml
      trainyard deploy cluster.yaml --before-cluster
      trainyard deploy cluster.yaml --create-key-pair ~/.ssh/ml-key.pem --yes
      trainyard deploy cluster.yaml --give-up MonitoringInstance
    """
    from trainyard.api.deploy import Options, deploy_file
    from trainyard.deploy.shell_words import spec_argument

    def confirm(parsed: Spec, account: Account, findings: tuple[Finding, ...], look: Callable[[], Prospect]) -> bool:
        for finding in findings:
            print_text(finding_text(finding), err=True)
        if yes:
            return True
        if not sys.stdin.isatty():
            raise InputError("nobody is there to say yes", where="trainyard deploy", hint="add --yes")
        for line in _prospect_lines(look()):
            print_text(line, err=True)
        question = f"Deploy {parsed.name} to account {account.id} in {parsed.region}?"
        with interruptible_question():
            return ask_consent(question)

    options = Options(
        rollback_on_failure,
        recreate,
        create_key_pair,
        before_cluster=before_cluster,
        overwrite_dashboards=overwrite_dashboards,
        overwrite_changes=overwrite_changes,
        give_up=frozenset(give_up),
        end_jobs=end_jobs,
        wait_for_jobs_s=wait_minutes * 60,
        wait_for_capacity_s=wait_hours * 3600,
    )
    again = "AWS finishes what it has begun; run the same command again to go on"
    with interruptible(f"{again}, or see with `trainyard status {spec_argument(spec)}` how far it has come"):
        deployed = deploy_file(
            spec, region=region, profile=profile, options=options, lock=lock, listener=watcher(), confirm=confirm
        )
    print_deployment(deployed, as_json=as_json)
    sys.exit(0 if deployed.done is not None and deployed.done.ok else 1)


def print_deployment(deployed: FileDeployment, *, as_json: bool) -> None:
    """Print what became of a spec, and how to go on."""
    if as_json:
        findings = [finding.as_json() for finding in deployed.findings]
        changes = [change.as_json() for change in deployed.done.review.changes] if deployed.done else []
        cluster = deployed.done.review.cluster if deployed.done else None
        more = {
            "changes": changes,
            "cluster": cluster and cluster.as_json(),
            "findings": findings,
            "next": list(deployed.next),
        }
        print_json({**result_values(deployed.done), **more})
        return
    if deployed.done is None:
        for finding in deployed.findings:
            print_text(finding_text(finding), err=True)
        print_text(f"nothing was made: {severity_counts(deployed.findings)}", err=True)
        return
    for result in deployed.done.results:
        print_text(f"{result.status:<10} {result.name:<{STEP_WIDTH}} {result.seconds:6.0f} s  {result.detail}")
        if result.error is not None:
            print_error(result.error, as_json=False)
    for finding in deployed.done.findings:
        print_text(finding_text(finding))
    if deployed.done.stage == "prepared":
        for line in _going_on(deployed.next, from_standard_input=deployed.from_standard_input):
            print_text(line)
    else:
        for command in deployed.next:
            print_text(f"next: {command}", err=True)


def _prospect_lines(prospect: Prospect) -> Iterator[str]:
    """Yield what would change of what exists, and the price. Raises TrainyardError where it would be refused."""
    from trainyard.cli.plan_cost import change_line, price_text

    yield from prospect.review.lines()
    if prospect.refusals:
        raise prospect.refusals[0]
    cost, former = prospect.cost, prospect.former_cost
    yield f"Price an hour: {price_text(cost)}" if former is None else change_line(cost, former)


def _going_on(commands: tuple[str, ...], *, from_standard_input: bool) -> Iterator[str]:
    """Yield what to do where it has stopped before the cluster, as it was told to."""
    *image, deploy = commands
    yield "All that the cluster needs is there; the cluster itself is not made yet."
    if from_standard_input:
        yield "Go on with the same spec as a file; SPEC stands for it here."
    for command in image:
        yield f"This writes what builds its images, and a README that says how to build them and use them: {command}"
    yield f"This goes on: {deploy}"
