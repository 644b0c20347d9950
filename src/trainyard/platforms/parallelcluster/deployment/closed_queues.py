"""Queues that take jobs and start none while an update waits for those that run.

A partition that is DOWN is one: https://slurm.schedmd.com/scontrol.html#OPT_State_2
ParallelCluster touches only what is INACTIVE: ``_clean_up_inactive_partition`` in
https://github.com/aws/aws-parallelcluster-node/blob/develop/src/slurm_plugin/clustermgtd.py
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from trainyard.deploy.record import read_record, write_record
from trainyard.deploy.work import Work
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted
from trainyard.operate.slurm.slurm_state import HeadNode
from trainyard.platforms.parallelcluster.deployment.running_jobs import head_node_slurm

# Only root and Slurm's own user may, and the cluster's user may become root.
_SCONTROL = ("sudo", "-n", "/opt/slurm/bin/scontrol")


def close_queues(work: Work, queues: Collection[str]) -> None:
    """Let no new job of some queues begin, and write down first that it was us: who goes on after a kill opens them.

    Those that somebody else has closed stay theirs. Raises TrainyardError where Slurm does not answer.
    """
    slurm = _slurm(work)
    up = [queue for queue, state in queue_states(slurm).items() if queue in queues and state == "up"]
    record = read_record(work.account, work.bucket, work.name)
    if record is None or not up:
        return
    closed = tuple(dict.fromkeys((*record.closed_queues, *up)))
    write_record(work.account, work.bucket, record._replace(closed_queues=closed))
    for queue in up:
        set_queue(slurm, queue, "DOWN")
    work.tell(f"no new jobs begin in {', '.join(up)} until the update is made")


def open_queues(work: Work) -> None:
    """Open what a deployment has closed. Raises TrainyardError, which says how, where Slurm does not answer."""
    record = read_record(work.account, work.bucket, work.name)
    if record is None or not record.closed_queues:
        return
    try:
        slurm = _slurm(work)
        for queue, state in queue_states(slurm).items():
            if queue in record.closed_queues and state == "down":
                set_queue(slurm, queue, "UP")
    except TrainyardError as error:
        commands = "; ".join(_command(queue, "UP") for queue in record.closed_queues)
        raise TrainyardError(
            f"{', '.join(record.closed_queues)} start no jobs, and cannot be opened: {error.problem}",
            where=work.name,
            hint=f"run the command again, or on the head node: {commands}",
        ) from error
    write_record(work.account, work.bucket, record._replace(closed_queues=()))
    work.tell(f"jobs begin again in {', '.join(record.closed_queues)}")


def _slurm(work: Work) -> SsmSlurm:
    slurm = head_node_slurm(work)
    if slurm is None:
        raise TrainyardError("the head node does not run", where=work.name)
    return slurm


def queue_states(slurm: HeadNode) -> Mapping[str, str]:
    """Return whether each queue is up: https://slurm.schedmd.com/sinfo.html#OPT_%a.

    Raises TrainyardError where Slurm does not answer.
    """
    answer = slurm.run(("sinfo", "--noheader", "--format=%R %a"))
    if answer.status:
        raise TrainyardError(f"sinfo failed: {quoted(answer.message)}")
    lines = (line.strip().partition(" ") for line in answer.text.splitlines())
    return {queue: state for queue, _, state in lines if queue}


def set_queue(slurm: HeadNode, queue: str, state: str) -> None:
    """Set the state of a queue, UP or DOWN. Raises TrainyardError where Slurm does not."""
    answer = slurm.run((*_SCONTROL, "update", f"PartitionName={queue}", f"State={state}"))
    if answer.status:
        raise TrainyardError(f"scontrol failed: {quoted(answer.message)}")


def _command(queue: str, state: str) -> str:
    return " ".join((*_SCONTROL, "update", f"PartitionName={queue}", f"State={state}"))
