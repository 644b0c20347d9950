"""The subnets that a spec uses and that exist already, and the zones of those that do not yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trainyard.finding import Path
from trainyard.launch.launch import Launch
from trainyard.render.networking import queue_subnets, subnets
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


class NamedSubnet(NamedTuple):
    """A subnet that exists, and where the spec names it."""

    id: str
    path: Path


def existing_subnets(spec: Spec, launch: Launch, outputs: Mapping[str, str]) -> tuple[NamedSubnet, ...]:
    """Return the subnets of some nodes that exist; none where a stack still has to make them."""
    ids = Ids(outputs)
    group = launch.group
    named = subnets(spec, launch.subnet, ids)[:1] if group is None else queue_subnets(spec, group.queue, ids)
    made_later = {stand_in.value for stand_in in ids.stand_ins.values()}
    return tuple(NamedSubnet(id_, _path(spec, launch, id_)) for id_ in named if id_ not in made_later)


def named_subnets(spec: Spec) -> Iterator[NamedSubnet]:
    """Yield every subnet that the spec names by its id."""
    existing = spec.network.existing
    if existing is not None:
        for key in ("public_subnets", "private_subnets"):
            for index, id_ in enumerate(getattr(existing, key)):
                yield NamedSubnet(id_, ("network", "existing", key, index))
    choices = [
        (("head_node", "subnet"), spec.head_node.subnet),
        *(((*path, "subnet"), pool.subnet) for path, pool in spec.login_pools()),
        *((("queues", index, "subnet"), queue.subnet) for index, queue in enumerate(spec.queues)),
    ]
    yield from (NamedSubnet(choice, path) for path, choice in choices if choice not in ("private", "public"))


def zones_to_be(spec: Spec, launch: Launch) -> tuple[str, ...]:
    """Return the zones of subnets that a stack will make for some nodes, as far as the spec says."""
    if launch.subnet not in ("private", "public") or spec.network.existing is not None:
        return ()
    own = launch.group.queue.zones if launch.group is not None and launch.subnet == "private" else ()
    zone = spec.network.availability_zone
    return own or (() if zone is None else (zone,))


def zone_path(spec: Spec, launch: Launch) -> Path:
    """Return where the spec says in which zone some nodes stand."""
    if launch.group is not None and launch.group.queue.zones:
        return (*launch.paths.nodes[:2], "availability_zone")
    if spec.network.existing is not None or launch.subnet not in ("private", "public"):
        return launch.paths.subnet
    return ("network", "availability_zone")


def _path(spec: Spec, launch: Launch, id_: str) -> Path:
    if launch.subnet == id_:
        return launch.paths.subnet
    return next((named.path for named in named_subnets(spec) if named.id == id_), ("network",))
