"""What a plan says of a cluster of Amazon EKS: its price with control plane and system nodes, and its time."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices, step_minutes
from trainyard.catalog.eks_limits import eks_limits, source_of
from trainyard.catalog.kubernetes_versions import support_of
from trainyard.catalog.prices import Price
from trainyard.deploy.plan.cost_line import CostLine, by_the_hour, by_the_month, compute_lines
from trainyard.deploy.plan.expected_time import Minutes, PlannedStage
from trainyard.deploy.plan.immutable_fields import ImmutableField
from trainyard.spec.cluster import Spec

# As platforms/eks/rendering/system_nodes.py says; gp3 is what eksctl makes where no type is named.
# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html
_VOLUME_GIB = 80


def cost_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield the nodes, the control plane, whose price follows the support of its version, and the system nodes."""
    yield from compute_lines(spec)
    yield _control_plane(spec)
    if not spec.eks.adopted:
        yield from _system_nodes(spec)


def _system_nodes(spec: Spec) -> Iterator[CostLine]:
    system = spec.eks.system_nodes
    count = (system.count, system.count)
    price = prices.instance_hour(system.instance_type, spec.region)
    yield by_the_hour(f"system nodes, {system.instance_type}", "instance", count, price, "on demand, always")
    storage = (_VOLUME_GIB * system.count, _VOLUME_GIB * system.count)
    month = prices.service("ebs_gp3_gib_month", spec.region)
    yield by_the_month("root volumes of the system nodes, gp3", "GiB", storage, month, "while the nodes run")


def stages(spec: Spec) -> Iterator[PlannedStage]:
    """Yield what eksctl makes."""
    del spec
    measured = step_minutes.stage_minutes("eks-cluster")
    minutes = None if measured is None else Minutes(*measured)
    sources = tuple(step_minutes.sources_of("eks-cluster").values())
    yield PlannedStage("cluster", "control plane, add-ons and the first nodes", minutes, sources)


def immutable_fields(spec: Spec) -> Iterator[ImmutableField]:
    """Yield nothing: what cannot be changed is refused when a deployment compares configurations."""
    del spec
    yield from ()


def _control_plane(spec: Spec) -> CostLine:
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
