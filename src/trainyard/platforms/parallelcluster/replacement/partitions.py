"""The partitions of a cluster's Slurm, one for each queue: which take jobs, and which jobs they have.

ParallelCluster calls the partition of a queue after it. https://slurm.schedmd.com/scontrol.html has the states: UP;
DRAIN, which takes no new jobs and runs those that it has; INACTIVE, which does neither, and whose instances clustermgtd
terminates: https://github.com/aws/aws-parallelcluster-node/blob/develop/src/slurm_plugin/clustermgtd.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.head_node import head_node

# Only root and Slurm's own user may; sudo does not look where ParallelCluster has Slurm.
_CONTROL = ("sudo", "-n", "/opt/slurm/bin/scontrol")
_INACTIVE = "inactive"
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Partitions:
    """Those of one cluster."""

    cluster: str
    head: SsmSlurm

    def states(self) -> dict[str, str]:
        """Return the state of each partition as sinfo says it: up, down, drain or inactive."""
        lines = self._run("sinfo", "--noheader", "--format=%R %a").splitlines()
        return dict(line.split(maxsplit=1) for line in map(str.strip, lines) if line)

    def set_state(self, partition: str, state: Literal["UP", "DRAIN", "INACTIVE"]) -> None:
        """Set the state of a partition."""
        self._run(*_CONTROL, "update", f"PartitionName={partition}", f"State={state}")

    def jobs(self, partition: str) -> tuple[str, ...]:
        """Return the jobs of a partition that are not over, those that wait among them."""
        form = "--format=%i|%u|%T|%j"
        lines = self._run("squeue", "--noheader", f"--partition={partition}", form).splitlines()
        return tuple(_job(line.strip()) for line in lines if line.strip())

    def _run(self, *words: str) -> str:
        answer = self.head.run(words)
        if answer.status:
            program = next(word for word in words if not word.startswith("-") and word != "sudo")
            raise TrainyardError(f"{program} failed on the head node of {self.cluster}: {answer.message}")
        return answer.text


def partitions_of(cluster: str, account: Account) -> Partitions:
    """Return the partitions of a cluster. Raises TrainyardError where no head node runs."""
    return Partitions(cluster, head_node(cluster, account))


def takes_jobs(state: str) -> bool:
    """Return whether a partition takes jobs: one that is down lets them wait."""
    return state in ("up", "down")


def is_inactive(state: str) -> bool:
    """Return whether no node of a partition is to run."""
    return state == _INACTIVE


def jobs_text(jobs: tuple[str, ...]) -> str:
    """Return some jobs on one line."""
    more = f"; and {len(jobs) - _MOST_SHOWN:,} more" if len(jobs) > _MOST_SHOWN else ""
    return f"{'; '.join(jobs[:_MOST_SHOWN])}{more}"


def _job(line: str) -> str:
    number, user, state, name = line.split("|", 3)
    return f"job {number} ({name}) of {user}, {state.lower()}"
