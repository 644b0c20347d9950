"""EC2: under which network nodes instances and reservations are, which moto does not have.

Which types EC2 tells it of, and in how many layers:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html (read 2026-11-23)
Here, all of a placement group or of a reservation are under one network node of each layer but the last, of which
sixteen instances have one. That is a stand-in: nobody outside AWS knows how many there are.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from trainyard.rehearsal.emulated.actions import add
from trainyard.rehearsal.emulated.apis.ec2_capacity import reservations_of

_FAMILIES = ("g6e.", "g7e.", "hpc", "p3dn.", "p4d.", "p4de.", "p5.", "p5e.", "p5en.", "p6", "trn1.", "trn1n.", "trn2")
_FOUR_LAYERS = ("p6-b200.", "p6-b300.")
_INSTANCES_A_SWITCH = 16


def install() -> None:
    """Add the actions."""
    add(EC2Response, describe_instance_topology, describe_capacity_reservation_topology)


def describe_instance_topology(self: Any) -> ActionResult:
    """Answer DescribeInstanceTopology: instances of other types and such as do not run are left out."""
    ids = self._get_param("InstanceIds", [])
    running = [
        instance
        for reservation in self.ec2_backend.all_reservations()
        for instance in reservation.instances
        if instance.id in ids and instance.state == "running" and instance.instance_type.startswith(_FAMILIES)
    ]
    groups: dict[str, int] = {}
    return ActionResult({"Instances": [_instance(instance, groups) for instance in running]})


def describe_capacity_reservation_topology(self: Any) -> ActionResult:
    """Answer DescribeCapacityReservationTopology: of what nobody uses yet, the upper layers are known."""
    ids = self._get_param("CapacityReservationIds", [])
    keys = ("CapacityReservationId", "InstanceType", "AvailabilityZone", "State")
    told = [
        {**{key: reservation[key] for key in keys}, "NetworkNodes": _layers(reservation["InstanceType"], id_)[:1]}
        for id_, reservation in reservations_of(self.current_account, self.region).items()
        if id_ in ids
    ]
    return ActionResult({"CapacityReservations": told})


def _instance(instance: Any, groups: dict[str, int]) -> dict[str, Any]:
    group = str(getattr(instance, "capacity_reservation_id", None) or instance.subnet_id)
    groups[group] = number = groups.get(group, -1) + 1
    layers = _layers(instance.instance_type, group)
    switch = _network_node(f"{layers[-1]}/{number // _INSTANCES_A_SWITCH}")
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "AvailabilityZone": instance.placement.zone,
        "NetworkNodes": [*layers[:-1], switch],
    }


def _layers(instance_type: str, group: str) -> list[str]:
    count = 4 if instance_type.startswith(_FOUR_LAYERS) else 3
    return [_network_node(f"{group}/{layer}") for layer in range(count)]


def _network_node(seed: str) -> str:
    return f"nn-{sha256(seed.encode()).hexdigest()[:17]}"
