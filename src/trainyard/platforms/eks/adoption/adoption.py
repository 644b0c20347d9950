"""A spec that renders a given file of eksctl.

The sections say what a spec can say. That is rendered and held against the file. What is missing goes to the overlay,
what renders besides is null there, and what renders otherwise is taken out of the spec again.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.plain_data import at, mappings
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError
from trainyard.finding import Path
from trainyard.foreign_text import one_line
from trainyard.platform_parts import AdoptableConfig, AdoptedConfig, ConfigNames
from trainyard.platforms.eks.adoption.comments import comments_on
from trainyard.platforms.eks.adoption.running_cluster import running_cluster
from trainyard.platforms.eks.adoption.sections import UNKNOWN_VPC, adoptable_groups, spec_data, subnet_id
from trainyard.platforms.eks.rendering.adopted_cluster import LISTS, list_of, origins, written_cluster
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.render.overlay import differences, residue, with_lists
from trainyard.render.stand_ins import Ids
from trainyard.rules.parallelcluster.placeholders import placeholder_in
from trainyard.spec.cluster import Spec
from trainyard.spec.draft_data import remove, valid_spec

# Every round takes something out of the spec or changes the overlay; a file of the largest allowed size has fewer keys.
_MOST_ROUNDS = 300
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
_VPC = re.compile(r"vpc-(?:[0-9a-f]{8}|[0-9a-f]{17})")


def names_in(config: Mapping[str, Any]) -> ConfigNames:
    """Return the name and the region that a file says, without placeholders."""
    name, region = (at(config, "metadata", key) for key in ("name", "region"))
    return ConfigNames(
        name if isinstance(name, str) and placeholder_in(name) is None else None,
        region if isinstance(region, str) and placeholder_in(region) is None else None,
    )


def adopted_config(adoptable: AdoptableConfig) -> AdoptedConfig:
    """Return a spec that renders a file of eksctl, and where it does not.

    Raises InputError where the file has not what every spec needs.
    """
    config, stand_ins = _with_stand_ins(_without_nulls(with_lists(adoptable.config)), adoptable)
    groups = list(adoptable_groups(config))
    if not groups:
        raise InputError(
            "no node group of it can be a queue: a queue has a name of at most 25 lower-case letters, digits and "
            "hyphens, and instance types of its own",
            where="managedNodeGroups",
            hint="write instanceType into a node group; what Karpenter or a launch template starts is in no file",
        )
    names = [group.get("name") for kind in LISTS for group in mappings(config, kind)]
    if repeated := sorted({str(name) for name in names if names.count(name) > 1}):
        raise InputError(
            f"several node groups of it are called {', '.join(map(one_line, repeated))}",
            where="nodeGroups",
            hint="give each a name of its own: eksctl takes none twice",
        )
    data = spec_data(copy.deepcopy(config), adoptable)  # what no spec can say is taken out of it
    self_managed = [group["name"] for kind, group in groups if kind == "nodeGroups"]
    data["eks"]["overlay"] = _overlay(_named_subnets(groups), [], {}, self_managed)
    for _ in range(_MOST_ROUNDS):
        spec = valid_spec(data)
        written = written_cluster(spec)
        further, conflicts = residue(config, written)
        besides = _besides(config, written)
        overlay = _overlay(further, besides, written, self_managed)
        if overlay != data["eks"].get("overlay", {}):
            data["eks"]["overlay"] = overlay
        elif not any(_take_out(data, spec, written, conflict) for conflict in conflicts if conflict not in besides):
            break
    if not data["eks"].get("overlay"):
        data["eks"].pop("overlay", None)
    rendered = with_lists(cluster(valid_spec(data), Ids({})))
    different = tuple(differences(config, rendered))
    return AdoptedConfig(data, different, comments_on(config, data, stand_ins))


def config_of_cluster(account: Account, name: str) -> AdoptableConfig | None:
    """Return the file of eksctl that describes a cluster; None where there is none. Asks only."""
    config = running_cluster(account, name)
    return None if config is None else AdoptableConfig(config, name, account.region)


def _with_stand_ins(config: dict[str, Any], adoptable: AdoptableConfig) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a file with values for the placeholders that no spec can have, and what each of them stands for."""
    stand_ins: dict[str, str] = {}
    values = (
        ("metadata", "name", adoptable.name),
        ("metadata", "region", adoptable.region),
        ("vpc", "id", UNKNOWN_VPC),
    )
    for section, key, value in values:
        placeholder = at(config, section, key)
        if placeholder_in(placeholder) is not None or (key == "id" and _is_no_vpc(placeholder)):
            config[section] = {**config[section], key: value}
            stand_ins[value] = placeholder
    return config, stand_ins


def _is_no_vpc(vpc: Any) -> bool:
    """Return whether the text is no id, such as vpc-xxxxxxxx in an example. Raises InputError where it is no text."""
    if vpc is None or isinstance(vpc, str):
        return vpc is not None and _VPC.fullmatch(vpc) is None
    raise InputError(
        "the id of its VPC is no text",
        where="vpc.id",
        hint="write the id of the VPC, or leave it out where eksctl makes one",
    )


def _named_subnets(groups: list[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the subnets of node groups as they are written, where that is no single id."""
    overlay: dict[str, Any] = {}
    for kind, group in groups:
        if "subnets" in group and group["subnets"] != [subnet_id(group)]:
            overlay.setdefault(kind, []).append({"name": group["name"], "subnets": group["subnets"]})
    return overlay


def _overlay(
    further: Mapping[str, Any], besides: list[Path], written: Mapping[str, Any], self_managed: list[str]
) -> dict[str, Any]:
    """Return an overlay: further keys, null for what is written besides, and the groups that EKS does not manage."""
    overlay: dict[str, Any] = dict(further)
    for path in besides:
        _put_null(overlay, path, written)
    if self_managed:
        groups = overlay.setdefault("nodeGroups", [])
        there = {group.get("name") for group in groups}
        groups.extend({"name": name} for name in self_managed if name not in there)
    return overlay


def _besides(config: Any, written: Any, path: Path = ()) -> list[Path]:
    """Return what is written and does not stand in the file: keys of mappings, and of node groups by position."""
    if isinstance(written, Mapping):
        inner = config if isinstance(config, Mapping) else {}
        paths: list[Path] = []
        for key, value in written.items():
            paths += [(*path, key)] if key not in inner else _besides(inner[key], value, (*path, key))
        return paths
    if isinstance(written, list) and len(path) == 1 and path[0] in LISTS:
        by_name = {group.get("name"): group for group in mappings({"groups": config}, "groups")}
        return [
            found
            for position, group in enumerate(written)
            for found in _besides(by_name.get(group["name"], {}), group, (*path, position))
        ]
    return []


def _put_null(overlay: dict[str, Any], path: Path, written: Mapping[str, Any]) -> None:
    holder = overlay
    if path[0] in LISTS:
        name = written[str(path[0])][int(path[1])]["name"]
        groups = overlay.setdefault(str(path[0]), [])
        group = next((group for group in groups if group.get("name") == name), None)
        if group is None:
            group = {"name": name}
            groups.append(group)
        holder, path = group, path[2:]
    for key in path[:-1]:
        holder = holder.setdefault(str(key), {})
    holder[str(path[-1])] = None


def _take_out(data: dict[str, Any], spec: Spec, written: Mapping[str, Any], conflict: Path) -> bool:
    """Take out of the data what writes another value than the file; return whether there was anything."""
    return any(remove(data, path) for path in _origins_of(spec, written, conflict))


def _origins_of(spec: Spec, written: Mapping[str, Any], conflict: Path) -> Iterator[Path]:
    if conflict[0] not in LISTS:
        place = ".".join(str(key) for key in conflict)
        yield from (tuple(key.split(".")) for start, key in origins("cluster").items() if place.startswith(start))
        return
    if len(conflict) < 3:
        return
    name = written[str(conflict[0])][int(conflict[1])]["name"]
    position = next(
        index for index, queue in enumerate(spec.queues) if queue.name == name and list_of(spec, name) == conflict[0]
    )
    key = origins("nodes").get(str(conflict[2]))
    own = {
        "capacityReservation": "capacity",
        "instanceMarketOptions": "capacity",
        "spot": "capacity",
        "subnets": "subnet",
    }
    path = (key or own.get(str(conflict[2]), str(conflict[2]))).split(".")
    yield ("queues", position, *path)
    yield ("queues", position, path[0])  # a fixed number of nodes is a count itself


def _without_nulls(value: Any) -> Any:
    """Return plain data without keys that hold null, which eksctl reads as if they were not there."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(member) for key, member in value.items() if member is not None}
    return list(map(_without_nulls, value)) if isinstance(value, list) else value
