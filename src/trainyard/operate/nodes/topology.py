"""Where in EC2's network the instances of a cluster, or what is reserved, are: under which network nodes.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology.html
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trainyard.edge.aws import ec2
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import tags_of
from trainyard.edge.aws.nodes import instances_of_cluster, kubernetes_instances, node_group_of
from trainyard.errors import TrainyardError


class NetworkPlace(NamedTuple):
    """Where an instance or a reservation is."""

    id: str
    instance_type: str
    queue: str | None
    """None for a reservation, and where no tag says it."""
    zone: str
    network_nodes: tuple[str, ...]
    """From the top layer down; the last of an instance is the switch next to it. Empty where EC2 does not tell."""
    capacity_block: str | None = None


class ClusterTopology(NamedTuple):
    """Places of all instances of a cluster that run, those that are near each other together."""

    name: str
    region: str
    instances: tuple[NetworkPlace, ...]
    reservations: tuple[NetworkPlace, ...]

    @property
    def spines(self) -> int:
        """Under how many network nodes of the top layer the instances are."""
        return len({place.network_nodes[0] for place in self.instances if place.network_nodes})

    @property
    def switches(self) -> int:
        """Under how many network nodes of the lowest layer they are."""
        return len({place.network_nodes for place in self.instances if place.network_nodes})

    @property
    def untold(self) -> tuple[NetworkPlace, ...]:
        """The instances of which EC2 does not tell it: mostly of other types."""
        return tuple(place for place in self.instances if not place.network_nodes)


def cluster_topology(account: Account, name: str, reservations: Sequence[str] = ()) -> ClusterTopology:
    """Return where the instances of a cluster are that run, and some capacity reservations.

    A reservation has as many layers as EC2 knows already, which may be none.
    Raises TrainyardError where nothing of that name runs and no reservation is asked for, or a policy denies it.
    """
    described = {
        instance["InstanceId"]: instance
        for instance in (*instances_of_cluster(account, name), *kubernetes_instances(account, name))
        if instance["State"]["Name"] == "running"
    }
    if not described and not reservations:
        problem = f"no instance of {name!r} runs in {account.region}"
        raise TrainyardError(problem, hint="name a reservation with --reservation to see where its instances will be")
    told = ec2.instance_topology(account, tuple(described))
    places = (_instance(instance, told.get(id_, {})) for id_, instance in described.items())
    reserved = (_reservation(answer) for answer in ec2.reservation_topology(account, reservations))
    return ClusterTopology(name, account.region, _together(places), _together(reserved))


def _together(places: Iterable[NetworkPlace]) -> tuple[NetworkPlace, ...]:
    return tuple(sorted(places, key=lambda place: (not place.network_nodes, place.network_nodes, place.id)))


def _instance(instance: ec2.Described, told: ec2.Described) -> NetworkPlace:
    tags = tags_of(instance)
    return NetworkPlace(
        instance["InstanceId"],
        instance["InstanceType"],
        tags.get("parallelcluster:queue-name") or node_group_of(instance),
        instance["Placement"]["AvailabilityZone"],
        tuple(told.get("NetworkNodes") or ()),
        told.get("CapacityBlockId"),
    )


def _reservation(told: ec2.Described) -> NetworkPlace:
    return NetworkPlace(
        told["CapacityReservationId"],
        told.get("InstanceType", ""),
        None,
        told.get("AvailabilityZone", ""),
        tuple(told.get("NetworkNodes") or ()),
        told.get("CapacityBlockId"),
    )
