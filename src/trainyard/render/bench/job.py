"""A bandwidth test before anybody has run it: what is measured, on which nodes, and why.

The same description becomes a job of Slurm (sbatch.py), of AWS Batch (batch_job.py) or of Kubernetes (mpi_job.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Phase = Literal[1, 2, 3, 4]


class BenchJob(NamedTuple):
    """One job. Its output is named after it: ID_NUMBER.out, with the number that Slurm gives it."""

    id: str
    """Unique in the plan, and part of file names: only a-z, 0-9, - and _."""
    phase: Phase
    title: str
    queue: str
    feature: str | None
    """The compute resource, where the queue has several kinds of nodes: ParallelCluster makes it a feature."""
    instance_type: str
    collective: str
    """As nccl-tests' programs are named: all_reduce, alltoall; of a job with several tests, that of the first."""
    binary: str
    """The program of nccl-tests, such as all_reduce_perf."""
    begin_bytes: int
    end_bytes: int
    factor: int
    """From one size to the next."""
    iterations: int
    warmup: int
    nodes: int
    tasks_per_node: int
    gpus_per_task: int
    container: str | None
    """The image, as `enroot import` names it without docker://; None where programs of the nodes are run."""
    time_limit_min: int
    why: str
    """One sentence."""
    control_of: str | None
    """The id of the run without its variable, which it is compared with."""
    environment: Mapping[str, str] = {}
    step_bytes: int | None = None
    """From one size to the next, in place of the factor."""
    then: tuple[str, ...] = ()
    """Further programs, run one after the other in the same job with the same sizes."""

    @property
    def ranks(self) -> int:
        """How many processes there are: one for each GPU."""
        return self.nodes * self.tasks_per_node

    @property
    def binaries(self) -> tuple[str, ...]:
        """All programs that it runs, in their order."""
        return (self.binary, *self.then)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What each program is told, as nccl-tests has it.

        https://github.com/NVIDIA/nccl-tests#arguments
        """
        sizes = ("-f", str(self.factor)) if self.step_bytes is None else ("-i", str(self.step_bytes))
        return (
            "-b", str(self.begin_bytes), "-e", str(self.end_bytes), *sizes, "-g", str(self.gpus_per_task),
            "-c", "1", "-n", str(self.iterations), "-w", str(self.warmup),
        )  # fmt: skip
