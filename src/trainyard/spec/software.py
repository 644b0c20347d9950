"""What nodes install and show."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Exactly, NotEmpty, Text, Whole
from trainyard.record import Record
from trainyard.spec.text import (
    BucketName,
    CertificateArn,
    EmailAddress,
    FullSecretArn,
    InstanceTypeName,
    MountDir,
    VolumeId,
    version_of_tag,
)

Setup = Literal["gpu", "cpu", "neuron", "none"]
Version = Annotated[
    str,
    Text(r"^v?[0-9]+(\.[0-9]+){1,3}(-[0-9]+|-aws)?$", "a version such as 1.48.0 or 2.28.9-1", normal=version_of_tag),
]
# What `enroot import` calls docker://…, without it: https://github.com/NVIDIA/enroot/blob/master/doc/cmd/import.md
ImageName = Annotated[
    str,
    Text(
        r"^([a-z0-9]+([.-][a-z0-9]+)*(:[0-9]+)?#)?[a-z0-9]+([._/-]+[a-z0-9]+)*:[A-Za-z0-9_][A-Za-z0-9_.-]*$",
        "an image with a tag such as nvcr.io#nvidia/pytorch:25.10-py3",
        longest=230,  # it becomes a file name, with an ending of its own while it is written
    ),
]


class Nccl(Record):
    """NCCL and nccl-tests, built once for all nodes."""

    version: Version
    """Version of NCCL, such as 2.28.9-1."""
    tests_version: Version = "2.17.6"
    """Version of nccl-tests."""
    ofi_version: Version | None = None
    """Version of the plugin aws-ofi-nccl, such as 1.21.1. By default the one that the EFA installer brings."""
    mount: MountDir = "/fsx"
    """Mount of the shared file system that holds it, below nccl/."""


class Software(Record):
    """Software on the nodes."""

    setup: Setup = "none"
    """gpu: what NVIDIA GPUs and EFA need; cpu: the same without GPUs; neuron: for Trainium; none: nothing. With gpu and
    neuron, a queue whose instances are of another kind gets what fits them."""
    containers: bool = False
    """Docker, Enroot and Pyxis, so that jobs can run containers."""
    on_failure: Literal["terminate", "hold"] = "terminate"
    """What becomes of a compute node that lacks something required: ParallelCluster replaces it, or it is held back
    from jobs until somebody has looked at it. A held node costs as much as one that works."""
    health_checks: bool = True
    """Where queues have the setup gpu or neuron, let Slurm ask its nodes every five minutes whether they may take jobs,
    and look at nodes with accelerators before and after each job. A sick node gets no further jobs."""
    efa_version: Version | None = None
    """Version of the EFA installer, such as 1.51.0; nodes refuse one that is older than their image's. By default they
    keep what their image has."""
    nccl: Nccl | None = None
    """NCCL on a shared file system. By default jobs use what their image or container has."""
    container_images: tuple[ImageName, ...] = ()
    """Images that are imported to containers/ on the shared file system, so that jobs need not."""


# https://docs.aws.amazon.com/parallelcluster/latest/ug/Monitoring-v3.html#yaml-Monitoring-Logs-CloudWatch-RetentionInDays
RetentionDays = Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653]


# The rest of 10 GiB would be too little for Prometheus; a gp3 volume may have up to 64 TiB, of which XFS takes all.
# https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html
DataVolumeSize = Annotated[int, Whole("10 to 65,536 GiB, as a whole number", least=10, most=65_536)]
MonitoringMode = Literal["none", "self-hosting", "amp-only", "amp+amg"]
SlurmNames = Literal["vpenso", "rivosinc"]
MetricGroup = Literal["system", "gpu", "efa", "efa-interfaces", "slurm"]
ReceiverKind = Literal["slack", "pagerduty", "webhook"]
AlertSeverity = Literal["critical", "warning", "info"]


class AlertReceiver(Record):
    """Somebody who is told of alerts, beside the topic of SNS."""

    kind: ReceiverKind
    """slack: an incoming webhook of Slack; pagerduty: an integration with PagerDuty's Events API v2; webhook: whatever
    takes Alertmanager's JSON by HTTPS. Amazon Managed Prometheus sends to pagerduty alone."""
    secret: FullSecretArn
    """Secret that holds where to send, by ARN, never the address or key itself: a JSON object with `url` for slack and
    webhook, with `routing_key` for pagerduty."""
    severities: Annotated[tuple[AlertSeverity, ...], NotEmpty("at least one severity")] = (
        "critical",
        "warning",
        "info",
    )
    """Alerts of which severities are sent."""


class Monitoring(Record):
    """What is measured and written down, and who keeps it."""

    mode: MonitoringMode = "none"
    """none; Prometheus and Grafana on an instance; Amazon Managed Prometheus; or that with Amazon Managed Grafana."""
    certificate: CertificateArn | None = None
    """Certificate of the self-hosted Grafana's address, from AWS Certificate Manager, for HTTPS through a load
    balancer. Without one, people reach Grafana by Session Manager's port forwarding alone."""
    alert_email: EmailAddress | None = None
    """Address that alerts are mailed to, once it has confirmed that it wants them. By default they reach a topic of SNS
    that anybody may subscribe to."""
    alert_receivers: tuple[AlertReceiver, ...] = ()
    """Slack, PagerDuty and webhooks that alerts are sent to as well."""
    budget_usd_month: Annotated[int, Whole("whole USD, at least 1", least=1)] | None = None
    """What the instances of the cluster may cost in a calendar month, at list prices and in USD: an alert comes when
    nine tenths of it are spent. By default nobody is warned."""
    instance_type: InstanceTypeName = "t3.medium"
    """Instance type of self-hosting, which runs Prometheus and Grafana: an x86 type, with memory for all series."""
    volume_gib: DataVolumeSize = 100
    """Size in GiB of self-hosting's volume, on which metrics and Grafana's database lie. It can grow, not shrink."""
    volume_id: VolumeId | None = None
    """A volume that an earlier deployment has left, taken over with its metrics and Grafana's database, or a blank one;
    in the zone of the instance. By default one is made."""
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
    """Dashboards in CloudWatch: ParallelCluster's own, ParallelCluster-NAME, ParallelCluster-NAME-Advanced and, with
    EFA, ParallelCluster-NAME-EFA. What people change in them stays. Of an account, the first three are free."""
    alarms: bool = True
    """CloudWatch alarms of the head node: its health, CPU, memory and disk."""
    cloudwatch_metrics: tuple[MetricGroup, ...] = ()
    """Metrics in CloudWatch, every minute. system: CPU, memory and disk of every node; gpu: each GPU; efa: sums of a
    node's interfaces; efa-interfaces: each of them, 192 metrics on p5.48xlarge; slurm: nodes and jobs of the cluster.
    Each metric costs, and needs logs: `trainyard plan` says how many there are and what they cost."""
    all_host_metrics: bool = False
    """Keep all that node_exporter says of nodes, for dashboards of your own. By default only what our dashboards,
    alerts and rules read is kept: on p5.48xlarge that is less than half of all series, and each costs."""
    slurm_names: SlurmNames = "vpenso"
    """Whose names Slurm's metrics have: those of prometheus-slurm-exporter by vpenso, which our dashboards and most
    others query, or those of the one by rivosinc besides."""
    nccl_ras: bool = False
    """Ask NCCL once a minute which GPUs of a job do not answer and which communicators are stuck, for the dashboard of
    jobs and two alerts. Jobs need NCCL 2.28.7 or newer, and do not set NCCL_RAS_ENABLE=0 or another NCCL_RAS_ADDR."""
    nccl_inspector: bool = False
    """Load NCCL's inspector plugin in jobs that use the NCCL of software.nccl, from version 2.29.7-1 on, and show bus
    bandwidth and time of their collectives by GPU on the dashboard of jobs. Each makes series, and each costs."""


class Assets(Record):
    """What nodes fetch when they start."""

    bucket: BucketName | None = None
    """S3 bucket for it. By default one is made for the account and region."""
