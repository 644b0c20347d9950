"""The same life where nodes tell of their own jobs: as pods on Amazon EKS, or as jobs of AWS Batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from tests.monitoring.life.cluster import Fault, Job, Life, host_name
from trainyard.monitoring.alert import Alert, alerts_for
from trainyard.simulation.node import NodeJob

# What the nodes have; there is no head node, and on Amazon EKS no exporter sees what pods mount.
_FEATURES = ("gpu", "gpm", "nvlink", "neuron", "efa")
# Faults that have something of these are told by Slurm, or happen to the node that it runs on.
_OF_SLURM = {"slurm", "jobs", "head_is_dead"}


@dataclass(frozen=True)  # without slots, as what it comes from
class LifeWithoutSlurm(Life):
    """A cluster over a time."""

    platform: str = "eks"
    """Or batch."""

    has_slurm = False

    @property
    def alerts(self) -> tuple[Alert, ...]:
        return alerts_for(_FEATURES)

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """Return what can go wrong here, with the alerts that there are."""
        known = {alert.id for alert in self.alerts}
        here = (fault for fault in super().faults if not _OF_SLURM & fault.content.keys())
        told = (replace(one, alerts=tuple(each for each in one.alerts if each.alert in known)) for one in here)
        return tuple(fault for fault in told if fault.alerts)

    def slurm_name(self, short: str) -> str:
        """Return the name that a node, a job or a user has here, and anything else as it is."""
        return self._names.get(short, short)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        nodes = [f"{queue}-{number}" for queue, count in self._sizes for number in range(1, count + 1)]
        hosts = {node: host_name(phase) for phase, node in enumerate(nodes, 1)}
        jobs = [Job(**{**one, "nodes": ()}, from_m=0, to_m=0) for one in self.content["jobs"]]
        ids = {str(job.id): self._told(job).id for job in jobs}
        return {**hosts, **ids, **{job.user: self._told(job).owner for job in jobs}}

    @property
    def _sizes(self) -> Iterable[tuple[str, int]]:
        sizes: Mapping[str, int] = self.content["sizes"][self.size]
        return sizes.items()

    def told_jobs(self, name: str, jobs: Sequence[Job]) -> tuple[NodeJob, ...]:
        """Return what a node tells of itself."""
        return tuple(self._told(job) for job in jobs if name in job.nodes and job.state == "RUNNING")

    def _told(self, job: Job) -> NodeJob:
        begins_s, ends_s = self.at(job.from_m), self.at(job.to_m)
        if self.platform == "eks":
            return NodeJob(f"{job.account}/{job.name}", job.name, job.account, begins_s, ends_s)
        return NodeJob(str(UUID(int=job.id)), job.name, f"{self.content['name']}-{job.queue}", begins_s, ends_s)
