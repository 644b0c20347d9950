"""What stacks with launch templates of EC2 share: the parameters of a kind of nodes, and its network interfaces."""

from __future__ import annotations

from typing import Any

from trainyard.catalog.interfaces import Interface
from trainyard.launch.launch import Launch
from trainyard.render.reservation_groups import group_arn
from trainyard.render.stand_ins import Ids
from trainyard.spec.volume import RootVolume


def launch_parameters(launch: Launch, ids: Ids) -> dict[str, str]:
    """Return where nodes come from, and whether they stand close to each other."""
    return {**_capacity(launch, ids), "CreatePlacementGroup": str(launch.placement_group).lower()}


def root_volume_parameters(volume: RootVolume) -> dict[str, str]:
    """Return the volume that holds the operating system."""
    optional = {"RootVolumeIops": volume.iops, "RootVolumeThroughput": volume.throughput_mib_s}
    return {
        "RootVolumeSize": str(volume.size_gib),
        "RootVolumeType": volume.type,
        **{name: str(value) for name, value in optional.items() if value is not None},
        "RootVolumeEncrypted": str(volume.encrypted).lower(),
    }


def network_interface(interface: Interface, groups: object) -> dict[str, Any]:
    """Return one of NetworkInterfaces. ``groups`` is what its template says about security groups."""
    return {
        "NetworkCardIndex": interface.card_index,
        "DeviceIndex": interface.device_index,
        "InterfaceType": interface.kind,
        "DeleteOnTermination": True,
        "Groups": groups,
    }


def _capacity(launch: Launch, ids: Ids) -> dict[str, str]:
    target = launch.capacity
    if (arn := group_arn(target, ids)) is not None:
        return {"CapacityReservationResourceGroup": arn}
    if target.reservation is None:
        return {}
    key = "CapacityReservationId" if target.capacity_block is None else "CapacityBlockId"
    return {key: target.reservation}
