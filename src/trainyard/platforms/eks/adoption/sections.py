"""What a spec can say of eksctl's file, as plain data of a spec.

Nothing here has to be exact: what does not render as it was written goes to the overlay (adoption/adoption.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.catalog.instances import uses_efa
from trainyard.document.plain_data import at, mappings, present, texts
from trainyard.platform_parts import AdoptableConfig
from trainyard.platforms.eks.rendering.adopted_cluster import LISTS, origins

UNKNOWN_VPC = "vpc-00000000"
"""Stands for the VPC of a file that names none: eksctl makes it."""
_STAND_INS = {"private": ["subnet-00000001", "subnet-00000002"], "public": ["subnet-00000003"]}
"""Stand for subnets that eksctl makes; the control plane needs two. Those of queues are counted on from them."""
STAND_IN = "subnet-0000"
_RESERVED = ("trainyard:", "parallelcluster:", "aws:", "alpha.eksctl.io/", "eksctl.", "eks:", "kubernetes.io/cluster/")
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
_SUBNET = re.compile(r"subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})")
_QUEUE = re.compile(r"[a-z][a-z0-9-]{0,24}")
_INSTANCE_TYPE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
# https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/types.go: DefaultNodeType, DefaultNodeCount
_DEFAULT_TYPE, _DEFAULT_COUNT = "m5.large", 2


def spec_data(config: Mapping[str, Any], adoptable: AdoptableConfig) -> dict[str, Any]:
    """Return the data of a spec of a file of eksctl."""
    data: dict[str, Any] = {"name": adoptable.name, "region": adoptable.region, "platform": "eks"}
    for place, key in origins("cluster").items():
        _put(data, key, at(config, *place.split(".")))
    tags = data.pop("tags", None)
    if isinstance(tags, Mapping):
        data["tags"] = {key: value for key, value in tags.items() if not str(key).startswith(_RESERVED)}
    queues = [
        _queue(group, kind) | {"subnet": _subnet(config, group, position)}
        for position, (kind, group) in enumerate(adoptable_groups(config))
    ]
    is_public = any(queue.get("subnet") == "public" for queue in queues)
    existing = {
        "vpc": at(config, "vpc", "id") or adoptable.vpc or UNKNOWN_VPC,
        **({"public_subnets": _subnets(config, "public")} if is_public else {}),
        "private_subnets": _subnets(config, "private"),
    }
    data["network"] = {"existing": existing}
    data["queues"] = queues
    data["eks"] = {**data.pop("eks", {}), "endpoint": _endpoint(config), "adopted": True}
    if not texts(config, "cloudWatch", "clusterLogging", "enableTypes"):
        data["eks"]["control_plane_logs"] = []  # eksctl switches none on
    return present(**data)


def adoptable_groups(config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the node groups that a queue can be, each once, with the list in which they stand."""
    taken: set[Any] = set()
    for kind in LISTS:
        for group in mappings(config, kind):
            name, types = group.get("name"), _types(group)
            is_queue = isinstance(name, str) and bool(_QUEUE.fullmatch(name)) and name not in taken
            if is_queue and types and all(_INSTANCE_TYPE.fullmatch(text) for text in types):
                taken.add(name)
                yield kind, group


def subnet_id(group: Mapping[str, Any]) -> str | None:
    """Return the id of the one subnet of a node group; None where it has another number of them, or names."""
    named = texts(group, "subnets")
    return named[0] if len(named) == 1 and _SUBNET.fullmatch(named[0]) else None


def _types(group: Mapping[str, Any]) -> list[str]:
    """Return the instance types of a node group; none where a launch template or a selector names them."""
    others = ("launchTemplate", "instanceSelector", "instancesDistribution", "instanceTypes")
    single = group.get("instanceType", None if any(key in group for key in others) else _DEFAULT_TYPE)
    return [single] if isinstance(single, str) else texts(group, "instanceTypes")


def _queue(group: Mapping[str, Any], kind: str) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for place, key in origins("nodes").items():
        _put(data, key, group.get(place))
    if "instance_types" not in data:
        data.setdefault("instance_type", _DEFAULT_TYPE)
    first = data.get("instance_type") or data["instance_types"][0]
    efa = group.get("efaEnabled")
    return {
        **data,
        "nodes": _nodes(group),
        **present(
            capacity=_capacity(group, kind),
            efa=False if efa is not True and uses_efa(first, None) else efa,
        ),
    }


def _nodes(group: Mapping[str, Any]) -> Any:
    """Return how many nodes there are, as eksctl completes it.

    https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go, ValidateManagedNodeGroup
    """
    least, first, most = (_count(group.get(key)) for key in ("minSize", "desiredCapacity", "maxSize"))
    if least is None and most is None:
        return _DEFAULT_COUNT if first is None else first or {"min": 0, "max": 1, "desired": 0}
    least = least if least is not None else (_DEFAULT_COUNT if first is None else first)
    most = most if most is not None else (least if first is None else first)
    return {"min": least, "max": max(most, 1), **present(desired=first)}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _capacity(group: Mapping[str, Any], kind: str) -> Any:
    target = at(group, "capacityReservation", "capacityReservationTarget")
    id_, arn = at(target, "capacityReservationID"), at(target, "capacityReservationResourceGroupARN")
    if at(group, "instanceMarketOptions", "marketType") == "capacity-block":
        return {"capacity_block": id_} if id_ else None
    if id_ or arn:
        return {"reservation": id_} if id_ else {"reservation_group": arn}
    return "spot" if group.get("spot") is True and kind == "managedNodeGroups" else None


def _subnet(config: Mapping[str, Any], group: Mapping[str, Any], position: int) -> str:
    """Return where the nodes stand: in public subnets by default, and with EFA or reserved all in one."""
    if (own := subnet_id(group)) is not None:
        return own
    named = texts(group, "subnets")
    kind = "private" if group.get("privateNetworking") is True else "public"
    places = named or texts(group, "availabilityZones")
    is_whole = group.get("efaEnabled") is True or "capacityReservation" in group
    if not is_whole or len(places) > 1:
        return kind
    of_place = at(config, "vpc", "subnets", kind, places[0], "id") if places else None
    is_id = isinstance(of_place, str) and _SUBNET.fullmatch(of_place)
    return str(of_place) if is_id else f"{STAND_IN}{position + 4:04d}"


def _subnets(config: Mapping[str, Any], kind: str) -> list[str]:
    named = at(config, "vpc", "subnets", kind)
    ids = [at(subnet, "id") for subnet in named.values()] if isinstance(named, Mapping) else []
    return [id_ for id_ in ids if isinstance(id_, str) and _SUBNET.fullmatch(id_)] or _STAND_INS[kind]


def _endpoint(config: Mapping[str, Any]) -> str:
    """Return where the Kubernetes API is reached. eksctl opens it to the world alone.

    https://docs.aws.amazon.com/eks/latest/eksctl/vpc-cluster-access.html
    """
    endpoints = at(config, "vpc", "clusterEndpoints")
    if at(endpoints, "privateAccess") is not True:
        return "public"
    return "private" if at(endpoints, "publicAccess") is False else "both"


def _put(data: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        return
    *above, last = key.split(".")
    for step in above:
        data = data.setdefault(step, {})
    data[last] = value
