"""``trainyard status``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli.output import json_option, one_line, print_json, print_text
from trainyard.render.tags import CLUSTER

if TYPE_CHECKING:
    from trainyard.operate.monitoring.access import MonitoringAccess
    from trainyard.operate.status import Status

_LONGEST_OUTPUT = 31
_QUERY_WORDS = ("API", "dashboards", "by hand")


@click.command()
@click.argument("name")
@click.option("--region", required=True, metavar="REGION", help="AWS region of the cluster.")
@click.option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
@click.option(
    "--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had its own and no stack is left."
)
@json_option
def command(name: str, region: str, profile: str | None, bucket: str | None, *, as_json: bool) -> None:
    """Say whether the cluster NAME is up: its stacks, its nodes, when it was deployed, and where its metrics are.

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
    if found.monitoring is not None:
        _print_monitoring(found.monitoring)


def _print_monitoring(access: MonitoringAccess) -> None:
    print_text(f"monitoring: {access.mode}, of stack {access.of}")
    for one in access.workspaces:
        print_text(f"  {one.service} workspace {one.id} {one_line(one.status)}")
    for name, value in access.outputs.items():
        print_text(f"  {name:<{_LONGEST_OUTPUT}} {one_line(value)}")
    if access.query is not None:
        print_text("to query, with the rights of AMPQueryPolicyArn:")
        for what, value in zip(_QUERY_WORDS, access.query, strict=True):
            print_text(f"  {what:<10} {value}")


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
        "monitoring": None if found.monitoring is None else _monitoring_values(found.monitoring),
    }


def _monitoring_values(access: MonitoringAccess) -> dict[str, object]:
    return {
        "stack": access.of,
        "mode": access.mode,
        "workspaces": [one._asdict() for one in access.workspaces],
        "outputs": dict(access.outputs),
        "query": None if access.query is None else access.query._asdict(),
    }
