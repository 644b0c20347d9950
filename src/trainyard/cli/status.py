"""``trainyard status``."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from trainyard.cli.interrupts import endless
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_text
from trainyard.errors import InputError, TrainyardError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.edge.aws.account import Account
    from trainyard.operate.status.cluster_status import Status

_EVERY_S = 30
_SHORTEST_S = 5
_MOST_FAILED = 5
_CLEAR = "\x1b[2J\x1b[H"  # https://invisible-island.net/xterm/ctlseqs/ctlseqs.html


@click.command()
@cluster_argument(required=False)
@account_options
@click.option(
    "--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had its own and no stack is left."
)
@click.option(
    "--watch", "every_s", type=click.IntRange(_SHORTEST_S), is_flag=False, flag_value=_EVERY_S, metavar="[SECONDS]",
    help=f"Look again and again until Ctrl-C, every {_EVERY_S} seconds where none are given.",
)  # fmt: skip
@click.option(
    "--drift",
    "detects_drift",
    is_flag=True,
    help="Let CloudFormation also look for what was changed of resources past their stacks, which takes minutes.",
)
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str | None,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    every_s: int | None,
    *,
    detects_drift: bool,
    as_json: bool,
) -> None:
    """Say whether the cluster NAME is up, and if not, why; without NAME, list the clusters of the region.

    Its stacks, head node, fleet, queues, capacity reservations and their end, file systems and monitoring, what failed
    lately, what its instances cost, and the next command for each problem; of AWS Batch its compute environments, job
    queues, waiting jobs and images; of EKS its control plane, node groups and why nodes are missing, and by kubectl its
    nodes, devices, pods and training jobs. Also for clusters that trainyard did not make.

    With --drift, CloudFormation compares every resource of its stacks with their templates: what AWS chooses by itself
    is no drift. It reads the resources with your rights.

    \b
    Exit status: 0 it is up, or a list was printed; 1 it is not up.

    \b
    Example:
      trainyard status cluster.yaml
      trainyard status llm-p5 --region us-east-2
      trainyard status --region us-east-2
      trainyard status llm-p5 --region us-east-2 --watch 60
    """
    from trainyard.api.cluster_reference import account_in, cluster_reference
    from trainyard.api.status import cluster_status
    from trainyard.cli.status_output import print_status, status_values

    if name is None:
        if detects_drift:
            raise InputError("--drift is for one cluster", where="--drift", hint="name the cluster")
        _list_clusters(account_in(region, profile), bucket, every_s, as_json=as_json)
        return
    cluster = cluster_reference(name, region, profile)
    look = partial(
        cluster_status, cluster.name, cluster.account, bucket=bucket or cluster.bucket, detects_drift=detects_drift
    )

    def show(status: Status) -> None:
        print_json(status_values(status)) if as_json else print_status(status)

    status = look() if every_s is None else _watch(look, show, cluster.account, every_s)
    if every_s is None:
        show(status)
    if detects_drift and not as_json and not status.drift:
        print_text("No drift: CloudFormation finds every resource as its template says.")
    sys.exit(0 if status.up else 1)


def _list_clusters(where: Account, bucket: str | None, every_s: int | None, *, as_json: bool) -> None:
    """Print the clusters of a region. Raises InputError for options that only a look at one cluster has."""
    from trainyard.api.status import region_clusters

    if bucket is not None or every_s is not None:
        option = "--watch" if bucket is None else "--bucket"
        raise InputError(f"{option} is for one cluster", where=option, hint="name the cluster")
    clusters = region_clusters(where)
    if as_json:
        print_json({"schema": 1, "region": where.region, "clusters": [cluster._asdict() for cluster in clusters]})
        return
    if not clusters:
        print_text(f"no cluster and no environment in {where.region}")
    rows = [
        (
            cluster.name,
            cluster.platform or "not there",
            cluster.status or "stacks beside it",
            "trainyard" if cluster.ours else "somebody else",
            f"in {cluster.environment}" if cluster.environment else "",
        )
        for cluster in clusters
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(4)] if rows else []
    for row in rows:
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=False)]
        print_text("  ".join([*padded, row[4]]).rstrip())


def _watch(look: Callable[[], Status], show: Callable[[Status], None], where: Account, every_s: int) -> Status:
    """Look again and again until Ctrl-C, and return what was seen last. A look that fails now and then is told."""
    status, failed = look(), 0
    try:
        with endless():
            while True:
                if sys.stdout is not None and sys.stdout.isatty():
                    click.echo(_CLEAR, nl=False)
                show(status)
                where.clock.sleep(every_s)
                try:
                    status, failed = look(), 0
                except TrainyardError as error:
                    failed += 1
                    if failed >= _MOST_FAILED:
                        raise
                    print_text(f"could not look: {error.problem}; trying again", err=True)
    except KeyboardInterrupt:
        return status
