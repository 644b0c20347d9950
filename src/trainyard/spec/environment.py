"""An environment: the network, file systems and monitoring that several clusters share."""

from __future__ import annotations

from typing import Literal

from trainyard.record import Record
from trainyard.spec.cluster import Spec, TagKey, TagValue
from trainyard.spec.file_system import FileSystem
from trainyard.spec.iam import Iam
from trainyard.spec.network import Network
from trainyard.spec.software import AlertReceiver, DataVolumeSize, MonitoringMode
from trainyard.spec.stack_overlays import StackOverlays
from trainyard.spec.text import CertificateArn, Cidr, ClusterName, EmailAddress, InstanceTypeName, Region, VolumeId


class EnvironmentAccess(Record):
    """Access for people to what clusters share."""

    allow_from: tuple[Cidr, ...] = ()
    """Address ranges that may open Grafana, and that a prefix list for SSH holds."""


class EnvironmentMonitoring(Record):
    """Who keeps the metrics of the clusters."""

    mode: MonitoringMode = "none"
    """none; Prometheus and Grafana on an instance; Amazon Managed Prometheus; or that with Amazon Managed Grafana."""
    certificate: CertificateArn | None = None
    """Certificate of the self-hosted Grafana's address, from AWS Certificate Manager, for HTTPS through a load
    balancer. Without one, people reach Grafana by Session Manager's port forwarding alone."""
    alert_email: EmailAddress | None = None
    """Address that alerts are mailed to, once it has confirmed that it wants them."""
    alert_receivers: tuple[AlertReceiver, ...] = ()
    """Slack, PagerDuty and webhooks that alerts are sent to as well."""
    instance_type: InstanceTypeName = "t3.medium"
    """Instance type of self-hosting, with memory for all series of all clusters."""
    volume_gib: DataVolumeSize = 100
    """Size in GiB of self-hosting's volume, on which metrics and Grafana's database lie. It can grow, not shrink."""
    volume_id: VolumeId | None = None
    """A volume that an earlier deployment has left, taken over with its metrics and Grafana's database, or a blank one;
    in the zone of the instance. By default one is made."""


class Environment(Record):
    """What several clusters share, in stacks of its own. A cluster names it with `environment`."""

    kind: Literal["environment"]
    """environment. Without it, a spec describes a cluster."""
    name: ClusterName
    """Name of the environment, and of everything that is made for it."""
    region: Region
    """AWS region."""
    network: Network = {}  # type: ignore[assignment]  # plain data, validated like input; so below
    """The network that its clusters live in."""
    access: EnvironmentAccess = {}  # type: ignore[assignment]
    """Who may reach it."""
    iam: Iam = {}  # type: ignore[assignment]
    """Limits on the roles that it creates."""
    file_systems: tuple[FileSystem, ...] = ()
    """FSx file systems that are made for its clusters, which mount them with `id: environment`."""
    monitoring: EnvironmentMonitoring = {}  # type: ignore[assignment]
    """Where the metrics of its clusters go."""
    stack_overlays: StackOverlays = {}  # type: ignore[assignment]
    """What CloudFormation's stacks get that the spec has no key for."""
    tags: dict[TagKey, TagValue] = {}
    """Tags on everything that is made."""


def as_spec(environment: Environment, example: Spec) -> Spec:
    """Return an environment in the shape of a cluster that has no nodes, so that all that reads specs can read it.

    ``example`` is any cluster; of it only the defaults are used.
    """
    access = example.access.replaced(allow_from=environment.access.allow_from)
    monitoring = example.monitoring.replaced(
        mode=environment.monitoring.mode,
        certificate=environment.monitoring.certificate,
        alert_email=environment.monitoring.alert_email,
        alert_receivers=environment.monitoring.alert_receivers,
        instance_type=environment.monitoring.instance_type,
        volume_gib=environment.monitoring.volume_gib,
        volume_id=environment.monitoring.volume_id,
    )
    return example.replaced(
        name=environment.name,
        region=environment.region,
        network=environment.network,
        access=access,
        iam=environment.iam,
        queues=(),
        file_systems=environment.file_systems,
        monitoring=monitoring,
        stack_overlays=environment.stack_overlays,
        tags=environment.tags,
    )
