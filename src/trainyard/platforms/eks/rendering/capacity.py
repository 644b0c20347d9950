"""Where the instances of a node group come from, in the words of eksctl.

The key is capacityReservationID. With a small d eksctl ignores it, and the instances come from no reservation at all:
https://github.com/eksctl-io/eksctl/issues/8320
"""

from __future__ import annotations

from typing import Any

from trainyard.render.reservation_groups import groups_to_make
from trainyard.render.stand_ins import Ids
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def capacity(spec: Spec, group: NodeGroup, ids: Ids, *, in_template: bool) -> dict[str, Any]:
    """Return the keys of a node group. What a launch template of our own says need not be said, but for one thing.

    Of a Capacity Block the node group has to know as well: eksctl derives its capacity type from the market.
    https://github.com/eksctl-io/eksctl/pull/8207
    """
    reserved = group.capacity
    if not isinstance(reserved, Reserved):
        return {"spot": True} if reserved == "spot" else {}
    if reserved.capacity_block is None and in_template:
        return {}
    market = {} if reserved.capacity_block is None else {"instanceMarketOptions": {"marketType": "capacity-block"}}
    return {"capacityReservation": {"capacityReservationTarget": _target(spec, reserved, ids)}, **market}


def reservation_group(spec: Spec, reserved: Reserved, ids: Ids) -> str | None:
    """Return the group of reservations that nodes target, None where they target one reservation."""
    if reserved.reservations is not None:
        return ids.of("ReservationGroupArn", number=groups_to_make(spec).index(reserved.reservations) + 1)
    return reserved.reservation_group


def _target(spec: Spec, reserved: Reserved, ids: Ids) -> dict[str, str]:
    group = reservation_group(spec, reserved, ids)
    if group is not None:
        return {"capacityReservationResourceGroupARN": group}
    return {"capacityReservationID": reserved.capacity_block or reserved.reservation or ""}
