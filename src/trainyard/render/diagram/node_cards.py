"""Cards of the nodes that people and the scheduler use: head node, login nodes, and what stands before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.render.diagram.card import Card
from trainyard.render.diagram.words import counted, few
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions
from trainyard.spec.login_nodes import LoginPool
from trainyard.spec.volume import RootVolume


def head_card(spec: Spec) -> Card:
    """Return the card of the head node."""
    return Card("server", "compute", "Head node", tuple(_head_lines(spec)))


def login_card(pools: Sequence[LoginPool]) -> Card:
    """Return the card of the pools of login nodes that stand in one subnet."""
    lines = [f"{pool.name}: {pool.count} × {pool.instance_type}" for pool in pools]
    lines += [f"{pool.name}: DCV on port {pool.dcv.port}" for pool in pools if pool.dcv is not None]
    return Card("login", "compute", "Login nodes", (*lines, "behind a network load balancer"))


def clusters_card(spec: Spec) -> Card:
    """Return the card that stands for the clusters of an environment."""
    return Card("server", "compute", "Clusters", (f"those whose spec says environment: {spec.name}",))


def way_out_card(spec: Spec) -> Card:
    """Return the card of what private subnets reach AWS and the internet through."""
    if spec.network.internet == "none":
        return Card("gateway", "network", "VPC endpoints", ("the only way to AWS: no internet",))
    return Card("gateway", "network", "NAT gateway", ("way out of private subnets",))


def load_balancer_card(spec: Spec) -> Card:
    """Return the card of the load balancer in front of a self-hosted Grafana."""
    where = "for Grafana" if spec.network.internet == "nat" else "for Grafana, inside the network"
    return Card("balancer", "network", "Load balancer", (where,))


def monitoring_card() -> Card:
    """Return the card of the instance that watches the cluster."""
    return Card("chart", "watch", "Monitoring", ("instance with Prometheus and Grafana",))


def _head_lines(spec: Spec) -> Iterator[str]:
    node = spec.head_node
    address = ", Elastic IP" if node.elastic_ip else ""
    yield f"Slurm on {node.instance_type}{address}"
    yield f"root volume {_volume(node.root_volume)}"
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        yield "Prometheus collects metrics of all nodes"
    if node.dcv is not None:
        yield f"DCV on port {node.dcv.port}"
    if scripts := _scripts(node.custom_actions):
        yield counted(scripts, "script of your own", "scripts of your own")
    yield from _services_it_asks(spec)
    if spec.network.http_proxy is not None:
        yield f"like all nodes behind {spec.network.http_proxy}"


def _services_it_asks(spec: Spec) -> Iterator[str]:
    accounting = spec.parallelcluster.slurm.accounting
    if accounting is not None and accounting.database is not None:
        yield f"accounts in the database on {accounting.database.host}"
    if accounting is not None and accounting.slurmdbd is not None:
        yield f"accounts in slurmdbd on {accounting.slurmdbd.host}"
    if spec.access.directory_service is not None:
        yield f"users from {few(spec.access.directory_service.addresses, 1)}"


def _volume(volume: RootVolume) -> str:
    return f"{volume.size_gib:,} GiB {volume.type}"


def _scripts(actions: CustomActions) -> int:
    return sum(len(getattr(actions, moment)) for moment in actions.field_names())
