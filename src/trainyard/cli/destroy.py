"""``trainyard destroy``."""

from __future__ import annotations

import sys

import click

from trainyard.cli.interrupting import interruptible
from trainyard.cli.output import json_option, print_error, print_json, print_text
from trainyard.cli.watching import done_values, watcher
from trainyard.errors import InputError


@click.command()
@click.argument("name")
@click.option("--region", required=True, metavar="REGION", help="AWS region of the cluster.")
@click.option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
@click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had one of its own.")
@click.option("--delete-data", is_flag=True, help="Delete file systems, volumes, snapshots and logs too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str, region: str, profile: str | None, bucket: str | None, *, delete_data: bool, yes: bool, as_json: bool
) -> None:
    """Remove the cluster NAME and what was made for it.

    What holds data stays unless --delete-data is given, and with it the network that it stands in; both are named at
    the end. Nothing is touched that has no tag trainyard:cluster of this name. Safe to run again at any time.

    \b
    Example:
      trainyard destroy llm-p5 --region us-east-2
      trainyard destroy llm-p5 --region us-east-2 --delete-data --yes
    """
    from trainyard.api.deploy import Options, account, destroy_cluster

    if not yes:
        if not sys.stdin.isatty():
            raise InputError("nobody is there to say yes", where="trainyard destroy", hint="add --yes")
        what = "with all its data" if delete_data else "but not its data"
        typed = click.prompt(f"To remove {name} in {region}, {what}, type its name", err=True)
        if typed != name:
            raise InputError(f"{typed!r} is not {name!r}", where="trainyard destroy", hint="nothing was removed")
    options = Options(delete_data=delete_data)
    with interruptible("AWS finishes what it has begun; run the same command again to go on"):
        done = destroy_cluster(name, account(region, profile), bucket=bucket, options=options, listener=watcher())
    if as_json:
        print_json(done_values(done))
        sys.exit(0 if done.ok else 1)
    for result in done.results:
        if result.status != "unchanged":
            print_text(f"{result.status:<10} {result.name:<12} {result.seconds:6.0f} s  {result.detail}")
        if result.error is not None:
            print_error(result.error, as_json=False)
    for kept in done.kept:
        print_text(f"kept: {kept}")
    if done.kept:
        print_text(f"`trainyard destroy {name} --region {region} --delete-data` deletes what was kept", err=True)
    sys.exit(0 if done.ok else 1)
