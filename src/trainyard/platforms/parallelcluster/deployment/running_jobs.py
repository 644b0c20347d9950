"""The jobs of a cluster's Slurm: asked of its head node, by Systems Manager."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from trainyard.deploy.cluster_update import ClusterUpdate, RunningJobs
from trainyard.deploy.work import Work
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.errors import TrainyardError

# Jobs that have nodes: https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
_STATES = "RUNNING,COMPLETING,CONFIGURING,SUSPENDED,STOPPED"
_MOST_SHOWN = 5
_POLL_S = 30.0


def running_jobs(work: Work, queues: Collection[str]) -> RunningJobs:
    """Return the jobs that have nodes of some queues. Without such a node there is none, and nobody has to be asked.

    Raises TrainyardError where EC2 does not answer; a head node that does not is what nobody knows.
    """
    instances = nodes(work.account, work.name)
    if not any(node.role == "Compute" and node.queue in queues for node in instances):
        return RunningJobs()
    head = next((node for node in instances if node.role == "HeadNode" and node.state == "running"), None)
    if head is None:
        return RunningJobs(unknown="the head node does not run")
    listing = ("squeue", "--noheader", f"--states={_STATES}", f"--partition={','.join(sorted(queues))}")
    try:
        answer = SsmSlurm(work.account, head.id).run((*listing, "--format=%i|%u|%P|%D|%j"))
    except TrainyardError as error:
        return RunningJobs(unknown=error.problem)
    if answer.status:
        return RunningJobs(unknown=f"squeue failed: {answer.message}")
    return RunningJobs(tuple(_job(line) for line in answer.text.splitlines() if line.strip()))


def _job(line: str) -> str:
    number, user, queue, count, name = line.split("|", 4)
    return f"job {number} ({name}) of {user} on {count} nodes of {queue}"


def await_jobs(work: Work, update: ClusterUpdate) -> None:
    """Wait for the jobs that an update would end, as long as the options say; then refuse to end those that are left.

    Others may begin meanwhile. Nothing is waited for where nobody can say which jobs there are.
    """
    waited_s, told = 0.0, ""
    running = running_jobs(work, update.queues)
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
    if update.running.unknown or not work.options.wait_for_jobs_s:
        _refuse(work, update)


def _refuse(work: Work, update: ClusterUpdate) -> None:
    running = update.running
    if work.options.end_jobs or not (running.jobs or running.unknown):
        return
    shown = "; ".join(running.jobs[:_MOST_SHOWN])
    more = f"; and {len(running.jobs) - _MOST_SHOWN} more" if len(running.jobs) > _MOST_SHOWN else ""
    what = f"{shown}{more}" if running.jobs else f"nobody can say which: {running.unknown}"
    raise TrainyardError(
        f"the change of cluster {work.name} ends nodes of {', '.join(update.queues)}, and with them jobs: {what}",
        where=work.name,
        hint="nothing was changed of the cluster; deploy again when they are over, with --wait-for-jobs, or with "
        "--end-jobs",
    )
