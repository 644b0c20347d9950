"""How many nodes and jobs the whole cluster has.

ParallelCluster's nodes that are powered down are idle to Slurm. Here they are counted apart, so that an idle node is
one that runs, costs money and has nothing to do.
https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard_node.collectors.slurm.jobs import JobGroup
from trainyard_node.collectors.slurm.nodes import Node
from trainyard_node.collectors.slurm.slurm_reading import read_slurm
from trainyard_node.embedded_metrics import MetricBatch, MetricValues
from trainyard_node.programs import Programs

# https://slurm.schedmd.com/scontrol.html#OPT_State_3 and https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES
_ALLOCATED = {"ALLOCATED", "MIXED"}
_DOWN = {"DOWN", "ERROR", "FAIL"}
_POWERED_DOWN = {"POWERED_DOWN", "POWERING_DOWN"}
# An idle node in one of these takes no job now.
_NOT_FREE = {
    *_DOWN,
    *_POWERED_DOWN,
    *("POWER_DOWN", "POWERING_UP", "DRAIN", "NOT_RESPONDING", "RESERVED", "MAINTENANCE", "REBOOT_REQUESTED"),
    *("REBOOT_ISSUED", "COMPLETING", "INVALID_REG", "FUTURE"),
}
# https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
_ENDED = {
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED"),
    *("REVOKED", "TIMEOUT", "LAUNCH_FAILED", "EXPIRED"),
}


class SlurmTotals:
    """Three commands a reading, as the collector has them."""

    name = "slurm"

    def __init__(self, programs: Programs, cluster: str) -> None:
        """Remember whose nodes they are."""
        self._programs, self._namespace = programs, f"ParallelCluster/{cluster}/Slurm"

    def batches(self) -> Iterator[MetricBatch]:
        """Yield the totals. Raises NodeError where Slurm does not answer."""
        reading = read_slurm(self._programs)
        counts = {**node_counts(reading.nodes.values()), **job_counts(reading.jobs)}
        yield MetricBatch(
            self._namespace, {}, [MetricValues(name, "Count", (count,)) for name, count in counts.items()]
        )


def node_counts(nodes: Iterable[Node]) -> dict[str, int]:
    """Return how many nodes there are of each kind; each is in one of them at most, and in the total."""
    # A star says besides that the node does not answer: https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES
    flags = [{flag.rstrip("*") for flag in node.flags} for node in nodes]
    down = [flag for flag in flags if flag & _DOWN]
    rest = [flag for flag in flags if not flag & _DOWN]
    return {
        "NodesTotal": len(flags),
        "NodesIdle": sum("IDLE" in states and not states & _NOT_FREE for states in rest),
        "NodesAllocated": sum(bool(states & _ALLOCATED) for states in rest),
        "NodesDown": len(down),
        "NodesPoweredDown": sum(bool(states & _POWERED_DOWN) and not states & _ALLOCATED for states in rest),
    }


def job_counts(jobs: Iterable[JobGroup]) -> dict[str, int]:
    """Return how many jobs have not ended, each task of an array for itself."""
    running = [job for job in jobs if job.state not in _ENDED]
    return {
        "JobsRunning": sum(jobs.number for jobs in running if jobs.state == "RUNNING"),
        "JobsPending": sum(jobs.number for jobs in running if jobs.state == "PENDING"),
        "JobsTotal": sum(jobs.number for jobs in running),
    }
