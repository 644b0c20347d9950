"""What an EKS cluster has beside other clusters, as it is judged and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.platforms.eks.status.concerns import eks_concerns
from trainyard.platforms.eks.status.control_plane import usd_an_hour
from trainyard.platforms.eks.status.eks_status import EksStatus
from trainyard.platforms.eks.status.output import eks_lines, eks_values


@dataclass(frozen=True, slots=True)
class EksPlatformStatus:
    """Its control plane and node groups, and what its Kubernetes API says."""

    eks: EksStatus

    @property
    def essential_parts(self) -> tuple[str, ...]:
        """The parts without which nobody can say whether the cluster is up; EKS itself says whether it works."""
        return "EKS", "node groups"

    @property
    def watch_words(self) -> tuple[str, ...]:
        """No command follows how its nodes come up."""
        return ()

    @property
    def has_nodes(self) -> bool:
        """It has nodes for jobs."""
        return True

    def made_for(self, status: Status) -> str:  # noqa: ARG002  part of the protocol
        """Return the platform; its version is told with the control plane."""
        return "Amazon EKS"

    def concerns(self, status: Status, *, broken: bool) -> Iterator[Concern]:  # noqa: ARG002  part of the protocol
        """Return what is wrong."""
        return eks_concerns(status, self.eks)

    def lines(self, status: Status) -> Iterator[str]:  # noqa: ARG002  part of the protocol
        """Return what is told of it to a person."""
        return eks_lines(self.eks)

    def other_costs(self) -> Iterator[str]:
        """Yield the control plane with its price."""
        if self.eks.control_plane is not None:
            usd = usd_an_hour(self.eks.control_plane.support)
            yield f"the control plane{'' if usd is None else f', {usd:.2f} USD an hour'}"

    def values(self, status: Status) -> dict[str, Any]:  # noqa: ARG002  part of the protocol
        """Return what is told of it as JSON."""
        return {"eks": eks_values(self.eks)}
