"""The hosts under the nodes of a cluster: which instances had the same GPUs, and what became of each.

An instance has another id each time a host comes back from a reservation; its GPUs have not. What a node says of its
GPUs lies where only that instance can write, and is believed where no other instance that is there says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import instances_by_id
from trainyard.edge.aws.nodes import kubernetes_node
from trainyard.errors import TrainyardError
from trainyard.operate.nodes.cluster_nodes import ClusterNodes
from trainyard.operate.nodes.node_state import NodeState, node_that_is_there
from trainyard.operate.nodes.replacement_record import ReplacementRecord, replacements
from trainyard.operate.nodes.topology import cluster_topology

_BAD = ("failed", "held")


class HostStay(NamedTuple):
    """An instance, while it had a host."""

    instance_id: str
    node: str
    """Its host name, which is that of its node in Slurm; empty where nobody knows it."""
    began: str | None
    """An ISO 8601 time."""
    state: str
    """As EC2 says, or gone."""
    status: str
    """How its bootstrap went, as its record has it."""
    replaced_for: str
    """Why somebody replaced it; empty where nobody did."""
    network_nodes: tuple[str, ...]
    """From the top layer down; empty where EC2 does not tell, or has told nobody while it was there."""

    @property
    def is_bad(self) -> bool:
        """Return whether it failed, was held, or was replaced."""
        return bool(self.replaced_for) or self.status in _BAD


class Host(NamedTuple):
    """What is under one or more instances, one after another."""

    gpus: tuple[str, ...]
    """UUIDs; empty where nobody knows them, so that it is known by one instance alone."""
    stays: tuple[HostStay, ...]
    """The first first."""
    doubtful: bool
    """Whether several instances that are there say that they have these GPUs: some of them are wrong."""

    @property
    def returned(self) -> bool:
        """Return whether it is there again after an instance on it failed, was held, or was replaced."""
        return not self.doubtful and self.stays[-1].state != "gone" and any(stay.is_bad for stay in self.stays[:-1])


class HostHistory(NamedTuple):
    """The hosts of a cluster, those with most trouble first."""

    name: str
    region: str
    hosts: tuple[Host, ...]
    unknown: str = ""
    """Why nobody knows where in EC2's network they are; empty where that is known."""


def host_history(account: Account, nodes: ClusterNodes) -> HostHistory:
    """Return the hosts under the compute nodes of a cluster, as far as nodes and replacements tell them.

    Raises TrainyardError where the bucket does not answer.
    """
    replaced = [stored.record for stored in replacements(account, nodes.bucket, nodes.name)]
    places: dict[str, tuple[str, ...]] = {}
    unknown = ""
    if any(node.state == "running" for node in nodes.present):
        try:
            topology = cluster_topology(account, nodes.name)
            places = {place.id: place.network_nodes for place in topology.instances}
        except TrainyardError as error:
            unknown = error.problem
    hosts = hosts_of((*nodes.present, *nodes.gone), replaced, places)
    return HostHistory(nodes.name, nodes.region, hosts, unknown)


def replaced_hosts(account: Account, bucket: str, name: str) -> HostHistory:
    """Return the hosts of a cluster whose nodes report nothing: those that replacements have told of.

    Raises TrainyardError where the bucket or EC2 does not answer.
    """
    records = [stored.record for stored in replacements(account, bucket, name)]
    ids = sorted({id_ for record in records for id_ in (record.instance_id, record.new_instance_id) if id_})
    nodes = [
        node_that_is_there(kubernetes_node(instance), None, expects_record=False)
        for instance in instances_by_id(account, ids)
        if instance["State"]["Name"] != "terminated"
    ]
    return HostHistory(name, account.region, hosts_of(nodes, records, {}))


def hosts_of(
    nodes: Iterable[NodeState], replaced: Sequence[ReplacementRecord], places: dict[str, tuple[str, ...]]
) -> tuple[Host, ...]:
    """Return the hosts under some nodes, those with most trouble first."""
    by_id = {record.instance_id: record for record in replaced}
    known = {node.id: node for node in nodes if node.role in ("compute", "unknown")}
    told = {record.new_instance_id: frozenset(record.new_gpus) for record in replaced if record.new_instance_id}
    told |= {record.instance_id: frozenset(record.gpus) for record in replaced if record.gpus}
    gpus = {
        id_: (node.record.gpus if node.record else frozenset()) or told.get(id_, frozenset())
        for id_, node in known.items()
    }
    gpus |= {
        record.instance_id: told.get(record.instance_id, frozenset())
        for record in replaced
        if record.instance_id not in known
    }
    hosts = [
        _host(group, gpus, {id_: _stay(id_, known.get(id_), by_id.get(id_), places) for id_ in group})
        for group in _groups(gpus)
    ]
    return tuple(sorted(hosts, key=lambda host: (-sum(stay.is_bad for stay in host.stays), host.stays[-1].instance_id)))


def _groups(gpus: dict[str, frozenset[str]]) -> list[list[str]]:
    """Return the instances that share a GPU: after a repair, a host may have another one among its eight."""
    groups: list[tuple[set[str], list[str]]] = []
    for id_, own in gpus.items():
        alike = [group for group in groups if group[0] & own]
        merged = (set(own).union(*(group[0] for group in alike)), [*(i for group in alike for i in group[1]), id_])
        groups = [group for group in groups if group not in alike] + [merged]
    return [ids for _, ids in groups]


def _host(ids: list[str], gpus: dict[str, frozenset[str]], stays: dict[str, HostStay]) -> Host:
    ordered = sorted((stays[id_] for id_ in ids), key=lambda stay: (stay.began or "", stay.instance_id))
    there = [stay for stay in ordered if stay.state not in ("gone", "shutting-down")]
    return Host(tuple(sorted(frozenset().union(*(gpus[id_] for id_ in ids)))), tuple(ordered), len(there) > 1)


def _stay(
    id_: str, node: NodeState | None, record: ReplacementRecord | None, places: dict[str, tuple[str, ...]]
) -> HostStay:
    began = None if node is None or node.began is None else datetime.fromtimestamp(node.began, UTC)
    return HostStay(
        id_,
        (node.hostname if node else "") or (record.node if record else ""),
        began.isoformat(timespec="seconds") if began else record.began if record else None,
        node.state if node else "gone",
        node.status if node else "unreported",
        record.reason if record else "",
        places.get(id_) or (record.network_nodes if record else ()),
    )
