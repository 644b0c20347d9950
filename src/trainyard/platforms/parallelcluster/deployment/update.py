"""Updates of a cluster that exists, with what has to be stopped for them, and what becomes of it afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from trainyard.bundle.config_text import config_text
from trainyard.deploy.cluster_update import ClusterUpdate
from trainyard.deploy.expired_capacity import leave_out_ended
from trainyard.deploy.steps.stack import tell
from trainyard.deploy.work import Work
from trainyard.edge.aws.cloudformation import follow
from trainyard.edge.aws.stack_events import stack_events, stack_failure
from trainyard.edge.aws.stacks import find_stack
from trainyard.edge.pcluster_answers import ValidationMessage, warnings_in
from trainyard.edge.pcluster_command import Pcluster, PclusterRefusedError
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment.classification import config_for
from trainyard.platforms.parallelcluster.deployment.closed_queues import close_queues, open_queues
from trainyard.platforms.parallelcluster.deployment.fleet import is_fleet_stopped, start_fleet, stop_fleet
from trainyard.platforms.parallelcluster.deployment.login_nodes import await_end as await_end_of_login_nodes
from trainyard.platforms.parallelcluster.deployment.login_nodes import deployed_text, text_without_login_nodes
from trainyard.platforms.parallelcluster.deployment.running_jobs import await_jobs
from trainyard.platforms.parallelcluster.deployment.update_plan import refuse_update, update_plan

_NOTHING_TO_DO = "No changes found"  # pcluster/models/cluster.py


class CarriedOut(NamedTuple):
    """What was done, which after a wait may be less than what was planned."""

    update: ClusterUpdate
    warnings: tuple[ValidationMessage, ...]
    """Of ParallelCluster."""


def carry_out(work: Work, planned: ClusterUpdate, config: Callable[[Work], Mapping[str, Any]]) -> CarriedOut | None:
    """Bring a cluster to a configuration; return None where nothing was left to do. A stopped fleet stays stopped.

    Raises TrainyardError where jobs go on that nobody has agreed to end, and where the update fails: the cluster is
    then what it was, as far as AWS lets it.
    """
    try:
        awaited = _awaited(work, planned)
        done = None if awaited is None else CarriedOut(awaited, _updated(work, awaited, config(work)))
    except BaseException:
        with suppress(TrainyardError):
            open_queues(work)
        raise
    open_queues(work)
    return done


def _awaited(work: Work, planned: ClusterUpdate) -> ClusterUpdate | None:
    """Wait for the jobs that an update ends, and return what it changes then; None where nothing is left of it.

    A Capacity Block may have ended meanwhile, and without its nodes it is another update.
    """
    current: ClusterUpdate | None = planned
    while current is not None:
        if current.ends_jobs:
            await_jobs(work, current, partial(close_queues, work, current.queues))
        if not leave_out_ended(work):
            break
        current = update_plan(work)
        if current is not None:
            refuse_update(work, current)
    return current


def _updated(work: Work, planned: ClusterUpdate, document: Mapping[str, Any]) -> tuple[ValidationMessage, ...]:
    spec = work.required_spec()
    parallelcluster = work.pcluster(spec.parallelcluster.version)
    former = deployed_text(work) if planned.stops_logins else None
    try:
        if former is not None:
            work.tell("login nodes: their pools are emptied by an update of its own")
            update(work, parallelcluster, text_without_login_nodes(former))
            await_end_of_login_nodes(work, parallelcluster, former)
        if planned.need == "stop":
            stop_fleet(work, parallelcluster)
        return update(work, parallelcluster, config_text(spec, config_for(document, planned.need)))
    except TrainyardError as error:
        if not (back := _brought_back(work, parallelcluster, former)):
            raise
        raise TrainyardError(f"{error.problem}; {back}", where=error.where, hint=error.hint) from error


def _brought_back(work: Work, parallelcluster: Pcluster, former: str | None) -> str:
    """Bring back what was stopped for an update that failed, and return what is there again; empty where nothing."""
    state = find_stack(work.account, work.name)
    if state is None or not state.usable:
        return ""
    back = ["CloudFormation took the update back"] if state.status == "UPDATE_ROLLBACK_COMPLETE" else []
    with suppress(TrainyardError):
        if is_fleet_stopped(work):
            start_fleet(work, parallelcluster)
            back.append("the fleet runs again")
        if former is not None:
            update(work, parallelcluster, former)
            back.append("login nodes start again")
    return ", and ".join(back)


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
