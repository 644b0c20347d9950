"""What a Batch cluster has beside other clusters, as it is judged and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.platforms.batch.status.batch_status import BatchStatus
from trainyard.platforms.batch.status.concerns import batch_concerns
from trainyard.platforms.batch.status.output import batch_lines, batch_values


@dataclass(frozen=True, slots=True)
class BatchPlatformStatus:
    """Its compute environments, job queues, jobs and images."""

    batch: BatchStatus

    @property
    def essential_parts(self) -> tuple[str, ...]:
        """The parts without which nobody can say whether the cluster is up."""
        return "stacks", "nodes"

    @property
    def watch_words(self) -> tuple[str, ...]:
        """No command follows how its nodes come up."""
        return ()

    @property
    def has_nodes(self) -> bool:
        """It has nodes for jobs."""
        return True

    def made_for(self, status: Status) -> str:  # noqa: ARG002  part of the protocol
        """Return the platform, which has no version."""
        return "AWS Batch"

    def concerns(self, status: Status, *, broken: bool) -> Iterator[Concern]:  # noqa: ARG002  part of the protocol
        """Return what is wrong."""
        return batch_concerns(status, self.batch)

    def lines(self, status: Status) -> Iterator[str]:  # noqa: ARG002  part of the protocol
        """Return what is told of it to a person."""
        return batch_lines(self.batch)

    def other_costs(self) -> tuple[str, ...]:
        """Return nothing: Batch itself costs nothing."""
        return ()

    def values(self, status: Status) -> dict[str, Any]:  # noqa: ARG002  part of the protocol
        """Return what is told of it as JSON."""
        return {"batch": batch_values(self.batch)}
