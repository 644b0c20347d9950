"""``trainyard destroy``."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli.interrupts import interruptible
from trainyard.cli.options import account_options
from trainyard.cli.output import json_option, print_error, print_json, print_text
from trainyard.cli.progress import STEP_WIDTH, done_values, watcher
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.edge.aws.account import Account

# What no option keeps: it goes with the instances, or with their stack.
_LOST = (
    "root volumes of all nodes, with /home on the head node unless a file system is mounted there",
    "workspace of Amazon Managed Grafana, with dashboards that people made",
    "instance of self-hosted monitoring, with its metrics",
)
_MOST_JOBS = 10


@click.command()
@click.argument("name")
@account_options
@click.option(
    "--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had its own and no stack is left."
)
@click.option(
    "--delete-data",
    is_flag=True,
    help="Delete file systems, volumes, snapshots, metrics, images, logs and edited dashboards too.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str, region: str, profile: str | None, bucket: str | None, *, delete_data: bool, yes: bool, as_json: bool
) -> None:
    """Remove the cluster NAME and what was made for it.

    File systems, volumes, snapshots, metrics in Amazon Managed Prometheus, images for AWS Batch and logs stay unless
    --delete-data is given, and with them the network that they stand in; all are named at the end. Nothing is touched
    that has no tag trainyard:cluster of this name. Safe to run again at any time.

    Jobs of AWS Batch and of Kubernetes that wait or run are ended; they are named before anybody is asked.

    In any case lost are root volumes, with /home on the head node unless a file system is mounted there, a workspace of
    Amazon Managed Grafana, and the instance of self-hosted monitoring with its metrics.

    \b
    Example:
      trainyard destroy llm-p5 --region us-east-2
      trainyard destroy llm-p5 --region us-east-2 --delete-data --yes
    """
    from trainyard.api.deploy import Options, account, data_of, destroy_cluster, jobs_of

    where = account(region, profile)
    if not yes:
        if not sys.stdin.isatty():
            raise InputError("nobody is there to say yes", where="trainyard destroy", hint="add --yes")
        _ask(name, where, data_of(name, where), jobs_of(name, where), delete_data=delete_data)
    options = Options(delete_data=delete_data)
    with interruptible("AWS finishes what it has begun; run the same command again to go on"):
        done = destroy_cluster(name, where, bucket=bucket, options=options, listener=watcher())
    if as_json:
        print_json(done_values(done))
        sys.exit(0 if done.ok else 1)
    for result in done.results:
        if result.status != "unchanged":
            print_text(f"{result.status:<10} {result.name:<{STEP_WIDTH}} {result.seconds:6.0f} s  {result.detail}")
        if result.error is not None:
            print_error(result.error, as_json=False)
    for entry in done.kept:
        print_text(f"kept: {entry}")
    for refused in done.refused:
        print_text(f"{click.style('not deleted', fg='red')}: {refused}")
    if done.kept and not delete_data:
        account_words = {"--region": region, "--profile": profile, "--bucket": bucket}
        options_again = [word for option, value in account_words.items() if value for word in (option, value)]
        again = shlex.join(["trainyard", "destroy", name, *options_again, "--delete-data"])
        print_text(f"`{again}` deletes what was kept", err=True)
    sys.exit(0 if done.ok else 1)


def _ask(name: str, where: Account, data: Sequence[str], jobs: Sequence[str], *, delete_data: bool) -> None:
    """Say what would become of the data and of jobs, and where, and have the name typed."""
    print_text(f"account {where.id}, region {where.region}", err=True)
    for entry in data:
        print_text(f"  {'deletes' if delete_data else 'keeps':<8} {entry}", err=True)
    for job in jobs[:_MOST_JOBS]:
        print_text(f"  ends     {job}", err=True)
    if len(jobs) > _MOST_JOBS:
        print_text(f"  ends     {len(jobs) - _MOST_JOBS:,} more jobs", err=True)
    for loss in _LOST:
        print_text(f"  loses    {loss}", err=True)
    what = "with all its data" if delete_data else "but not the data that it keeps"
    typed = click.prompt(f"To remove {name} in {where.region}, {what}, type its name", err=True)
    if typed != name:
        raise InputError(f"{typed!r} is not {name!r}", where="trainyard destroy", hint="nothing was removed")
