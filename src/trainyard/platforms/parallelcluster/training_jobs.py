"""Training runs on AWS ParallelCluster: jobs of its Slurm, by way of the head node."""

from __future__ import annotations

from trainyard.catalog.parallelcluster import version_in_images
from trainyard.spec.cluster import Spec
from trainyard.training.run import Run
from trainyard.training.sbatch import slurm_files


def files(run: Run, spec: Spec) -> dict[str, str]:
    """Return the batch script of a run, and what it calls."""
    return slurm_files(run, spec, _slurm_version(spec))


def _slurm_version(spec: Spec) -> str | None:
    """Return the Slurm that the images of the cluster have at least, None where that is not known."""
    versions = version_in_images("slurm", spec.parallelcluster.version)
    return None if versions is None else versions.least
