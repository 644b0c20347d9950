"""The jobs of a cluster's Slurm that an update or a destruction would end: asked of its head node."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from trainyard.deploy.cluster_update import ClusterUpdate, RunningJobs
from trainyard.deploy.work import Work
from trainyard.edge.aws.nodes import ClusterNode, nodes
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.edge.aws.stacks import find_stack
from trainyard.errors import TrainyardError
from trainyard.operate.slurm.slurm_state import SlurmState, slurm_state
from trainyard.platforms.parallelcluster import PARALLELCLUSTER

_POLL_S = 30.0


def running_jobs(work: Work, queues: Collection[str]) -> RunningJobs:
    """Return the jobs that have nodes of some queues. Without such a node there is none, and nobody has to be asked.

    Raises TrainyardError where EC2 does not answer; a head node that does not is what nobody knows.
    """
    instances = nodes(work.account, work.name)
    if not any(node.role == "Compute" and node.queue in queues for node in instances):
        return RunningJobs()
    state = _state(work, instances, queues)
    if isinstance(state, str):
        return RunningJobs(unknown=state)
    return RunningJobs(tuple(map(str, state.running)), unlisted=state.running_count - len(state.running))


def jobs_of_cluster(work: Work) -> RunningJobs:
    """Return the jobs that destroying the cluster would end, also those that wait; none where it is not one of ours.

    Where no compute node is there and the head node does not answer, nothing runs, and nobody has to be asked.
    """
    stack = find_stack(work.account, PARALLELCLUSTER.cluster_stack(work.name))
    if stack is None or not work.owns(stack.tags):
        return RunningJobs()
    instances = nodes(work.account, work.name)
    state = _state(work, instances, ())
    if isinstance(state, str):
        has_nodes = any(node.role == "Compute" for node in instances)
        return RunningJobs(unknown=state) if has_nodes else RunningJobs()
    jobs = tuple(_with_waiting(state))
    return RunningJobs(jobs, unlisted=state.running_count + state.waiting_count - len(jobs))


def _with_waiting(state: SlurmState) -> Iterator[str]:
    yield from map(str, state.running)
    yield from (f"{job}, which waits" for job in state.waiting)


def _state(work: Work, instances: Collection[ClusterNode], queues: Collection[str]) -> SlurmState | str:
    """Return what Slurm says, or why it does not."""
    head = _slurm_on(work, instances)
    if head is None:
        return "the head node does not run"
    try:
        return slurm_state(head, queues)
    except TrainyardError as error:
        return error.problem


def head_node_slurm(work: Work) -> SsmSlurm | None:
    """Return what asks the cluster's Slurm; None where no head node runs."""
    return _slurm_on(work, nodes(work.account, work.name))


def _slurm_on(work: Work, instances: Iterable[ClusterNode]) -> SsmSlurm | None:
    head = next((node for node in instances if node.role == "HeadNode" and node.state == "running"), None)
    return None if head is None else SsmSlurm(work.account, head.id)


def await_jobs(work: Work, update: ClusterUpdate, close: Callable[[], None]) -> None:
    """Wait for the jobs that an update would end, as long as the options say; then refuse to end those that are left.

    ``close`` is called before, so that no others begin meanwhile. Nothing is waited for where nobody can say which jobs
    there are.
    """
    waited_s, told = 0.0, ""
    running = running_jobs(work, update.queues)
    if running.jobs and work.options.wait_for_jobs_s:
        close()
    while running.jobs and waited_s < work.options.wait_for_jobs_s:
        if (text := "; ".join(running.jobs)) != told:
            work.tell(f"waits for {text}")
            told = text
        work.account.clock.sleep(_POLL_S)
        waited_s += _POLL_S
        running = running_jobs(work, update.queues)
    _refuse(work, replace(update, running=running))


def refuse_running_jobs(work: Work, update: ClusterUpdate) -> None:
    """Raise TrainyardError where an update ends jobs that run, or may run, and nobody has agreed to it or to wait."""
    if update.ends_jobs and (update.running.unknown or not work.options.wait_for_jobs_s):
        _refuse(work, update)


def _refuse(work: Work, update: ClusterUpdate) -> None:
    running = update.running
    if work.options.end_jobs or not running:
        return
    raise TrainyardError(
        f"the change of cluster {work.name} ends nodes of {', '.join(update.queues)}, and with them jobs: {running}",
        where=work.name,
        hint="nothing was changed of the cluster; deploy again when they are over, with --wait-for-jobs, or with "
        "--end-jobs",
    )
