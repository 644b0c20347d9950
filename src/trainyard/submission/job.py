"""A job as it is submitted: its files, what Slurm, AWS Batch or Kubernetes is told, and what its script is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Measures = Literal["nccl-tests", "cpu-sweep", "gpu-sweep", "gpus", "training"]


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """One job, before it is submitted."""

    id: str
    title: str
    measures: Measures
    nodes: int
    queue: str
    instance_type: str
    time_limit_min: int
    script: str
    """One of the files."""
    files: Mapping[str, str] = field(repr=False)
    """Text by path, below the folder that the job runs in."""
    options: tuple[str, ...] = ()
    """What sbatch is told beside what stands in the script."""
    arguments: tuple[str, ...] = ()
    """What the script is told."""
    gpus: int = 0
    """How many GPUs it looks at one by one."""
    request: Mapping[str, Any] | None = field(default=None, repr=False)
    """What SubmitJob of AWS Batch is given, where it runs there; on Amazon EKS the documents of its job."""
    requeued: bool = False
    """Whether Slurm may start it again."""
