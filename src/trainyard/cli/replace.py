"""``trainyard replace``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.deploy import print_deployment
from trainyard.cli.interrupts import interruptible, interruptible_question
from trainyard.cli.options import account_options, lock_option
from trainyard.cli.output import ask_consent, finding_text, json_option, print_text, styled
from trainyard.cli.progress import watcher
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.api.replace import ReplacementPlan


@click.command()
@click.argument("name", metavar="NAME|SPEC", shell_complete=suggestions.files)
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@account_options
@click.option("--yes", is_flag=True, help="Do not ask before anything is made.")
@click.option(
    "--queue",
    "queues",
    metavar="QUEUE",
    multiple=True,
    help="Move this queue alone; may be repeated. Others stay open on the former cluster until a later call.",
)
@click.option(
    "--wait-for-jobs",
    "wait_minutes",
    metavar="MINUTES",
    type=click.IntRange(min=0),
    default=0,
    help="Wait so long for the jobs of each queue that is closed. By default the command stops where there are any; "
    "they run on, and the same command goes on later.",
)
@click.option("--keep-former", is_flag=True, help="Leave the former cluster there when it is empty.")
@click.option(
    "--give-up",
    metavar="NAME",
    multiple=True,
    help="Do without something that the new cluster would not have, by the name that it says; may be repeated.",
)
@lock_option
@json_option
def command(  # noqa: PLR0913, PLR0917  one for each option
    name: str,
    spec: str,
    region: str | None,
    profile: str | None,
    queues: tuple[str, ...],
    wait_minutes: int,
    give_up: tuple[str, ...],
    lock: Path | None,
    *,
    yes: bool,
    keep_former: bool,
    as_json: bool,
) -> None:
    """Let the cluster of SPEC take over from the cluster NAME, for what no update changes.

    For clusters of ParallelCluster: another version of it, another operating system, head node or network. SPEC has a
    name of its own. What NAME has and SPEC would not have is refused: file systems at their mount points, /home,
    accounting, queues; --give-up does without it.

    \b
    1. SPEC is deployed beside NAME, as `trainyard deploy` does it. Both cost money.
    2. Queue by queue: NAME takes no new jobs once SPEC does. Jobs that NAME has run
       there to their end, and then its nodes of the queue go, so that a reservation
       or Capacity Block has place for those of SPEC.
    3. NAME is destroyed when it is empty; what holds data stays.

    No job is ended or moved. Both head nodes have to answer Systems Manager. Safe to run again at any time: the same
    command goes on where an earlier one stopped.

    \b
    Example:
      trainyard replace llm-p5 cluster-b.yaml
      trainyard replace llm-p5 cluster-b.yaml --queue debug --keep-former
      trainyard replace cluster.yaml cluster-b.yaml --wait-for-jobs 600 --yes
    """
    from trainyard.api.deploy import Options
    from trainyard.api.replace import replace_file

    def confirm(plan: ReplacementPlan) -> bool:
        for finding in plan.findings:
            print_text(finding_text(finding), err=True)
        if yes:
            return True
        if not sys.stdin.isatty():
            raise InputError("nobody is there to say yes", where="trainyard replace", hint="add --yes")
        for line in _plan_lines(plan):
            print_text(line, err=True)
        question = f"Replace {plan.former} by {plan.successor} in {plan.account.region} of account {plan.account.id}?"
        with interruptible_question():
            return ask_consent(question)

    options = Options(give_up=frozenset(give_up), wait_for_jobs_s=wait_minutes * 60)
    with interruptible("AWS finishes what it has begun, and jobs run on; run the same command again to go on"):
        replaced = replace_file(
            name,
            spec,
            region=region,
            profile=profile,
            queues=queues,
            keeps_former=keep_former,
            options=options,
            lock=lock,
            listener=watcher(),
            confirm=confirm,
        )
    print_deployment(replaced, as_json=as_json)
    if replaced.done is not None and not as_json:
        for entry in replaced.done.kept:
            print_text(f"kept: {entry}")
        for refused in replaced.done.refused:
            print_text(f"{styled('not deleted', fg='red')}: {refused}")
    sys.exit(0 if replaced.done is not None and replaced.done.ok else 1)


def _plan_lines(plan: ReplacementPlan) -> Iterator[str]:
    """Yield what is going to happen, and what it costs."""
    from trainyard.cli.plan_cost import price_text

    yield f"1. deploys {plan.successor} beside {plan.former}, for an hourly price of {price_text(plan.cost)}"
    for number, move in enumerate(plan.queues, 2):
        yield f"{number}. {move}; those that {plan.former} has run there to their end"
    last = len(plan.queues) + 2
    yield f"{last}. {'keeps' if plan.keeps_former else 'destroys'} {plan.former} when it is empty; data stays"
