"""What only the picture of a cluster of ParallelCluster shows: its head node and login nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.counts import count_text
from trainyard.render.diagram.cards import Card, assets, cloudwatch, session_manager
from trainyard.render.diagram.cards import ways_to_nodes as ways_in
from trainyard.render.diagram.words import few
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions
from trainyard.spec.login_nodes import LoginPool
from trainyard.spec.volume import RootVolume

__all__ = [
    "has_public_control_plane",
    "head_services",
    "node_cards",
    "node_services",
    "nodes_beside_queues",
    "own_file_systems",
    "title",
    "ways_in",
]


def title(spec: Spec) -> str:
    """Return what runs the jobs."""
    return f"AWS ParallelCluster {spec.parallelcluster.version} on {spec.image.os}"


def nodes_beside_queues(spec: Spec) -> str:
    """Return the head node, as a sentence."""
    return f"Head node: {spec.head_node.instance_type}, {spec.head_node.subnet} subnet. "


def has_public_control_plane(spec: Spec) -> bool:
    """Return False: Slurm runs on the head node."""
    del spec
    return False


def node_cards(spec: Spec) -> Iterator[tuple[str, str, Card]]:
    """Yield subnet, role and card of login nodes and of the head node."""
    pools = [pool for _, pool in spec.login_pools()]
    for subnet in dict.fromkeys(pool.subnet for pool in pools):
        yield subnet, "login", _login_card([pool for pool in pools if pool.subnet == subnet])
    yield spec.head_node.subnet, "head", _head_card(spec)


def head_services(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what people use to reach the head node."""
    del spec
    yield session_manager()


def node_services(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what every node talks to."""
    yield from cloudwatch(spec, alarms=spec.monitoring.alarms)
    yield from assets(spec)


def own_file_systems(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield /home of the head node, unless the spec has another."""
    if all(file_system.mount != "/home" for file_system in spec.file_systems):
        size_gib = spec.head_node.root_volume.size_gib
        yield "/home", f"NFS from the root volume of the head node, {size_gib:,} GiB"


def _head_card(spec: Spec) -> Card:
    """Return the card of the head node."""
    return Card("server", "compute", "Head node", tuple(_head_lines(spec)))


def _login_card(pools: Sequence[LoginPool]) -> Card:
    """Return the card of the pools of login nodes that stand in one subnet."""
    lines = [f"{pool.name}: {pool.count} × {pool.instance_type}" for pool in pools]
    lines += [f"{pool.name}: DCV on port {pool.dcv.port}" for pool in pools if pool.dcv is not None]
    return Card("login", "compute", "Login nodes", (*lines, "behind a network load balancer"))


def _head_lines(spec: Spec) -> Iterator[str]:
    node = spec.head_node
    address = ", Elastic IP" if node.elastic_ip else ""
    yield f"Slurm on {node.instance_type}{address}"
    yield f"root volume {_volume(node.root_volume)}"
    if spec.monitoring.mode != "none":
        yield "Prometheus collects metrics of all nodes"
    if node.dcv is not None:
        yield f"DCV on port {node.dcv.port}"
    if scripts := _scripts(node.custom_actions):
        yield count_text(scripts, "script of your own", "scripts of your own")
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
