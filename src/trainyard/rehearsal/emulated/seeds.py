"""What an emulated account holds at first: everything that a spec names as existing, made up to fit the spec.

Seeds are plain JSON, made here from a spec, and planted by the server: ``planting.py``. What is made up this way is
what a rehearsal cannot prove: that a reservation, an image or a bucket really exists, and is as the spec needs it.
Quotas are made up as well, in ``apis/service_quotas.py``: they are large enough for every spec.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainyard.catalog.instances import find
from trainyard.catalog.parallelcluster import supported_oses
from trainyard.catalog.parallelcluster_images import official_image, published_name_parts
from trainyard.edge.pcluster_environment import known_versions
from trainyard.launch.launch import launches
from trainyard.platform_table import platform_of
from trainyard.record import Record
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.network import local_zone_place
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue

DEFAULT_ACCOUNT_ID = "123456789012"
_ARCHITECTURES = ("x86_64", "arm64")
_ARN_ACCOUNT = re.compile(r"arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:([0-9]{12}):")


def seeds_of(spec: Spec, *, faults: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the seeds of an account in which this spec can be deployed. ``faults``: what is to go wrong there."""
    all_mentions = list(mentions(spec))
    return {
        "account_id": _account_id(all_mentions),
        "region": spec.region,
        "images": [*_official_images(spec), *_own_images(spec, all_mentions)],
        "instance_types": sorted({name for group in spec.node_groups() for name in group.instance_types}),
        "local_zones": _local_zones(spec),
        "key_pairs": _values(all_mentions, "ssh_key"),
        "network": _network(spec),
        "reservations": list(_reservations(spec)),
        "reservation_groups": list(_reservation_groups(spec)),
        "buckets": _buckets(spec, all_mentions),
        "lustre": _values(all_mentions, "id", below="lustre"),
        "zfs_volumes": _values(all_mentions, "id", below="openzfs"),
        "efs": [
            _efs(all_mentions, mention) for mention in all_mentions if mention.key == "id" and mention.above == "efs"
        ],
        "volumes": [{"id": name, "zone": _zone(spec)} for name in _values(all_mentions, "id", below="ebs")],
        "elastic_ips": [spec.head_node.elastic_ip] if isinstance(spec.head_node.elastic_ip, str) else [],
        "secrets": _beginning(all_mentions, ":secretsmanager:"),
        "certificates": _beginning(all_mentions, ":acm:"),
        "kms_keys": _beginning(all_mentions, ":kms:"),
        "policies": [arn for arn in _beginning(all_mentions, ":iam:") if "::aws:" not in arn and ":policy/" in arn],
        "faults": dict(faults or {}),
    }


def _local_zones(spec: Spec) -> list[dict[str, Any]]:
    """Return the Local Zones that a spec names, switched on, with every type that it launches. AWS may have fewer."""
    named = {spec.network.availability_zone, *spec.network.further_availability_zones}
    zones = named.union(*(queue.zones for queue in spec.queues)) - {None}
    types = sorted({name for launch in launches(spec) for name in launch.instance_types})
    return [{"name": zone, "types": types} for zone in sorted(map(str, zones)) if local_zone_place(zone)]


def seeds_with_environment(seeds: dict[str, Any], of_environment: dict[str, Any]) -> dict[str, Any]:
    """Return the seeds of a cluster with those of the environment that it is in: what either names as existing."""
    lists = {
        key: [*value, *(entry for entry in of_environment[key] if entry not in value)]
        for key, value in seeds.items()
        if isinstance(value, list)
    }
    named = (seed["account_id"] for seed in (seeds, of_environment) if seed["account_id"] != DEFAULT_ACCOUNT_ID)
    network = seeds["network"] or of_environment["network"]
    return {**seeds, **lists, "network": network, "account_id": next(named, DEFAULT_ACCOUNT_ID)}


def _account_id(all_mentions: Iterable[Mention]) -> str:
    """Return the account that the spec's ARNs are of."""
    numbers = [match[1] for mention in all_mentions if (match := _ARN_ACCOUNT.match(mention.value))]
    return next((number for number in numbers if int(number)), DEFAULT_ACCOUNT_ID)


def _official_images(spec: Spec) -> Iterator[dict[str, Any]]:
    """Yield the images that ParallelCluster publishes, of every known version: a spec may ask for another one later.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/pcluster.list-official-images-v3.html
    """
    for version in dict.fromkeys((spec.parallelcluster.version, *known_versions())):
        for part in published_name_parts(supported_oses(version) or (spec.image.os,)):
            for architecture in _ARCHITECTURES:
                yield {
                    "name": f"aws-parallelcluster-{version}-{part}-{architecture}-202601010000",
                    "architecture": architecture,
                    "owner": "amazon",
                    "tags": {},
                }


def _own_images(spec: Spec, all_mentions: Iterable[Mention]) -> Iterator[dict[str, Any]]:
    """Yield the images that the spec names, as ``pcluster build-image`` makes them."""
    version = spec.image.built_for or spec.parallelcluster.version
    for mention in all_mentions:
        if mention.key == "ami":
            yield {
                "id": mention.value,
                "name": f"own-{mention.value}",
                "architecture": _architecture(spec, mention),
                "owner": "self",
                "tags": {
                    "parallelcluster:version": version,
                    "parallelcluster:os": spec.image.os,
                    "parallelcluster:build_status": "available",
                },
            }


def _architecture(spec: Spec, image: Mention) -> str:
    """Return the architecture of the instance types beside an image, or of the first queue."""
    types = [*image.beside("instance_type"), *(group.instance_type for group in spec.node_groups())]
    kind = find(types[0])
    return (kind and kind.architecture) or "x86_64"


def _network(spec: Spec) -> dict[str, Any] | None:
    """Return the network that the spec names, with the subnets that only single nodes name."""
    existing = spec.network.existing
    if existing is None:
        return None
    zones = _named_zones(spec)
    public = [*existing.public_subnets]
    second = spec.network.secondary_availability_zone
    has_internet = spec.network.internet != "none"
    return {
        "vpc": existing.vpc,
        "endpoints": [] if has_internet else list(dict.fromkeys(platform_of(spec).deployment().endpoints(spec))),
        "public": [{"id": name, "zone": second if at else zones[0]} for at, name in enumerate(public)],
        "private": [{"id": name, "zone": zone} for name, zone in _private_zones(spec).items() if name not in public],
        "security_groups": list(existing.security_groups),
    }


def _named_zones(spec: Spec) -> list[str]:
    return list(dict.fromkeys(zone for queue in spec.queues for zone in queue.zones)) or [_zone(spec)]


def _private_zones(spec: Spec) -> dict[str, str | None]:
    """Return the private subnets with their zones, None for one in any zone that no other is in.

    ParallelCluster refuses a queue with two subnets in one zone:
    https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Networking-SubnetIds
    """
    existing, zones, second = spec.network.existing, _named_zones(spec), spec.network.secondary_availability_zone
    if existing is None:
        return {}
    of_queues = {queue.subnet: queue.zones[0] for queue in spec.queues if queue.zones}
    taken = {of_queues.get(name) for name in existing.private_subnets} | {None}
    free = iter([zone for zone in dict.fromkeys((*zones, second)) if zone not in taken])
    shared = {name: of_queues.get(name) or next(free, None) for name in existing.private_subnets}
    own = (name for name in _values(mentions(spec), "subnet") if name.startswith("subnet-"))
    return {**shared, **{name: of_queues.get(name, zones[0]) for name in own if name not in shared}}


def _reservations(spec: Spec) -> Iterator[dict[str, Any]]:
    """Yield the reservations that queues name: of their type, in their zone, and large enough for all of them."""
    for name, groups in _users(spec, "reservation", "reservations", "capacity_block").items():
        yield _reservation(spec, name, groups[0].instance_type, groups)


def _reservation_groups(spec: Spec) -> Iterator[dict[str, Any]]:
    """Yield the groups of reservations that queues name: with one reservation for each instance type."""
    for arn, groups in _users(spec, "reservation_group").items():
        types = dict.fromkeys(name for group in groups for name in group.instance_types)
        yield {"arn": arn, "reservations": [_reservation(spec, None, name, groups) for name in types]}


def _users(spec: Spec, *keys: str) -> dict[str, list[NodeGroup]]:
    """Return the nodes that use each reservation or group that is named by these keys."""
    users: dict[str, list[NodeGroup]] = {}
    for group in spec.node_groups():
        if isinstance(group.capacity, Reserved) and group.capacity.key in keys:
            named = getattr(group.capacity, group.capacity.key)
            for name in named if isinstance(named, tuple) else (named,):
                users.setdefault(name, []).append(group)
    return users


def _reservation(spec: Spec, name: str | None, instance_type: str, groups: list[NodeGroup]) -> dict[str, Any]:
    image = official_image(spec.image.os)
    needed = sum(group.max_nodes for group in groups)
    facts = find(instance_type)
    # An UltraServer is sold whole: https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html
    sizes = (facts and facts.ultraserver_instances) or (needed,)
    is_block = groups[0].capacity_kind == "capacity_block"
    return {
        "CapacityReservationId": name,
        "InstanceType": instance_type,
        "InstancePlatform": image.reservation_platform if image else "Linux/UNIX",
        **_queue_zone(spec, groups[0].queue),
        "TotalInstanceCount": next((size for size in sizes if size >= needed), needed),
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "capacity-block" if is_block else "default",
    }


def _buckets(spec: Spec, all_mentions: Iterable[Mention]) -> list[dict[str, Any]]:
    """Return the buckets that exist already, with the scripts that lie in them."""
    buckets: dict[str, list[str]] = {spec.assets.bucket: []} if spec.assets.bucket else {}
    for mention in all_mentions:
        if mention.value.startswith("s3://"):
            bucket, _, key = mention.value.removeprefix("s3://").partition("/")
            buckets.setdefault(bucket, []).extend([key] if mention.key == "script" else [])
    return [{"name": name, "keys": list(dict.fromkeys(keys))} for name, keys in buckets.items()]


def _efs(all_mentions: Iterable[Mention], file_system: Mention) -> dict[str, Any]:
    beside = [
        mention.value
        for mention in all_mentions
        if mention.key == "access_point" and mention.path[:-1] == file_system.path[:-1]
    ]
    return {"id": file_system.value, "access_points": beside}


def _zone(spec: Spec) -> str:
    return spec.network.availability_zone or f"{spec.region}a"


def _queue_zone(spec: Spec, queue: Queue) -> dict[str, Any]:
    """Return the zone in which a queue's reservations are, or the subnet whose zone it is."""
    own = next(iter(queue.zones), None)
    if own is None and queue.subnet in (zones := _private_zones(spec)):
        return {"AvailabilityZone": zones[queue.subnet], "SubnetId": queue.subnet}
    return {"AvailabilityZone": own or _zone(spec)}


def _values(all_mentions: Iterable[Mention], key: str, *, below: str | None = None) -> list[str]:
    values = (mention.value for mention in all_mentions if mention.key == key and below in (None, mention.above))
    return list(dict.fromkeys(values))


def _beginning(all_mentions: Iterable[Mention], service: str) -> list[str]:
    """Return the ARNs of a service."""
    values = (
        mention.value for mention in all_mentions if mention.value.startswith("arn:") and service in mention.value
    )
    return list(dict.fromkeys(values))


@dataclass(frozen=True, slots=True)
class Mention:
    """A text, its path, and the record that it stands in."""

    path: tuple[str | int, ...]
    value: str
    record: Record

    @property
    def key(self) -> str:
        """The last key of its path."""
        return self._keys()[-1]

    @property
    def above(self) -> str:
        """The key above that; empty at the top."""
        return ["", *self._keys()][-2]

    def beside(self, key: str) -> list[str]:
        """Return the text below a key of the same record, if there is one."""
        value = getattr(self.record, key, None)
        return [value] if isinstance(value, str) else []

    def _keys(self) -> list[str]:
        return [step for step in self.path if isinstance(step, str)]


def mentions(record: Record) -> Iterator[Mention]:
    """Yield every text in a record, in its order."""
    yield from _in(record, (), record)


def _in(value: object, path: tuple[str | int, ...], record: Record) -> Iterator[Mention]:
    if isinstance(value, str):
        yield Mention(path, value, record)
    elif isinstance(value, Record):
        for name in value.field_names():
            yield from _in(getattr(value, name), (*path, name), value)
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from _in(item, (*path, index), record)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _in(item, (*path, str(key)), record)
