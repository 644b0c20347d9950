"""What nodes install and show."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Exactly
from trainyard.record import Record
from trainyard.spec.text import BucketName

Setup = Literal["gpu", "cpu", "neuron", "none"]


class Software(Record):
    """Software on the nodes."""

    setup: Setup = "none"
    """gpu: what NVIDIA GPUs and EFA need; cpu: the same without GPUs; neuron: for Trainium; none: nothing."""
    containers: bool = False
    """Docker, Enroot and Pyxis, so that jobs can run containers."""


class Monitoring(Record):
    """Where metrics go."""

    mode: Literal["none", "self-hosting", "amp-only", "amp+amg"] = "none"
    """none; Prometheus and Grafana on an instance; Amazon Managed Prometheus; or that with Amazon Managed Grafana."""
    detailed: bool = False
    """EC2 metrics every minute instead of every five. Costs extra for each instance."""
    log_retention_days: Annotated[Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365], Exactly()] = 14
    """How long CloudWatch keeps the logs of the nodes."""


class Assets(Record):
    """What nodes fetch when they start."""

    bucket: BucketName | None = None
    """S3 bucket for it. By default one is made for the account and region."""
