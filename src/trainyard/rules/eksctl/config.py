"""An eksctl ClusterConfig as rules see it: its node groups, both kinds of them, whatever else stands there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules.documents import mapping_at, mapping_in

# The key of a list of node groups, and whether EKS manages them: https://docs.aws.amazon.com/eks/latest/eksctl/nodegroups.html
_LISTS = {"managedNodeGroups": True, "nodeGroups": False}

RESERVATION_KEYS = ("capacityReservationID", "capacityReservationResourceGroupARN")
"""The keys of a target, of which a node group has one: a reservation, or a group of them."""


class EksctlNodes(NamedTuple):
    """One node group."""

    path: Path
    written: Mapping[str, Any]
    managed: bool

    @property
    def name(self) -> str:
        """Return its name, or where it stands."""
        name = self.written.get("name")
        return name if isinstance(name, str) else f"{self.path[0]}[{self.path[1]}]"

    @property
    def instance_types(self) -> tuple[str, ...]:
        """Return every instance type that it names, in whichever of the three places."""
        several = (
            self.texts("instanceTypes"),
            texts_in(mapping_in(self.written, "instancesDistribution"), "instanceTypes"),
        )
        own_type = self.written.get("instanceType")
        return (*((own_type,) if isinstance(own_type, str) else ()), *(name for names in several for name in names))

    @property
    def facts(self) -> tuple[InstanceType, ...]:
        """Return what the catalog knows of them."""
        return tuple(facts for facts in map(find, self.instance_types) if facts is not None)

    @property
    def uses_efa(self) -> bool:
        """Return whether eksctl is told to give it EFA."""
        return self.written.get("efaEnabled") is True

    @property
    def zones(self) -> tuple[str, ...]:
        """Return the zones that it names itself."""
        return self.texts("availabilityZones")

    @property
    def subnets(self) -> tuple[str, ...]:
        """Return the subnets that it names."""
        return self.texts("subnets")

    @property
    def market(self) -> str | None:
        """Return what instanceMarketOptions asks for, such as capacity-block."""
        market = mapping_in(self.written, "instanceMarketOptions").get("marketType")
        return market if isinstance(market, str) else None

    @property
    def reservation(self) -> Mapping[str, Any]:
        """Return what was written as the target of its capacity reservation, right or wrong."""
        return mapping_in(mapping_in(self.written, "capacityReservation"), "capacityReservationTarget")

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of text below a key; empty where something else stands there."""
        return texts_in(self.written, key)


def node_groups(document: Document) -> Iterator[EksctlNodes]:
    """Yield the node groups of a ClusterConfig."""
    for key, managed in _LISTS.items():
        listed = mapping_at(document).get(key)
        for index, written in enumerate(listed if isinstance(listed, tuple) else ()):
            if isinstance(written, dict):
                yield EksctlNodes((key, index), written, managed)


def texts_in(mapping: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a list of text below a key; empty where something else stands there."""
    members = mapping.get(key)
    return tuple(member for member in members if isinstance(member, str)) if isinstance(members, tuple) else ()
