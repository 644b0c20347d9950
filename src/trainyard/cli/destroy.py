"""``trainyard destroy``."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli.interrupts import interruptible
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import ask_text, json_option, print_error, print_json, print_text, styled
from trainyard.cli.progress import STEP_WIDTH, result_values, watcher
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.api.deploy import DeploymentResult, RunningJobs
    from trainyard.edge.aws.account import Account

# What no option keeps: it goes with the instances, or with their stack.
_LOST = (
    "root volumes of all nodes, with /home on the head node unless a file system is mounted there",
    "workspace of Amazon Managed Grafana, with dashboards that people made",
    "instance of self-hosted monitoring, with its metrics",
)
_MOST_JOBS = 10


@click.command()
@cluster_argument()
@account_options
@click.option(
    "--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had its own and no stack is left."
)
@click.option(
    "--delete-data",
    is_flag=True,
    help="Delete file systems, volumes, snapshots, metrics, images, logs and edited dashboards too.",
)
@click.option("--end-jobs", is_flag=True, help="End jobs that run or wait, which are a reason to refuse otherwise.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    *,
    delete_data: bool,
    end_jobs: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Remove the cluster NAME and what was made for it.

    File systems, volumes, snapshots, metrics in Amazon Managed Prometheus, images for AWS Batch and logs stay unless
    --delete-data is given, and with them the network that they stand in; all are named at the end. Nothing is touched
    that has no tag trainyard:cluster of this name. Safe to run again at any time.

    Where jobs of Slurm, AWS Batch or Kubernetes wait or run, or nobody can say whether any do, they are named and
    nothing is touched, also with --yes: --end-jobs ends them.

    In any case lost are root volumes, with /home on the head node unless a file system is mounted there, a workspace of
    Amazon Managed Grafana, and the instance of self-hosted monitoring with its metrics.

    \b
    Example:
      trainyard destroy cluster.yaml
      trainyard destroy llm-p5 --region us-east-2
      trainyard destroy llm-p5 --region us-east-2 --delete-data --yes
    """
    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.deploy import Options, data_of, destroy_cluster, jobs_of
    from trainyard.deploy.shell_words import file_argument

    written = name
    name, where, own_bucket, _ = cluster_reference(written, region, profile)
    options = Options(delete_data=delete_data, end_jobs=end_jobs)
    if not yes:
        if not sys.stdin.isatty():
            raise InputError("nobody is there to say yes", where="trainyard destroy", hint="add --yes")
        jobs = jobs_of(name, where, options)
        _ask(name, where, data_of(name, where), jobs, delete_data=delete_data)
    words = ["trainyard", "destroy", file_argument(written), *_account_words(written, where, bucket)]
    words += ["--end-jobs"] if end_jobs else []
    with interruptible(f"AWS finishes what it has begun; `{shlex.join(words)}` goes on"):
        done = destroy_cluster(name, where, bucket=bucket or own_bucket, options=options, listener=watcher())
    if as_json:
        print_json(result_values(done))
    else:
        _print(done, words, f"{name} is left in {where.region}", delete_data=delete_data)
    sys.exit(0 if done.ok else 1)


def _print(done: DeploymentResult, words: list[str], rest: str, *, delete_data: bool) -> None:
    """Print what became of it, and what to do next."""
    for result in done.results:
        if result.status != "unchanged":
            print_text(f"{result.status:<10} {result.name:<{STEP_WIDTH}} {result.seconds:6.0f} s  {result.detail}")
        if result.error is not None:
            print_error(result.error, as_json=False)
    for entry in done.kept:
        print_text(f"kept: {entry}")
    for refused in done.refused:
        print_text(f"{styled('not deleted', fg='red')}: {refused}")
    deleting = shlex.join([*words, "--delete-data"])
    if not done.ok:
        print_text(f"next: {deleting if delete_data else shlex.join(words)}", err=True)
    elif done.kept and not delete_data:
        print_text(f"`{deleting}` deletes what was kept", err=True)
    elif not done.kept:
        print_text(f"nothing of {rest}", err=True)


def _account_words(written: str, where: Account, bucket: str | None) -> list[str]:
    """Return the options that say again which account and region are meant; a spec file says its region itself."""
    from trainyard.api.cluster_reference import names_file

    region = None if names_file(written) else where.region
    options = {"--region": region, "--profile": where.profile, "--bucket": bucket}
    return [word for option, value in options.items() if value for word in (option, value)]


def _ask(name: str, where: Account, data: Sequence[str], jobs: RunningJobs, *, delete_data: bool) -> None:
    """Say what would become of the data and of jobs, and where, and have the name typed."""
    print_text(f"account {where.id}, region {where.region}", err=True)
    for entry in data:
        print_text(f"  {'deletes' if delete_data else 'keeps':<8} {entry}", err=True)
    for job in jobs.jobs[:_MOST_JOBS]:
        print_text(f"  ends     {job}", err=True)
    if (more := len(jobs.jobs[_MOST_JOBS:]) + jobs.unlisted) > 0:
        print_text(f"  ends     {more:,} more jobs", err=True)
    if jobs.unknown:
        print_text(f"  ends     jobs, of which nobody can say anything: {jobs.unknown}", err=True)
    for loss in _LOST:
        print_text(f"  loses    {loss}", err=True)
    what = "with all its data" if delete_data else "but not the data that it keeps"
    answer = ask_text(f"To remove {name} in {where.region}, {what}, type its name")
    if answer != name:
        raise InputError(f"{answer!r} is not {name!r}", where="trainyard destroy", hint="nothing was removed")
