"""What trainyard-node says of the jobs on a node where no Slurm tells them: on Amazon EKS and on AWS Batch."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.simulation.curve import Curve, Piece
from trainyard.simulation.node import NodeJob, SimulatedNode, SimulatedSeries, labelled

# As in src/trainyard_node/collectors/jobs.py.
_TOLD_AFTER_S = 60


def job_series(node: SimulatedNode) -> Iterator[SimulatedSeries]:
    """Yield how many there are, and each while it is told; nothing where Slurm tells them."""
    if node.jobs is None:
        return
    moments = sorted({0.0, *(at_s for job in node.jobs for at_s in (job.from_s, job.until_s))})
    counted = (Piece(at_s, sum(job.from_s <= at_s < job.until_s for job in node.jobs)) for at_s in moments)
    yield SimulatedSeries("trainyard_jobs_running", "", Curve(tuple(counted)))
    by_name: dict[str, list[NodeJob]] = {}
    for job in node.jobs:
        names = (("jobid", job.id), ("jobname", job.name), ("user", job.owner), ("account", job.owner))
        by_name.setdefault(labelled(names), []).append(job)
    for name, jobs in by_name.items():
        told = [
            piece
            for job in sorted(jobs, key=lambda job: job.from_s)
            if job.until_s > job.from_s + _TOLD_AFTER_S
            for piece in (Piece(job.from_s + _TOLD_AFTER_S, 1), Piece(job.until_s, None))
        ]
        if told:
            yield SimulatedSeries("trainyard_job_node_info", name, Curve(tuple(told)))
