"""What nodes install and show."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Exactly
from trainyard.record import Record
from trainyard.spec.text import BucketName, CertificateArn

Setup = Literal["gpu", "cpu", "neuron", "none"]


class Software(Record):
    """Software on the nodes."""

    setup: Setup = "none"
    """gpu: what NVIDIA GPUs and EFA need; cpu: the same without GPUs; neuron: for Trainium; none: nothing."""
    containers: bool = False
    """Docker, Enroot and Pyxis, so that jobs can run containers."""


# https://docs.aws.amazon.com/parallelcluster/latest/ug/Monitoring-v3.html#yaml-Monitoring-Logs-CloudWatch-RetentionInDays
RetentionDays = Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653]


MonitoringMode = Literal["none", "self-hosting", "amp-only", "amp+amg"]


class Monitoring(Record):
    """What is measured and written down, and who keeps it."""

    mode: MonitoringMode = "none"
    """none; Prometheus and Grafana on an instance; Amazon Managed Prometheus; or that with Amazon Managed Grafana."""
    certificate: CertificateArn | None = None
    """Certificate of the self-hosted Grafana's address, from AWS Certificate Manager."""
    detailed: bool = False
    """EC2 metrics every minute instead of every five. Costs extra for each instance."""
    logs: bool = True
    """Keep the logs of the nodes in CloudWatch. Without them a failed node leaves nothing behind."""
    log_retention_days: Annotated[RetentionDays, Exactly()] = 14
    """How long CloudWatch keeps the logs of the nodes."""
    keep_logs: bool = True
    """Keep the logs when the cluster is deleted, until they are log_retention_days old."""
    log_rotation: bool = True
    """Rotate log files on the nodes, so that they do not fill the root volume."""
    dashboard: bool = True
    """A CloudWatch dashboard of the cluster."""
    alarms: bool = True
    """CloudWatch alarms of the head node: its health, CPU, memory and disk."""


class Assets(Record):
    """What nodes fetch when they start."""

    bucket: BucketName | None = None
    """S3 bucket for it. By default one is made for the account and region."""
