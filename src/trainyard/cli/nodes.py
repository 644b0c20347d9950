"""``trainyard nodes``."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trainyard.cli.interrupts import interruptible
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_text, styled
from trainyard.counts import count_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.operate.nodes.node_watch import NodeEvent

Command = TypeVar("Command", bound="Callable[..., Any]")

_ENDINGS = {"ready": "all nodes are ready", "failed": "a node has failed", "timeout": "the time is over"}
_COLOURS = {"ready": "green", "failed": "red", "held": "red", "unreadable": "red", "deferred": "cyan"}


@click.group()
def command() -> None:
    """Say how the nodes of a cluster came up: what each of them wrote off itself, against EC2 and the spec.

    Nothing is run on any node. Nodes write down every step of their bootstrap in the cluster's bucket, where it
    stays when they are gone.

    \b
    Example:
      trainyard nodes check llm-p5 --region us-east-2
      trainyard nodes watch llm-p5 --region us-east-2 --timeout 1800
      trainyard nodes topology llm-p5 --region us-east-2
      trainyard nodes history llm-p5 --region us-east-2
      trainyard nodes replace llm-p5 gpu-st-p5-3 --region us-east-2 --reason "Xid 79"
      trainyard nodes refresh llm-p5 --region us-east-2
    """


def _of_a_cluster(function: Command) -> Command:
    """Add the argument and the options that both have."""
    for decorator in (
        click.option("--node", metavar="ID", help="Only the node with this instance id or host name, step by step."),
        click.option("--queue", metavar="QUEUE", help="Only the compute nodes of this queue, or one login pool."),
        click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where no stack is left."),
        account_options,
        cluster_argument(),
    ):
        function = decorator(function)
    return function


@command.command("check")
@_of_a_cluster
@json_option
def check(  # noqa: PLR0913  one for each option
    name: str,
    *,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    queue: str | None,
    node: str | None,
    as_json: bool,
) -> None:
    """List the nodes of the cluster NAME with how their bootstrap went, and what is wrong with them.

    \b
    Exit status: 0 all are ready; 1 one has failed, is held, is missing or is
    still coming up; 2 there is no such queue or node.

    \b
    Example:
      trainyard nodes check llm-p5 --region us-east-2
      trainyard nodes check cluster.yaml --node i-0a1b2c3d4e5f60718
    """
    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.nodes import check_nodes
    from trainyard.cli.nodes_output import nodes_values, print_nodes

    name, where, own_bucket, _ = cluster_reference(name, region, profile)
    nodes = check_nodes(name, where, bucket=bucket or own_bucket, queue=queue, node=node)
    if as_json:
        print_json(nodes_values(nodes))
    else:
        print_nodes(nodes)
    sys.exit(0 if nodes.ok else 1)


@command.command("watch")
@_of_a_cluster
@click.option(
    "--timeout",
    "timeout_s",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="How long to watch. By default the longer of the spec's two timeouts.",
)
@json_option
def watch(  # noqa: PLR0913  one for each option
    name: str,
    *,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    queue: str | None,
    node: str | None,
    timeout_s: int | None,
    as_json: bool,
) -> None:
    """Follow the nodes of the cluster NAME until all are ready, or one of them fails for good.

    One line for each change, and at the end what `nodes check` prints. Nodes that had failed before, and are gone,
    do not end it.

    \b
    Exit status: 0 all are ready; 1 one has failed, or the time is over; 2 there
    is no such queue or node.

    \b
    Example:
      trainyard nodes watch llm-p5 --region us-east-2 --queue compute-gpu
    """
    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.nodes import watch_nodes
    from trainyard.cli.nodes_output import nodes_values, print_nodes

    name, where, own_bucket, _ = cluster_reference(name, region, profile)
    with interruptible("nothing was changed; nodes go on coming up"):
        watched = watch_nodes(
            name, where, bucket=bucket or own_bucket, queue=queue, node=node, timeout_s=timeout_s,
            listener=lambda event: _print_event(event, err=as_json),
        )  # fmt: skip
    if as_json:
        ending = {"ending": watched.ending, "seconds": round(watched.seconds, 1)}
        print_json({**nodes_values(watched.nodes), **ending})
    else:
        print_text(f"{_ENDINGS[watched.ending]} after {watched.seconds:.0f} s")
        print_nodes(watched.nodes)
    sys.exit(0 if watched.nodes.ok else 1)


@command.command("topology")
@click.option(
    "--reservation",
    "reservations",
    metavar="ID",
    multiple=True,
    help="A capacity reservation or Capacity Block to look at as well, also before any node runs; may be repeated.",
)
@account_options
@click.argument("name")
@json_option
def topology(name: str, *, region: str, profile: str | None, reservations: tuple[str, ...], as_json: bool) -> None:
    """Say how near the nodes of the cluster NAME are to one another: under which of EC2's network nodes they are.

    Needs ec2:DescribeInstanceTopology, and ec2:DescribeCapacityReservationTopology for reservations. Nobody can ask
    EC2 for a single spine: docs/guides/placement.md says what can be asked.

    \b
    Example:
      trainyard nodes topology llm-p5 --region us-east-2
      trainyard nodes topology llm-p5 --region us-east-2 --reservation cr-0a1b2c3d4e5f60718
    """
    from trainyard.api.deploy import account
    from trainyard.api.nodes import cluster_topology
    from trainyard.cli.nodes_output import print_topology, topology_values

    found = cluster_topology(account(region, profile), name, reservations)
    if as_json:
        print_json(topology_values(found))
    else:
        print_topology(found)


@command.command("replace")
@click.option("--reason", metavar="TEXT", required=True, help="Why, for Slurm and for the history of the host.")
@click.option("--end-jobs", is_flag=True, help="End jobs that run on the node, which are a reason to refuse otherwise.")
@click.option(
    "--wait-for-jobs", "wait_for_jobs_s", type=click.IntRange(0), default=0, metavar="SECONDS",
    help="How long to wait for jobs on the node to end by themselves.",
)  # fmt: skip
@click.option(
    "--timeout", "timeout_s", type=click.IntRange(1), metavar="SECONDS",
    help="How long its successor may take. By default what the spec gives a compute node, and 15 minutes.",
)  # fmt: skip
@click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where no stack is left.")
@account_options
@cluster_argument()
@click.argument("node")
@json_option
def replace(  # noqa: PLR0913  one for each option
    name: str,
    node: str,
    *,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    timeout_s: int | None,
    wait_for_jobs_s: int,
    end_jobs: bool,
    reason: str,
    as_json: bool,
) -> None:
    """Replace the bad compute NODE of the cluster NAME, and give its successor to jobs once it is proven.

    NODE is its name in Slurm or Kubernetes, or the id of its instance. First it is held from further jobs; then
    evidence goes into the bucket: EC2, network nodes, what Slurm or Kubernetes says, health, GPUs, Xids, kernel
    messages, EFA counters. Jobs that run on it go on, and the call refuses until they are over, but with
    --wait-for-jobs or --end-jobs. Then it is drained and replaced: by ParallelCluster, or by the Auto Scaling group of
    its node group. Its successor gets jobs when it is back, its health check finds nothing, and it stands on another
    host.

    The same command goes on where a call was interrupted. For clusters of ParallelCluster and Amazon EKS: a node of
    AWS Batch is replaced by ending its instance, as Batch can neither hold one nor prove another.

    \b
    Example:
      trainyard nodes replace llm-p5 gpu-st-p5-3 --region us-east-2 --reason "Xid 79"
      trainyard nodes replace cluster.yaml i-0a1b2c3d4e5f60718 --reason slow --wait-for-jobs 86400
      trainyard nodes replace llm-eks ip-10-0-1-23.ec2.internal --reason "no GPU" --end-jobs
    """
    from dataclasses import asdict

    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.nodes import replace_cluster_node

    name, where, own_bucket, _ = cluster_reference(name, region, profile)
    with interruptible("the node stays held; the same command goes on"):
        record = replace_cluster_node(
            name, node, where, bucket=bucket or own_bucket, reason=reason, end_jobs=end_jobs,
            wait_for_jobs_s=wait_for_jobs_s, timeout_s=timeout_s,
            listener=lambda text: print_text(text, err=True),
        )  # fmt: skip
    if as_json:
        print_json(asdict(record))
    else:
        print_text(f"{record.new_instance_id} has taken the place of {record.node}, and takes jobs")


@command.command("refresh")
@click.option("--queue", metavar="QUEUE", help="Only the compute nodes of this queue.")
@click.option(
    "--after-jobs", is_flag=True, help="Nodes with jobs as well: they get no further ones, and start anew after these."
)
@click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where no stack is left.")
@account_options
@cluster_argument()
@json_option
def refresh(  # noqa: PLR0913  one for each option
    name: str,
    *,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    queue: str | None,
    after_jobs: bool,
    as_json: bool,
) -> None:
    """Let idle compute nodes of the cluster NAME start anew that run an older release of their software.

    A deployment publishes the release, and new nodes run it. Slurm powers the idle ones with another release down
    (POWER_DOWN_ASAP): ParallelCluster starts static nodes again, and dynamic ones come with their next job. No job is
    ended: one that begins in between runs to its end first. Held, drained and down nodes are left. Clusters of
    ParallelCluster only.

    \b
    Example:
      trainyard nodes refresh llm-p5 --region us-east-2
      trainyard nodes refresh cluster.yaml --queue gpu --after-jobs
    """
    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.nodes import refresh_cluster_nodes

    name, where, own_bucket, _ = cluster_reference(name, region, profile)
    refreshed = refresh_cluster_nodes(name, where, bucket=bucket or own_bucket, queue=queue, after_jobs=after_jobs)
    if as_json:
        print_json(refreshed._asdict())
        return
    what = {
        "starts anew": refreshed.started_anew,
        "has jobs, and is left (--after-jobs)": refreshed.busy,
        "is held, drained or down, and is left": refreshed.withheld,
        "has not said what it runs": refreshed.unknown,
    }
    for text, names in what.items():
        for node in names:
            print_text(f"{node} {text}")
    print_text(f"{count_text(refreshed.current, 'node runs', 'nodes run')} release {refreshed.release[:12]} already")


@command.command("history")
@click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where no stack is left.")
@account_options
@cluster_argument()
@json_option
def history(name: str, *, region: str | None, profile: str | None, bucket: str | None, as_json: bool) -> None:
    """List the hosts under the nodes of the cluster NAME, those with most trouble first.

    A host is known by the UUIDs of its GPUs, which stay when an instance on it ends and another one comes, as it does
    from a reservation. Of each instance: how its bootstrap went, and why it was replaced.

    \b
    Example:
      trainyard nodes history llm-p5 --region us-east-2
    """
    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.nodes import node_hosts
    from trainyard.cli.nodes_history_output import history_values, print_history

    name, where, own_bucket, _ = cluster_reference(name, region, profile)
    hosts = node_hosts(name, where, bucket=bucket or own_bucket)
    if as_json:
        print_json(history_values(hosts))
    else:
        print_history(hosts)


def _print_event(event: NodeEvent, *, err: bool) -> None:
    at = datetime.fromtimestamp(event.at).astimezone().strftime("%H:%M:%S")
    where = f" ({event.place})" if event.place else ""
    status = styled(event.status, fg=_COLOURS.get(event.status))
    text = f": {event.text}" if event.text else ""
    print_text(f"{at}  {event.node}{where}  {event.state}  {status}{text}", err=err)
