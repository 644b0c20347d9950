"""``trainyard status``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli.output import json_option, one_line, print_json, print_text
from trainyard.render.tags import CLUSTER

if TYPE_CHECKING:
    from trainyard.operate.status import Status


@click.command()
@click.argument("name")
@click.option("--region", required=True, metavar="REGION", help="AWS region of the cluster.")
@click.option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
@click.option(
    "--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had its own and no stack is left."
)
@json_option
def command(name: str, region: str, profile: str | None, bucket: str | None, *, as_json: bool) -> None:
    """Say whether the cluster NAME is up: its stacks, its nodes, and when it was deployed.

    Also for clusters of ParallelCluster that trainyard did not make.

    \b
    Exit status: 0 it is up; 1 it is not.

    \b
    Example:
      trainyard status llm-p5 --region us-east-2
    """
    from trainyard.api.deploy import account
    from trainyard.api.status import cluster_status

    found = cluster_status(name, account(region, profile), bucket=bucket)
    if as_json:
        print_json(_values(found))
    else:
        _print(found)
    sys.exit(0 if found.up else 1)


def _print(found: Status) -> None:
    print_text(f"{found.name} in {found.region}: {'up' if found.up else one_line(found.problem or '')}")
    if found.record is not None:
        record = found.record
        by = f"by trainyard {record.trainyard_version} for ParallelCluster {record.parallelcluster_version}"
        print_text(f"{record.stage} since {record.since}, {by}")
    elif any(CLUSTER in stack.tags for stack in found.stacks):
        print_text("made by trainyard; what it remembers of it is gone, or lies in another bucket (--bucket)")
    else:
        print_text("not made by trainyard")
    for stack in found.stacks:
        print_text(f"  stack {stack.name:<40} {stack.status}")
    for (role, queue, state), count in found.node_counts().items():
        print_text(f"  {count} × {role}{f' of queue {queue}' if queue else ''} {state}")


def _values(found: Status) -> dict[str, object]:
    record = found.record
    return {
        "name": found.name,
        "region": found.region,
        "up": found.up,
        "problem": found.problem,
        "stage": record.stage if record else None,
        "since": record.since if record else None,
        "trainyard_version": record.trainyard_version if record else None,
        "parallelcluster_version": record.parallelcluster_version if record else None,
        "stacks": [{"name": stack.name, "status": stack.status} for stack in found.stacks],
        "nodes": [node._asdict() for node in found.nodes],
    }
