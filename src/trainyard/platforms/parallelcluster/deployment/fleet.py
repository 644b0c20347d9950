"""The compute fleet of a cluster: stopped for an update, and started again also by whoever goes on after a kill."""

from __future__ import annotations

from typing import Literal

from trainyard.deploy.record import read_record, write_record
from trainyard.deploy.work import Work
from trainyard.edge.pcluster_command import Pcluster
from trainyard.errors import TrainyardError

_POLL_S = 10.0
_POLLS = 180  # half an hour


def stop_fleet(work: Work, parallelcluster: Pcluster) -> None:
    """Stop the compute fleet, and write down that it was us: whoever goes on after a kill has to start it again.

    One that somebody else has stopped stays theirs.
    """
    if parallelcluster.fleet(work.name).get("status") == "STOPPED":
        return
    _remember(work, stopped=True)
    _set_fleet(work, parallelcluster, "STOP_REQUESTED", "STOPPED")


def start_fleet(work: Work, parallelcluster: Pcluster) -> None:
    """Start the compute fleet, which is nobody's to start any more then."""
    _set_fleet(work, parallelcluster, "START_REQUESTED", "RUNNING")
    _remember(work, stopped=False)


def is_fleet_stopped(work: Work) -> bool:
    """Return whether a deployment has stopped the fleet and not started it again."""
    record = read_record(work.account, work.bucket, work.name)
    return record is not None and record.fleet_stopped


def _remember(work: Work, *, stopped: bool) -> None:
    record = read_record(work.account, work.bucket, work.name)
    if record is not None:
        write_record(work.account, work.bucket, record._replace(fleet_stopped=stopped))


def _set_fleet(
    work: Work, parallelcluster: Pcluster, request: Literal["STOP_REQUESTED", "START_REQUESTED"], target: str
) -> None:
    """Stop or start the fleet, and wait until the head node has done it."""
    status = parallelcluster.fleet(work.name).get("status")
    if status != target:
        work.tell(f"fleet of compute nodes: {request}")
        parallelcluster.set_fleet(work.name, request)
    for _ in range(_POLLS):
        status = parallelcluster.fleet(work.name).get("status")
        if status == target:
            return
        if status == "PROTECTED":
            break
        work.account.clock.sleep(_POLL_S)
    raise TrainyardError(
        f"the fleet of {work.name} is {status} and not {target}",
        where=work.name,
        hint="see /var/log/parallelcluster/clustermgtd on the head node, then run the command again",
    )
