"""``trainyard status``."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from trainyard.cli.options import account_options
from trainyard.cli.output import json_option, print_json, print_text
from trainyard.errors import TrainyardError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.edge.aws.account import Account
    from trainyard.operate.status.cluster_status import Status

_EVERY_S = 30
_SHORTEST_S = 5
_MOST_FAILED = 5
_CLEAR = "\x1b[2J\x1b[H"  # https://invisible-island.net/xterm/ctlseqs/ctlseqs.html


@click.command()
@click.argument("name")
@account_options
@click.option(
    "--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had its own and no stack is left."
)
@click.option(
    "--watch", "every_s", type=click.IntRange(_SHORTEST_S), is_flag=False, flag_value=_EVERY_S, metavar="[SECONDS]",
    help=f"Look again and again until Ctrl-C, every {_EVERY_S} seconds where none are given.",
)  # fmt: skip
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str, region: str, profile: str | None, bucket: str | None, every_s: int | None, *, as_json: bool
) -> None:
    """Say whether the cluster NAME is up, and if not, why.

    Its stacks, head node, fleet, queues, capacity reservations and their end, file systems and monitoring, what failed
    lately, what its instances cost, and the next command for each problem; of AWS Batch its compute environments, job
    queues, waiting jobs and images; of EKS its control plane, node groups and why nodes are missing, and by kubectl its
    nodes, devices, pods and training jobs. Also for clusters that trainyard did not make.

    \b
    Exit status: 0 it is up; 1 it is not.

    \b
    Example:
      trainyard status llm-p5 --region us-east-2
      trainyard status llm-p5 --region us-east-2 --watch 60
    """
    from trainyard.api.deploy import account
    from trainyard.api.status import cluster_status
    from trainyard.cli.status_output import print_status, status_values

    where = account(region, profile)
    look = partial(cluster_status, name, where, bucket=bucket)

    def show(status: Status) -> None:
        print_json(status_values(status)) if as_json else print_status(status)

    status = look() if every_s is None else _watch(look, show, where, every_s)
    if every_s is None:
        show(status)
    sys.exit(0 if status.up else 1)


def _watch(look: Callable[[], Status], show: Callable[[Status], None], where: Account, every_s: int) -> Status:
    """Look again and again until Ctrl-C, and return what was seen last. A look that fails now and then is told."""
    status, failed = look(), 0
    try:
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
