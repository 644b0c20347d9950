"""What a cluster of Amazon EKS costs besides its queues: the control plane, and the nodes that run no training."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.catalog.eks_limits import eks_limits, source_of
from trainyard.catalog.eks_support import support_of
from trainyard.catalog.price import Price
from trainyard.deploy.cost_line import Line, by_the_hour, by_the_month
from trainyard.spec.cluster import Spec

# As render/eks/system_nodes.py says; gp3 is what eksctl makes where no type is named.
# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html
_VOLUME_GIB = 80


def eks_lines(spec: Spec) -> Iterator[Line]:
    """Yield the control plane, whose price follows the support of its version, and the system nodes."""
    if spec.platform != "eks" or spec.is_environment:
        return
    yield _control_plane(spec)
    system = spec.eks.system_nodes
    count = (system.count, system.count)
    price = prices.instance_hour(system.instance_type, spec.region)
    yield by_the_hour(f"system nodes, {system.instance_type}", "instance", count, price, "on demand, always")
    storage = (_VOLUME_GIB * system.count, _VOLUME_GIB * system.count)
    month = prices.service("ebs_gp3_gib_month", spec.region)
    yield by_the_month("root volumes of the system nodes, gp3", "GiB", storage, month, "while the nodes run")


def _control_plane(spec: Spec) -> Line:
    version = spec.eks.kubernetes_version
    support = support_of(version)
    fact = "cluster_usd_per_hour"
    basis = f"always, in standard support of Kubernetes {version}"
    if support.state in ("standard", "extended") and support.until is not None:
        basis += f" until {support.until}" if support.state == "standard" else ""
    if support.state != "standard":
        fact = "cluster_in_extended_support_usd_per_hour"
        basis = f"always, in extended support of Kubernetes {version}"
    price = Price(getattr(eks_limits(), fact), source_of(fact))
    return by_the_hour("control plane of EKS", "cluster", (1, 1), price, basis)
