"""Instance types that moto has no recording of, made from the catalog, where types are offered, and Local Zones.

Moto's recordings are of one day; a type that came later is offered in the zones that the spec names.
https://github.com/getmoto/moto/tree/5.2.5/moto/ec2/resources
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES, InstanceTypeBackend
from moto.ec2.models.instance_types import InstanceType as MotoInstanceType

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find


def plant_local_zones(region: str, seeds: Mapping[str, Any]) -> None:
    """Make the Local Zones that the seeds name, which moto does not have, with the types that are launched there."""
    zones = RegionsAndZonesBackend.zones[region]
    for local_zone in seeds.get("local_zones", []):
        name = local_zone["name"]
        if all(zone.name != name for zone in zones):
            zones.append(Zone(name, region, f"{name[:-1]}-az{len(zones)}", "local-zone"))
        for instance_type in local_zone["types"]:
            _offer(region, instance_type, [name])


def plant_instance_types(region: str, seeds: Mapping[str, Any]) -> None:
    """Make the types that the seeds name known, and offered where they are reserved."""
    for name in seeds.get("instance_types", []):
        kind = find(name)
        if name not in INSTANCE_TYPES and kind is not None:
            INSTANCE_TYPES[name] = instance_type_facts(kind)
            # Of all types, made when moto is imported.
            InstanceTypeBackend.instance_types.append(MotoInstanceType(name))
            _offer(region, name, [f"{region}{letter}" for letter in "abc"])
    for reservation in _reservations(seeds):
        _offer(region, reservation["InstanceType"], [reservation["AvailabilityZone"]])


def instance_type_facts(kind: InstanceType) -> dict[str, Any]:
    """Return a type of the catalog as DescribeInstanceTypes would. What the catalog does not know, the type can do."""
    gpu = kind.accelerators
    has_gpu = gpu is not None and gpu.vendor == "nvidia"
    gpus = [{"Manufacturer": "NVIDIA", "Name": gpu.model, "Count": gpu.count}] if gpu and has_gpu else []
    return {
        "InstanceType": kind.name,
        "CurrentGeneration": True,
        "SupportedUsageClasses": list(kind.usage_classes or ("on-demand", "spot", "capacity-block")),
        "SupportedRootDeviceTypes": ["ebs"],
        "SupportedVirtualizationTypes": ["hvm"],
        "ProcessorInfo": {"SupportedArchitectures": [kind.architecture]},
        "VCpuInfo": {
            "DefaultVCpus": kind.vcpus,
            "DefaultCores": kind.cores or kind.vcpus,
            "DefaultThreadsPerCore": kind.threads_per_core or 1,
        },
        "MemoryInfo": {"SizeInMiB": kind.memory_mib},
        "InstanceStorageSupported": kind.nvme != (),
        "EbsInfo": {"EbsOptimizedSupport": "default"},
        "PlacementGroupInfo": {"SupportedStrategies": list(kind.placement_strategies or ("cluster",))},
        "NetworkInfo": _network(kind),
        **({"GpuInfo": {"Gpus": gpus}} if gpus else {}),
    }


def _network(kind: InstanceType) -> dict[str, Any]:
    cards = [
        {
            "NetworkCardIndex": card.index,
            "MaximumNetworkInterfaces": card.max_interfaces,
            "InterfaceTypes": list(card.kinds),
        }
        for card in kind.cards or ()
    ]
    return {
        "EfaSupported": bool(kind.has_efa),
        "EfaInfo": {"MaximumEfaInterfaces": kind.efa_interfaces or 0},
        "MaximumNetworkCards": len(cards),
        "NetworkCards": cards,
    }


def _reservations(seeds: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    yield from seeds.get("reservations", [])
    for group in seeds.get("reservation_groups", []):
        yield from group["reservations"]


def _offer(region: str, name: str, zones: Iterable[str]) -> None:
    places = {"region": [region], "availability-zone": zones}
    for kind, locations in places.items():
        offered = INSTANCE_TYPE_OFFERINGS[kind].setdefault(region, [])
        for location in locations:
            offer = {"InstanceType": name, "Location": location, "LocationType": kind}
            if not any(offer["InstanceType"] == name and offer["Location"] == location for offer in offered):
                offered.append(offer)
