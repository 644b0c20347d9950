"""Updates of a cluster that exists, with its fleet stopped where that is needed, and what becomes of it afterwards."""

from __future__ import annotations

from typing import Literal

from trainyard.deploy.record import read_record, write_record
from trainyard.deploy.steps.stack import tell
from trainyard.deploy.work import Work
from trainyard.edge.aws.cloudformation import follow
from trainyard.edge.aws.stack_events import stack_events, stack_failure
from trainyard.edge.pcluster_answers import ValidationMessage, warnings_in
from trainyard.edge.pcluster_command import Pcluster, PclusterRefusedError
from trainyard.errors import TrainyardError

_NOTHING_TO_DO = "No changes found"  # pcluster/models/cluster.py
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


def update(work: Work, parallelcluster: Pcluster, text: str, *, first: bool = True) -> tuple[ValidationMessage, ...]:
    """Update the cluster, and return what ParallelCluster warns of.

    Where an answer was lost, ParallelCluster asks again and is refused for its own update.
    That update is waited for, and then ParallelCluster is asked once more, as it may have been somebody else's.
    Raises TrainyardError where the update fails: CloudFormation takes it back then.
    """
    before = {event.id for event in stack_events(work.account, work.name)}
    refused, warnings = False, tuple[ValidationMessage, ...]()
    try:
        warnings = warnings_in(parallelcluster.update(work.name, text))
    except PclusterRefusedError as error:
        if _NOTHING_TO_DO in error.verdict.problem:
            return ()
        refused = True
        if not first or all(event.id in before for event in stack_events(work.account, work.name)):
            raise
    state = follow(work.account, work.name, lambda event: tell(work, event), before)
    if state is None or state.status != "UPDATE_COMPLETE":
        raise stack_failure(work.account, work.name, state)
    return update(work, parallelcluster, text, first=False) if refused else warnings


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
