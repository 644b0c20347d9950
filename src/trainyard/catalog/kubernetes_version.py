"""What is known about one minor version of Kubernetes on Amazon EKS. None means unknown."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import Text
from trainyard.record import Record

Date = Annotated[str, Text(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "a date such as 2026-11-22")]
AddonVersion = Annotated[
    str, Text(r"^v[0-9]+\.[0-9]+\.[0-9]+-eksbuild\.[0-9]+$", "a version such as v1.35.3-eksbuild.2")
]


class KubernetesVersion(Record):
    """Until when a version is supported, and the versions of EKS's add-ons that belong to it."""

    name: str
    """The minor version, such as 1.35."""
    standard_until: Date
    """The day on which standard support ends, at its beginning in UTC: from then on the cluster costs more."""
    extended_until: Date
    """The day on which extended support ends: from then on there are no new clusters, and EKS upgrades old ones."""
    vpc_cni: AddonVersion | None = None
    """Version of the add-on vpc-cni."""
    coredns: AddonVersion | None = None
    """Version of the add-on coredns."""
    kube_proxy: AddonVersion | None = None
    """Version of the add-on kube-proxy."""
    pod_identity_agent: AddonVersion | None = None
    """Version of the add-on eks-pod-identity-agent."""
    node_monitoring_agent: AddonVersion | None = None
    """Version of the add-on eks-node-monitoring-agent."""
